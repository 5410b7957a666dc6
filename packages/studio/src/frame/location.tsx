import { type AnchorHTMLAttributes, type MouseEvent, type ReactElement, useMemo, useSyncExternalStore } from "react";
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

interface NavigateOptions {
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

interface QueryState {
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

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** A URL made by `pathTo`. */
  readonly href: string;
}

/** True for a click that the browser should handle itself: a new tab, a download, another button. */
function isForBrowser(event: MouseEvent<HTMLAnchorElement>): boolean {
  const { target } = event.currentTarget;
  return (
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey ||
    (target !== "" && target !== "_self")
  );
}

/** A real link: the middle button and modifier keys do what they do everywhere. */
export function Link({ href, onClick, className, children, ...rest }: LinkProps): ReactElement {
  return (
    <a
      {...rest}
      href={href}
      className={className ?? "text-accent underline-offset-2 hover:underline"}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || isForBrowser(event)) return;
        event.preventDefault();
        navigate(href);
      }}
    >
      {children}
    </a>
  );
}
