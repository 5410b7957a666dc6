import type {
  AssistantMessage,
  BuildStats,
  JsonObject,
  LedgerRow,
  ModelMessage,
  Preset,
  Problem,
  ToolSpec,
  UserMessage,
} from "@galley/engine";
import type * as z from "zod";
import type { RunEvent, RunResult } from "../api/run-event.ts";
import type { Chat } from "../chat/chat.ts";
import type { Delegated } from "../handover/plan/delegate.ts";
import type { Caller } from "../handover/caller.ts";
import type { HandoverOptions } from "../handover/options/handover-options.ts";
import type { HandoverTool } from "../handover/plan/handover-tools.ts";
import type { GalleyConfig, LoadedConfig } from "../config/load-config.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Store } from "../store/ports/ports.ts";
import type { Turn } from "../store/ports/turn-store.ts";
import type { Models } from "../models/models.ts";
import type { PresetLibrary } from "../presets/preset-library.ts";

/** Where a turn takes its history from, and where it leaves what was said. Exactly one is named. */
export interface TurnPlace {
  /** A chat with working contexts. */
  readonly chat?: string;
  /** An agent of the configuration: its system text and tools, and a session of its own. */
  readonly agent?: string;
  /** A plain session: one log, no working contexts. */
  readonly session?: string;
}

export interface TurnRequest extends TurnPlace {
  /** `demo`, a model of the catalogue, or `provider/model`; the configuration's default if absent. */
  readonly model?: string;
  readonly input: string | UserMessage;
  /** A preset of the library by its id, or one in full; the chat's own, then the library's `default`, if absent. */
  readonly preset?: string | Preset;
  /** At most so many tokens are sent; what the model's window leaves beside its reply, if absent. */
  readonly budget?: number;
  readonly variables?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970: the time that the build is told; now if absent. */
  readonly now?: number;
}

/** What one call of a model reads, before it is called. */
export interface TurnBuilt {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  readonly ledger: readonly LedgerRow[];
  readonly digest: string;
  readonly stats: BuildStats;
  readonly stablePrefix: number;
  readonly recipe?: { readonly id: string; readonly pattern: string; readonly rule: string };
  readonly problems: readonly Problem[];
}

/** A turn that the caller finishes: the messages go to any SDK, the reply comes back by `commit`. */
export interface GalleyTurn extends TurnBuilt {
  /** The session of which the build is recorded as the `n`th; its page in Studio is /sessions/:id/turns/:n. */
  readonly session: string;
  readonly n: number;
  /** Keeps what was said: transcript, active context and session. `steps` are calls and results before the reply. */
  commit(outcome: {
    readonly assistant: string | AssistantMessage;
    readonly steps?: readonly ModelMessage[];
  }): Promise<void>;
  /** Ends the turn without a reply [W11]: the user's message stays in the transcript only. */
  abort(): Promise<void>;
}

export interface RunLimits {
  /** Calls of the model; 25 if absent. */
  readonly iterations?: number;
  /** Calls of tools in one reply of the model; 20 if absent. */
  readonly callsPerStep?: number;
  /** Milliseconds; ten minutes if absent. */
  readonly timeMs?: number;
}

export interface RunRequest extends TurnRequest {
  readonly limits?: RunLimits;
  readonly signal?: AbortSignal;
  /** Chosen by the caller, so that a request that is sent twice runs once; made up if absent. */
  readonly runId?: string;
}

/** A run under way: events as they come, and its end. */
export interface GalleyRun extends AsyncIterable<RunEvent> {
  readonly runId: string;
  /** Rejects with a GalleyError when the run failed or was aborted. */
  readonly result: Promise<RunResult>;
  /** Stops the model and the tools; the user's message stays in the transcript. */
  abort(reason?: string): void;
}

/** What a run that answers an earlier message anew may say. */
export type AgainRequest = Omit<RunRequest, "chat" | "agent" | "session" | "input">;

/** A tool that whoever opens Galley brings along; every turn is told of it. */
export interface GalleyTool {
  readonly name: string;
  readonly description: string;
  /** A zod schema, which checks the arguments, or a JSON Schema, which only describes them. */
  readonly inputSchema: z.ZodType | JsonObject;
  /** Says that a second call with the same arguments does no harm: a run that was cut short may make it again. */
  readonly isRepeatable?: boolean;
  /** Gives what can be written as JSON. */
  execute(input: unknown, call: ToolCallContext): unknown;
}

/** Where a tool is called from. */
export interface ToolCallContext extends TurnPlace {
  readonly runId: string;
  /** The same when the call is made again after a crash. */
  readonly callId: string;
  readonly signal: AbortSignal;
}

/** What a chat uses unless a turn says otherwise. */
export interface ChatSettings {
  readonly model?: string;
  readonly preset?: string;
}

export interface ChatItem {
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** How many contexts were put away. */
  readonly contexts: number;
  /** The beginning of what was said last. */
  readonly preview: string;
}

/** The chats of a data folder. */
export interface GalleyChats {
  /** A handle that stays open until Galley is closed: ask for it as often as you like, and do not close it. */
  open(key: string): Promise<Chat>;
  /** The one that was used last first. */
  list(): Promise<{ readonly chats: readonly ChatItem[]; readonly problems: readonly Problem[] }>;
  settings(key: string): Promise<ChatSettings>;
  /** Sets what is given; `null` takes a setting away. */
  configure(key: string, settings: { readonly [Name in keyof ChatSettings]?: string | null }): Promise<void>;
  /** Deletes a chat for good; its key is asked for again. */
  delete(key: string, confirmation: string): Promise<void>;
}

/** Handing work to others: what chats use, and what a person uses who delegates directly. */
export interface GalleyHandover {
  readonly options: HandoverOptions;
  readonly tools: readonly HandoverTool[];
  /** A person, who may use every box of the project. */
  readonly person: Caller;
  /** Says under a name who an agent is; gives the id of its box. A name that is taken gets the new text. */
  saveProfile(name: string, text: string): Promise<string>;
  /** Gives a task to a profile; the embedded worker runs it. */
  delegate(task: {
    readonly profile: string;
    readonly instruction: string;
    readonly boxes?: readonly string[];
  }): Promise<Delegated>;
  /** Waits until a turn that was delegated has ended, whoever runs it; `result` is its answer, `error` why there is none. */
  waitFor(turnId: string, options?: { readonly signal?: AbortSignal }): Promise<Turn>;
  /** Starts the embedded worker, which otherwise starts with the first delegation. */
  start(): Promise<void>;
}

/** The kinds of `daemonEvent` in api/events.ts that come from here. */
export type GalleyEventType =
  | "preset:saved"
  | "preset:deleted"
  | "chat:changed"
  | "run:started"
  | "run:ended"
  | "turn:recorded"
  | "delegation:changed";

/** What has changed, and which one; never what is in it. */
export interface GalleyEvent {
  readonly type: GalleyEventType;
  /** A preset's id, a chat's key, a run's id, a session's id, a turn's id. */
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface GalleyEvents {
  /** Gives the function that ends it. A listener that throws harms nobody. */
  on(listener: (event: GalleyEvent) => void): () => void;
}

/** The runs of this process; `store.runs` knows all that ever were. */
export interface GalleyRuns {
  /** A run that is under way, or that ended a short while ago. */
  find(runId: string): GalleyRun | undefined;
  /** Those that are under way. */
  running(): readonly GalleyRun[];
}

/** One data folder, opened: everything that a turn needs, and turns. */
export interface Galley {
  /** The data folder, as an absolute path. */
  readonly data: string;
  readonly project: string;
  readonly config: LoadedConfig | undefined;
  readonly store: Store;
  readonly models: Models;
  /** Knows every secret; what is written anywhere goes through it [P6]. */
  readonly redactor: Redactor;
  readonly presets: PresetLibrary;
  readonly chats: GalleyChats;
  readonly handover: GalleyHandover;
  readonly runs: GalleyRuns;
  readonly events: GalleyEvents;
  /** Builds what a model would read, for those who call it themselves. */
  turn(request: TurnRequest): Promise<GalleyTurn>;
  /** Builds, calls the model, serves its tools, until there is a reply. Begins at once; one at a time in a place. */
  run(request: RunRequest): GalleyRun;
  /** Answers the last message of the user anew [M6]. A text is the key of a chat. */
  regenerate(place: string | TurnPlace, options?: AgainRequest): GalleyRun;
  /** Says a message of the user differently and answers it [M6]; `messageId` is that of a chat's message or of an entry. */
  edit(place: string | TurnPlace, messageId: string, input: string | UserMessage, options?: AgainRequest): GalleyRun;
  /**
   * Goes on with the runs of processes that are not there any more. Others know that only when the lease of a run is over,
   * after some seconds; the one `isOwner` of the data folder knows it at once.
   */
  resume(options?: { readonly isOwner?: boolean }): Promise<readonly GalleyRun[]>;
  /** Hands running runs back, so that they can be resumed, and closes everything. */
  close(): Promise<void>;
}

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
  readonly tools?: readonly GalleyTool[];
  /** Writes summaries of what no longer fits: the engine's own without a model, or the model of the turn. */
  readonly summaries?: "extractive" | "model" | "none";
  /** The model that runs delegated turns whose caller used none; the configuration's default if absent. */
  readonly workerModel?: string;
}
