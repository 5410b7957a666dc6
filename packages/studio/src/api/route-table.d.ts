declare module "virtual:galley-routes" {
  export const routeTable: Readonly<
    Record<import("galley/api").RouteName, { readonly method: string; readonly path: string }>
  >;
}
