import type {
  AssistantMessage,
  BuildStats,
  LedgerRow,
  ModelMessage,
  Preset,
  Problem,
  ToolSpec,
  UserMessage,
} from "@galley/engine";
import type { RunEvent, RunResult } from "../../api/run-event.ts";

/** Where a turn takes its history from, and where it leaves what was said. Exactly one is named. */
export interface TurnPlace {
  /** A chat with working contexts. */
  readonly chat?: string;
  /** An agent of the configuration: its system text and tools, and a session of its own. */
  readonly agent?: string;
  /** A plain session: one log, no working contexts. */
  readonly session?: string;
}

/** What is said, where, and with which model, preset and budget. */
export interface TurnRequest extends TurnPlace {
  /** `demo`, a model of the catalogue, or `provider/model`; the configuration's default if absent. */
  readonly model?: string;
  readonly input: string | UserMessage;
  /** A preset of the library by its id, or one in full; the chat's own, then the library's `default`, if absent. */
  readonly preset?: string | Preset;
  /** Maximum input tokens; what the model's window leaves beside its reply, if absent. */
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
  /** The session of which the build is recorded as the `n`th; its page in Studio is /sessions/:id/calls/:n. */
  readonly session: string;
  readonly n: number;
  /**
   * Keeps what was said: transcript, active context and session. `steps` are calls and results before the reply.
   *
   * @example
   * ```ts
   * import { openGalley } from "galley";
   *
   * const galley = await openGalley();
   * const turn = await galley.turn({ chat: "demo", model: "gpt-6.1-sol", input: "Where were we?" });
   * await turn.commit({ assistant: "At the harbour." });
   * await galley.close();
   * ```
   */
  commit(outcome: {
    readonly assistant: string | AssistantMessage;
    readonly steps?: readonly ModelMessage[];
  }): Promise<void>;
  /** Ends the turn without a reply [W11]: the user's message stays in the transcript only. */
  abort(): Promise<void>;
}

/** How far a run may go. */
export interface RunLimits {
  /** Calls of the model; 25 if absent. */
  readonly maxCalls?: number;
  /** Calls of tools in one reply of the model; 20 if absent. */
  readonly maxToolCallsPerReply?: number;
  /** Milliseconds; ten minutes if absent. */
  readonly maxMilliseconds?: number;
}

/** A turn that Galley runs to its end. */
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

/** What a request to regenerate or edit may say besides. */
export type RegenerateOptions = Omit<RunRequest, "chat" | "agent" | "session" | "input">;

/** The runs of this process; `store.runs` knows all that ever were. */
export interface GalleyRuns {
  /** A run that is under way, or that ended a short while ago. */
  find(runId: string): GalleyRun | undefined;
  /** Those that are under way. */
  running(): readonly GalleyRun[];
}
