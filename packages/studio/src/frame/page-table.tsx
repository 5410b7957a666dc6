import { type ReactElement, lazy } from "react";
import type { RouteMatch } from "./routes.ts";

/** Every page is a chunk of its own, so that the first one is there soon. */
const HomePage = lazy(() => import("../pages/home/home-page.tsx").then((m) => ({ default: m.HomePage })));
const ComposePage = lazy(() => import("../pages/compose/compose-page.tsx").then((m) => ({ default: m.ComposePage })));
const InspectPage = lazy(() => import("../pages/inspect/inspect-page.tsx").then((m) => ({ default: m.InspectPage })));
const ComparePage = lazy(() => import("../pages/compare/compare-page.tsx").then((m) => ({ default: m.ComparePage })));
const ChatsPage = lazy(() => import("../pages/chats/chats-page.tsx").then((m) => ({ default: m.ChatsPage })));
const AgentsPage = lazy(() => import("../pages/agents/agents-page.tsx").then((m) => ({ default: m.AgentsPage })));
const HandoverPage = lazy(() =>
  import("../pages/handover/handover-page.tsx").then((m) => ({ default: m.HandoverPage })),
);
const ImportPage = lazy(() => import("../pages/import/import-page.tsx").then((m) => ({ default: m.ImportPage })));
const SettingsPage = lazy(() =>
  import("../pages/settings/settings-page.tsx").then((m) => ({ default: m.SettingsPage })),
);

/** The page of a view, with the parameters of its URL. */
export function pageOf(match: RouteMatch): ReactElement {
  switch (match.name) {
    case "home":
      return <HomePage />;
    case "compose":
      return <ComposePage preset={match.params.preset} />;
    case "sessions":
      return <InspectPage session={match.params.id} turn={undefined} />;
    case "turn":
      return <InspectPage session={match.params.id} turn={match.params.n} />;
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
