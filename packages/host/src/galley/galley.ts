import type { RecallAnswer } from "@galley/engine";
import type { PlaceCompactions } from "../turn/tools/place-compactions.ts";
import type { PlacePins } from "../turn/tools/place-pins.ts";
import type { RecallQuestion } from "../turn/tools/recall-tool.ts";
import type { UserMessage } from "@galley/engine";
import type { GalleyAgents } from "../config/agent-list.ts";
import type { ContextSettings } from "../config/settings-in-force.ts";
import type { TimeLimits } from "../config/time-limits.ts";
import type { AgentDeclaration, GalleyConfig, LoadedConfig } from "../config/load-config.ts";
import type { CanvasStore } from "../inject/canvas/canvas-store.ts";
import type { HookEventBus } from "../inject/session/hook-event-bus.ts";
import type { AgentChat } from "../inject/session/agent-chat.ts";
import type { SessionContextInjector } from "../inject/session-context-injector.ts";
import type { GalleyLogs } from "../logs/galley-logs.ts";
import type { Models } from "../models/models.ts";
import type { PresetLibrary } from "../presets/preset-library.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Store } from "../store/ports/ports.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { GalleyEvents } from "../turn/services/galley-events.ts";
import type { SettingsAnswer, SettingsQuestion } from "../turn/call/preview-settings.ts";
import type { PlaceTools, ToolsForOptions } from "../turn/tools/tools-for.ts";
import type { GalleyChats, GalleyHandover, GalleySessions } from "../turn/services/galley-ports.ts";
import type { PreviewRequest, TurnPreview } from "../turn/run/preview-turn.ts";
import type {
  RegenerateOptions,
  GalleyRun,
  GalleyRuns,
  GalleyTurn,
  RunRequest,
  TurnPlace,
  TurnOutcome,
  TurnRequest,
} from "../turn/services/turn-types.ts";

/** One data folder, opened: everything that a turn needs, and turns. */
export interface Galley {
  /** The data folder, as an absolute path. */
  readonly data: string;
  readonly project: string;
  readonly config: LoadedConfig | undefined;
  /**
   * The agents: those of galley.config, and those that a person has added, which is done here too.
   *
   * @example
   * ```ts
   * import { openGalley } from "galley";
   *
   * const galley = await openGalley();
   * await galley.agents.save({ name: "mara", program: "claude-code", archetype: "repo" });
   * for (const { agent, from } of galley.agents.list()) console.log(agent.name, from);
   * await galley.agents.remove("mara");
   * await galley.close();
   * ```
   */
  readonly agents: GalleyAgents;
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
  /** Plain sessions: what was imported or recorded can be found, set and erased [V6]. */
  readonly sessions: GalleySessions;
  /**
   * Sessions of agents on this machine: found, imported and followed [L3]. Nothing is read before it is asked for.
   *
   * @example
   * ```ts
   * import { openGalley } from "galley";
   *
   * const galley = await openGalley();
   * const { logs } = await galley.logs.list();
   * const [newest] = logs;
   * if (newest) await galley.logs.open(newest.id);
   * await galley.close();
   * ```
   */
  readonly logs: GalleyLogs;
  readonly handover: GalleyHandover;
  readonly runs: GalleyRuns;
  readonly events: GalleyEvents;
  /** What happens to the sessions, tools and canvases of agents. */
  readonly hooks: HookEventBus;
  readonly canvases: CanvasStore;
  /** The tools of a place, as the loop, MCP, JSON-RPC, the command and previews serve them [T2]. */
  toolsFor(place: ToolContext["place"], options?: Pick<ToolsForOptions, "sharedChat">): Promise<PlaceTools>;
  /** What was said in a place or a task, as its model asks for what left its window with `context_recall` [R2]. */
  recall(place: TurnPlace | { readonly task: string }, request: RecallQuestion): Promise<RecallAnswer>;
  /** What is pinned in a place, and how that changes [R6]. */
  pins(place: TurnPlace): PlacePins;
  /** What was cut in a place, and how the newest cut is taken back [F15]. */
  compactions(place: TurnPlace): PlaceCompactions;
  /** The context settings that a turn would have, each with where its value came from [T3]. */
  settingsFor(request: SettingsQuestion): Promise<SettingsAnswer>;
  /** What the sessions of a declared agent get, its tools included; `redactor` learns the secrets of its environment. */
  injectorFor(agent: AgentDeclaration, redactor?: Redactor): SessionContextInjector;
  /** The chat that keeps what is said to an agent over ACP and what it answers [A6]. */
  agentChat(name: string): Promise<AgentChat>;
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
   * Whether a turn that is not open any more was committed with this outcome, within the last 24 hours, by any process of the
   * data folder [T7]. Another outcome is an `EditNotAllowed`.
   */
  isCommitted(turnId: string, outcome: TurnOutcome): Promise<boolean>;
  /** What the next call of a place would be made of, by the same account: calibration, budget, tools, settings. Keeps nothing. */
  preview(request: PreviewRequest): Promise<TurnPreview>;
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
  /** Context settings of every turn, behind those of the configuration [T3]. */
  readonly context?: ContextSettings;
  /** The model that runs tasks whose caller used none; the configuration's default if absent. */
  readonly workerModel?: string;
}
