import type { Problem, UserMessage } from "@galley/engine";
import type { GalleyAgents } from "../../config/agent-list.ts";
import type { Models } from "../../models/models.ts";
import type { ContextSettings } from "../../config/settings-in-force.ts";
import type { TimeLimits } from "../../config/time-limits.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { GalleyChats, GalleyHandover, GalleySessions } from "./galley-ports.ts";
import type { CanvasStore } from "../../inject/canvas/canvas-store.ts";
import type { HookEventBus } from "../../inject/session/hook-event-bus.ts";
import type { Tool } from "../../tools/tool.ts";
import type { GalleyEmitter } from "./galley-events.ts";
import type { PresetLibrary } from "../../presets/preset-library.ts";
import type { CalibrationFile } from "../../models/calibration-file.ts";
import type { SessionLogs } from "./session-logs.ts";
import type { AcpMcpServer } from "../../config/providers/acp-mcp-server.ts";

/** What the loop itself works with: a worker has no more than this. */
export type LoopServices = Pick<
  Services,
  "project" | "store" | "redactor" | "events" | "calibration" | "limits" | "now"
>;

/** What every part of a turn works with. */
export interface Services {
  readonly data: string;
  readonly project: string;
  readonly store: Store;
  readonly models: Models;
  readonly config: LoadedConfig | undefined;
  readonly agents: GalleyAgents;
  /** Context settings that the program that opened Galley gave, behind those of the configuration. */
  readonly context: ContextSettings | undefined;
  /** How long things may take. */
  readonly limits: TimeLimits;
  readonly redactor: Redactor;
  readonly presets: PresetLibrary;
  readonly chats: GalleyChats;
  readonly sessions: SessionLogs;
  /** Settings of sessions, and what people do with whole sessions. */
  readonly wholeSessions: GalleySessions;
  readonly handover: GalleyHandover;
  readonly events: GalleyEmitter;
  readonly calibration: CalibrationFile;
  /** Brought along by the program that opened Galley. */
  readonly tools: readonly Tool[];
  /** Connections to the MCP servers of agents. */
  readonly mcpServers: McpServers;
  readonly canvases: CanvasStore;
  readonly hooks: HookEventBus;
  /** What agents over ACP are asked at this moment, by their names. */
  readonly prompts: Map<string, OpenPrompt>;
  readonly now: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A prompt that an agent over ACP is at work on: a turn of its chat, known before it is written there. */
interface OpenPrompt {
  readonly message: UserMessage;
  readonly turnId: string;
  /** The id that the prompt will have in the chat, by which its calls are found again [A1]. */
  readonly anchor: string;
}

export interface ServerTools {
  readonly tools: readonly Tool[];
  readonly problems: readonly Problem[];
}

/** The MCP servers that providers name, connected for turns that Galley runs itself [T15]. */
export interface McpServers {
  /** The tools of a server. One that cannot be reached gives none, and says why. */
  tools(server: AcpMcpServer, folder: string): Promise<ServerTools>;
  close(): Promise<void>;
}
