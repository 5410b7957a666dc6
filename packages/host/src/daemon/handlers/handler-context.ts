import type { Galley } from "../../galley/galley.ts";
import type { BrowserSessions } from "../http/browser-sessions.ts";
import type { DaemonAgents } from "../agents/daemon-agents.ts";
import type { DaemonEvents } from "../events/daemon-events.ts";
import type { OpenTurns } from "./open-turns.ts";

/** What the handlers of the routes work with. */
export interface HandlerContext {
  readonly galley: Galley;
  readonly events: DaemonEvents;
  readonly browsers: BrowserSessions;
  readonly agents: DaemonAgents;
  readonly openTurns: OpenTurns;
  readonly startedAt: number;
  readonly version: string;
}
