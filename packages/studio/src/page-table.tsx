import { type ComponentType, type ReactElement, lazy } from "react";
import type { PageParams, RouteMatch, RouteName } from "./frame/routes.ts";

/** The page of each route. Every page is a chunk of its own, so that the first one is there soon. */
const load: { readonly [Name in RouteName]: () => Promise<ComponentType<PageParams<Name>>> } = {
  home: async () => (await import("./pages/home/home-page.tsx")).HomePage,
  compose: async () => (await import("./pages/compose/compose-page.tsx")).ComposePage,
  sessions: async () => (await import("./pages/inspect/inspect-page.tsx")).InspectPage,
  call: async () => (await import("./pages/inspect/inspect-page.tsx")).InspectPage,
  lost: async () => (await import("./pages/inspect/lost-page.tsx")).LostPage,
  compare: async () => (await import("./pages/compare/compare-page.tsx")).ComparePage,
  chats: async () => (await import("./pages/chats/chats-page.tsx")).ChatsPage,
  agents: async () => (await import("./pages/agents/agents-page.tsx")).AgentsPage,
  boxes: async () => (await import("./pages/handover/handover-page.tsx")).HandoverPage,
  logs: async () => (await import("./pages/logs/logs-page.tsx")).LogsPage,
  import: async () => (await import("./pages/import/import-page.tsx")).ImportPage,
  settings: async () => (await import("./pages/settings/settings-page.tsx")).SettingsPage,
};

// That the parameters of a route fit its page is checked above; here name and parameters come from one match.
const pages = Object.fromEntries(
  Object.entries(load).map(([name, loadPage]) => [name, lazy(async () => ({ default: await loadPage() }))]),
) as unknown as Readonly<Record<RouteName, ComponentType<Pick<RouteMatch, "params">>>>;

/** The page of a view, with the parameters of its URL. */
export function pageOf({ name, params }: RouteMatch): ReactElement {
  const Page = pages[name];
  return <Page params={params} />;
}

/** Fetches the other pages while nothing else is to do: going to one takes no time then, nor a daemon that answers. */
export function loadPagesAhead(): void {
  const fetchAll = (): void => {
    // One that cannot be had now is asked for again when it is opened, and says so then.
    for (const loadPage of Object.values(load)) loadPage().catch(() => undefined);
  };
  if ("requestIdleCallback" in window) requestIdleCallback(fetchAll, { timeout: 5000 });
  else setTimeout(fetchAll, 2000);
}
