import { type ReactElement, lazy } from "react";
import type { RouteMatch } from "./frame/routes.ts";

/** Every page is a chunk of its own, so that the first one is there soon. */
const load = {
  home: () => import("./pages/home/home-page.tsx"),
  compose: () => import("./pages/compose/compose-page.tsx"),
  inspect: () => import("./pages/inspect/inspect-page.tsx"),
  compare: () => import("./pages/compare/compare-page.tsx"),
  chats: () => import("./pages/chats/chats-page.tsx"),
  agents: () => import("./pages/agents/agents-page.tsx"),
  handover: () => import("./pages/handover/handover-page.tsx"),
  import: () => import("./pages/import/import-page.tsx"),
  settings: () => import("./pages/settings/settings-page.tsx"),
} as const;

const HomePage = lazy(async () => ({ default: (await load.home()).HomePage }));
const ComposePage = lazy(async () => ({ default: (await load.compose()).ComposePage }));
const InspectPage = lazy(async () => ({ default: (await load.inspect()).InspectPage }));
const ComparePage = lazy(async () => ({ default: (await load.compare()).ComparePage }));
const ChatsPage = lazy(async () => ({ default: (await load.chats()).ChatsPage }));
const AgentsPage = lazy(async () => ({ default: (await load.agents()).AgentsPage }));
const HandoverPage = lazy(async () => ({ default: (await load.handover()).HandoverPage }));
const ImportPage = lazy(async () => ({ default: (await load.import()).ImportPage }));
const SettingsPage = lazy(async () => ({ default: (await load.settings()).SettingsPage }));

/** Fetches the other pages while nothing else is to do: going to one takes no time then, nor a daemon that answers. */
export function loadPagesAhead(): void {
  const fetchAll = (): void => {
    // One that cannot be had now is asked for again when it is opened, and says so then.
    for (const loadPage of Object.values(load)) loadPage().catch(() => undefined);
  };
  if ("requestIdleCallback" in window) requestIdleCallback(fetchAll, { timeout: 5000 });
  else setTimeout(fetchAll, 2000);
}

/** The page of a view, with the parameters of its URL. */
export function pageOf(match: RouteMatch): ReactElement {
  switch (match.name) {
    case "home":
      return <HomePage />;
    case "compose":
      return <ComposePage preset={match.params.preset} />;
    case "sessions":
      return <InspectPage session={match.params.id} call={undefined} />;
    case "call":
      return <InspectPage session={match.params.id} call={match.params.n} />;
    case "compare":
      return <ComparePage />;
    case "chats":
      return <ChatsPage chat={match.params.key} />;
    case "agents":
      return <AgentsPage agent={match.params.name} />;
    case "boxes":
      return <HandoverPage box={match.params.id} />;
    case "import":
      return <ImportPage />;
    case "settings":
      return <SettingsPage />;
  }
}
