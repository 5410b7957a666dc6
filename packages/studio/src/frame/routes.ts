/** Every view is a URL. A name ending in `?` in the pattern may be absent. */
const routes = {
  home: "/",
  compose: "/compose/:preset?",
  sessions: "/sessions/:id?",
  call: "/sessions/:id/calls/:n",
  lost: "/sessions/:id/lost",
  compare: "/compare",
  chats: "/chats/:key?",
  agents: "/agents/:name?",
  boxes: "/boxes/:id?",
  logs: "/logs",
  import: "/import",
  settings: "/settings",
} as const;

export type RouteName = keyof typeof routes;

type ParamsOf<Pattern extends string> = Pattern extends `${infer Head}/${infer Tail}`
  ? ParamsOf<Head> & ParamsOf<Tail>
  : Pattern extends `:${infer Name}?`
    ? { readonly [Key in Name]?: string }
    : Pattern extends `:${infer Name}`
      ? { readonly [Key in Name]: string }
      : unknown;

export type RouteParams<Name extends RouteName> = ParamsOf<(typeof routes)[Name]>;
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** What the page of a route is given. */
export interface PageParams<Name extends RouteName> {
  readonly params: RouteParams<Name>;
}

type RouteMatchOf<Name extends RouteName> = Name extends RouteName
  ? { readonly name: Name; readonly params: RouteParams<Name> }
  : never;

export type RouteMatch = RouteMatchOf<RouteName>;

/** The URL of a view: `pathTo("call", { id, n: "3" }, { side: "left" })`. */
export function pathTo<Name extends RouteName>(name: Name, params: RouteParams<Name>, query: Query = {}): string {
  const values: Readonly<Record<string, string | undefined>> = { ...(params as object) };
  const parts = routes[name]
    .split("/")
    .slice(1)
    .flatMap((part) => {
      if (!part.startsWith(":")) return [part];
      const value = values[part.slice(1).replace("?", "")];
      return value ? [encodeURIComponent(value)] : [];
    });
  return `/${parts.join("/")}${formatQuery(query)}`;
}

export function formatQuery(query: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") search.set(key, String(value));
  }
  const text = search.toString();
  return text && `?${text}`;
}

function matchPattern(pattern: string, parts: readonly string[]): Record<string, string> | undefined {
  const wanted = pattern.split("/").filter(Boolean);
  if (parts.length > wanted.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, want] of wanted.entries()) {
    const part = parts[index];
    if (!want.startsWith(":")) {
      if (part !== want) return undefined;
    } else if (part !== undefined) {
      params[want.slice(1).replace("?", "")] = part;
    } else if (!want.endsWith("?")) return undefined;
  }
  return params;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Finds the view of a path, or nothing when no view has it. */
export function matchRoute(path: string): RouteMatch | undefined {
  const parts = path.split("/").filter(Boolean).map(decode);
  for (const [name, pattern] of Object.entries(routes)) {
    const params = matchPattern(pattern, parts);
    if (params) return { name, params } as RouteMatch;
  }
  return undefined;
}
