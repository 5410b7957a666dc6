import {
  type LucideIcon,
  Columns2,
  Download,
  FileSearch,
  House,
  Layers,
  MessagesSquare,
  ScrollText,
  Settings,
  Share2,
  SquareTerminal,
} from "lucide-react";
import { type RouteName, pathTo } from "./routes.ts";

type PageName = Exclude<RouteName, "sessions" | "call" | "lost" | "boxes"> | "inspect" | "handover";

export interface PageEntry {
  /** Also the key of its name in `i18n/frame.ts`. */
  readonly name: PageName;
  readonly href: string;
  /** The routes that show this page. */
  readonly routes: readonly RouteName[];
  readonly icon: LucideIcon;
}

/** The pages as the navigation lists them. */
export const pageList: readonly PageEntry[] = [
  { name: "home", href: pathTo("home", {}), routes: ["home"], icon: House },
  { name: "compose", href: pathTo("compose", {}), routes: ["compose"], icon: Layers },
  { name: "chats", href: pathTo("chats", {}), routes: ["chats"], icon: MessagesSquare },
  { name: "inspect", href: pathTo("sessions", {}), routes: ["sessions", "call", "lost"], icon: FileSearch },
  { name: "compare", href: pathTo("compare", {}), routes: ["compare"], icon: Columns2 },
  { name: "agents", href: pathTo("agents", {}), routes: ["agents"], icon: SquareTerminal },
  { name: "handover", href: pathTo("boxes", {}), routes: ["boxes"], icon: Share2 },
  { name: "logs", href: pathTo("logs", {}), routes: ["logs"], icon: ScrollText },
  { name: "import", href: pathTo("import", {}), routes: ["import"], icon: Download },
  { name: "settings", href: pathTo("settings", {}), routes: ["settings"], icon: Settings },
];
