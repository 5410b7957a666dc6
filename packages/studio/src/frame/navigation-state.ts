import { useMemo, useSyncExternalStore } from "react";
import { type Query, type RouteMatch, formatQuery, matchRoute } from "./routes.ts";

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("popstate", listener);
  };
}

export interface NavigateOptions {
  /** Puts the new URL in place of the present one, so that Back does not return to it. */
  readonly replace?: boolean;
}

/** Goes to a URL of Studio (made by `pathTo`). */
export function navigate(url: string, options: NavigateOptions = {}): void {
  if (url === location.pathname + location.search) return;
  if (options.replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  for (const listener of listeners) listener();
}

const readUrl = (): string => location.pathname + location.search;

function useUrl(): string {
  return useSyncExternalStore(subscribe, readUrl);
}

/** The view that the URL names, or nothing when there is none. */
export function useRoute(): RouteMatch | undefined {
  const path = useUrl().split("?", 1)[0] ?? "/";
  return useMemo(() => matchRoute(path), [path]);
}

export interface QueryState {
  readonly query: Readonly<Record<string, string>>;
  /** Changes some parameters and keeps the others; what belongs to a view (a filter, an open tab) is part of its URL. */
  readonly setQuery: (change: Query, options?: NavigateOptions) => void;
}

export function useQueryState(): QueryState {
  const search = useUrl().split("?")[1] ?? "";
  return useMemo(() => {
    const query = Object.fromEntries(new URLSearchParams(search));
    const setQuery: QueryState["setQuery"] = (change, options = { replace: true }) =>
      navigate(location.pathname + formatQuery({ ...query, ...change }), options);
    return { query, setQuery };
  }, [search]);
}
