import type { UserMessage } from "@galley/engine";
import type { TimeLimits } from "../config/limits-schema.ts";
import type { AgentDeclaration, GalleyConfig, LoadedConfig } from "../config/load-config.ts";
import type { CanvasStore } from "../inject/canvas/canvas-store.ts";
import type { HookEventBus } from "../inject/session/hook-event-bus.ts";
import type { SessionContextInjector } from "../inject/session-context-injector.ts";
import type { Models } from "../models/models.ts";
import type { PresetLibrary } from "../presets/preset-library.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Store } from "../store/ports/ports.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { GalleyEvents } from "../turn/services/galley-events.ts";
import type { Summaries } from "../turn/services/services.ts";
import type { PlaceTools } from "../turn/tools/tools-for.ts";
import type { GalleyChats, GalleyHandover } from "../turn/services/galley-ports.ts";
import type {
  RegenerateOptions,
  GalleyRun,
  GalleyRuns,
  GalleyTurn,
  RunRequest,
  TurnPlace,
  TurnRequest,
} from "../turn/services/turn-types.ts";

/** One data folder, opened: everything that a turn needs, and turns. */
export interface Galley {
  /** The data folder, as an absolute path. */
  readonly data: string;
  readonly project: string;
  readonly config: LoadedConfig | undefined;
  /** How long things may take. */
  readonly limits: TimeLimits;
  readonly store: Store;
  readonly models: Models;
  /** Knows every secret; what is written anywhere goes through it [P6]. */
  readonly redactor: Redactor;
  /**
   * The library of presets; every save is kept as a version.
   *
   * @example
   * ```ts
   * import { openGalley } from "galley";
   *
   * const galley = await openGalley();
   * const preset = { version: 1, presetMessages: [{ role: "system", content: "Be brief." }] } as const;
   * await galley.presets.save("brief", { preset, expectedVersion: 0 });
   * await galley.run({ chat: "demo", preset: "brief", model: "demo", input: "Hello" }).result;
   * await galley.close();
   * ```
   */
  readonly presets: PresetLibrary;
  /**
   * The chats, each with its working contexts.
   *
   * @example
   * ```ts
   * import { openGalley } from "galley";
   *
   * const galley = await openGalley();
   * const chat = await galley.chats.open("trip");
   * await chat.append([{ role: "user", content: "Plan a trip to Kyoto." }]);
   * await chat.newContext({ title: "Kyoto" });
   * await chat.loadContext({ query: "kyoto" });
   * await galley.close();
   * ```
   */
  readonly chats: GalleyChats;
  readonly handover: GalleyHandover;
  readonly runs: GalleyRuns;
  readonly events: GalleyEvents;
  /** What happens to the sessions, tools and canvases of agents. */
  readonly hooks: HookEventBus;
  readonly canvases: CanvasStore;
  /** The tools of a place, as the loop, MCP, JSON-RPC, the command and previews serve them [T2]. */
  toolsFor(place: ToolContext["place"]): Promise<PlaceTools>;
  /** What the sessions of a declared agent get, its tools included; `redactor` learns the secrets of its environment. */
  injectorFor(agent: AgentDeclaration, redactor?: Redactor): SessionContextInjector;
  /**
   * Builds what a model would read, for programs that call it themselves.
   *
   * @example
   * ```ts
   * import { openGalley } from "galley";
   *
   * const galley = await openGalley();
   * const turn = await galley.turn({ chat: "demo", model: "gpt-6.1-sol", input: "Where were we?" });
   * for (const { role } of turn.messages) console.log(role);
   * await turn.abort();
   * await galley.close();
   * ```
   */
  turn(request: TurnRequest): Promise<GalleyTurn>;
  /**
   * Builds, calls the model, serves its tools, until there is a reply. Begins at once; one at a time in a place.
   *
   * @example
   * ```ts
   * import { openGalley } from "galley";
   *
   * const galley = await openGalley();
   * const run = galley.run({ chat: "demo", model: "demo", input: "Hello" });
   * for await (const event of run) if (event.type === "text") process.stdout.write(event.delta);
   * await galley.close();
   * ```
   */
  run(request: RunRequest): GalleyRun;
  /** Regenerates the reply to the last message of the user [M6]. A text is the key of a chat. */
  regenerate(place: string | TurnPlace, options?: RegenerateOptions): GalleyRun;
  /** Edits a message of the user and answers it [M6]; `messageId` is that of a chat's message or of an entry. */
  edit(
    place: string | TurnPlace,
    messageId: string,
    input: string | UserMessage,
    options?: RegenerateOptions,
  ): GalleyRun;
  /**
   * Resumes the runs of processes that have ended. Other processes know that only when the lease of a run is over,
   * after some seconds; the one `isOwner` of the data folder knows it at once.
   */
  resume(options?: { readonly isOwner?: boolean }): Promise<readonly GalleyRun[]>;
  /** Hands running runs back, so that they can be resumed, and closes everything. */
  close(): Promise<void>;
}

/** How a data folder is opened; everything has a default. */
export interface OpenGalleyOptions {
  /** The data folder; `.ship` if absent. */
  readonly data?: string;
  /** The URL of a PostgreSQL database instead of the embedded store; chats stay in the data folder. */
  readonly postgres?: string;
  /** A galley.config or its folder, a configuration, or `false` for none; looked for from here upwards if absent. */
  readonly config?: string | GalleyConfig | false;
  /** `default` if absent. */
  readonly project?: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Where keys are looked for; `process.env` if absent. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly fetch?: typeof globalThis.fetch;
  /** Tools that every place gets; `defineTool` makes one. */
  readonly tools?: readonly Tool[];
  /** Writes summaries of what no longer fits. */
  readonly summaries?: Summaries;
  /** The model that runs tasks whose caller used none; the configuration's default if absent. */
  readonly workerModel?: string;
}
