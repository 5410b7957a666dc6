import type { Models } from "../../models/models.ts";
import type { TimeLimits } from "../../config/limits-schema.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { GalleyChats, GalleyHandover } from "./galley-ports.ts";
import type { CanvasStore } from "../../inject/canvas/canvas-store.ts";
import type { HookEventBus } from "../../inject/session/hook-event-bus.ts";
import type { Tool } from "../../tools/tool.ts";
import type { GalleyEmitter } from "./galley-events.ts";
import type { PresetLibrary } from "../../presets/preset-library.ts";
import type { CalibrationFile } from "../../models/calibration-file.ts";
import type { SessionLogs } from "./session-logs.ts";

/** What writes the summaries of what no longer fits: the engine without a model, the model of the turn, or nothing. */
export type Summaries = "extractive" | "model" | "none";

/** What the loop itself works with: a worker has no more than this. */
export type LoopServices = Pick<
  Services,
  "project" | "store" | "redactor" | "events" | "calibration" | "summaries" | "limits" | "now"
>;

/** What every part of a turn works with. */
export interface Services {
  readonly data: string;
  readonly project: string;
  readonly store: Store;
  readonly models: Models;
  readonly config: LoadedConfig | undefined;
  /** How long things may take. */
  readonly limits: TimeLimits;
  readonly redactor: Redactor;
  readonly presets: PresetLibrary;
  readonly chats: GalleyChats;
  readonly sessions: SessionLogs;
  readonly handover: GalleyHandover;
  readonly events: GalleyEmitter;
  readonly calibration: CalibrationFile;
  /** Brought along by the program that opened Galley. */
  readonly tools: readonly Tool[];
  readonly canvases: CanvasStore;
  readonly hooks: HookEventBus;
  readonly summaries: Summaries;
  readonly now: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
