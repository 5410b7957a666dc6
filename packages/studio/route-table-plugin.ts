import { routes } from "galley/api";
import type { Plugin } from "vite";

const id = "virtual:galley-routes";

/** Gives the page the method and path of every route without the schemas, which are the daemon's business. */
export function routeTablePlugin(): Plugin {
  return {
    name: "galley-routes",
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (source) => {
      if (source !== `\0${id}`) return undefined;
      const table = Object.entries(routes).map(([name, { method, path }]) => [name, { method, path }]);
      return `export const routeTable = ${JSON.stringify(Object.fromEntries(table))};`;
    },
  };
}
