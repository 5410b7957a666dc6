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
import type { ToolResultPart } from "@galley/engine/messages";
import type { LanguageModel } from "ai";
import type { Tool } from "../../tools/tool.ts";
import type { ModelOptions } from "../../api/model-options.ts";
import type { ContextSettings } from "../../config/settings-in-force.ts";
import type { RunEvent, RunResult } from "../../api/run-event.ts";

/** A model of the AI SDK, such as `openai("gpt-6.1-sol")`. It exists in this process only [T9]. */
export type ModelObject = Exclude<LanguageModel, string>;

/** Where a turn takes its history from, and where it leaves what was said. Exactly one is named. */
export interface TurnPlace {
  /** A chat with working contexts. */
  readonly chat?: string;
  /** An agent of the configuration: its system text and tools, and a chat of its own [A6]. */
  readonly agent?: string;
  /** A plain session: one log, no working contexts. */
  readonly session?: string;
}

/** What is said, where, and with which model, preset and budget. */
export interface TurnRequest extends TurnPlace {
  /** `demo`, a model of the catalogue, `provider/model`, or a model of the AI SDK; the configuration's default if absent. */
  readonly model?: string | ModelObject;
  readonly input: string | UserMessage;
  /** A preset of the library by its id, or one in full; the chat's own, then the library's `default`, if absent. */
  readonly preset?: string | Preset;
  /** Context settings of this turn, which win over all others [T3]. */
  readonly context?: ContextSettings;
  /** Short for `context.maxInputTokens`. */
  readonly budget?: number;
  /** Short for `context.systemPrompt`. */
  readonly system?: string;
  /** Short for `context.variables`. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Milliseconds since 1970: the time that the build is told; now if absent. */
  readonly now?: number;
  /** Tools of this turn alone, beside those of its place; `defineTool` makes one. */
  readonly tools?: readonly Tool[];
  /** Settings of the model's own, such as its temperature. */
  readonly modelOptions?: ModelOptions;
  /** How far the turn may go. */
  readonly limits?: RunLimits;
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

/** One call of a model in a turn, built and recorded. */
export interface TurnCall extends TurnBuilt {
  /** The session of which the build is recorded as the `n`th; its page in Studio is /sessions/:id/calls/:n. */
  readonly session: string;
  readonly n: number;
  /** "Call 2 of turn 5" [V1]. */
  readonly turn: number;
  readonly callOfTurn: number;
}

/** What a provider counted for a call; the AI SDK's `usage` can be given as it is. */
export interface TurnUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cachedInputTokens?: number | undefined;
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number | undefined } | undefined;
}

/** A call of a tool as the model made it. */
export interface TurnToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** What came of a turn. */
export interface TurnOutcome {
  readonly assistant: string | AssistantMessage;
  /** All calls and results before the reply; those that were given to `next` if absent. */
  readonly steps?: readonly ModelMessage[];
  /** Of the last call. */
  readonly usage?: TurnUsage;
  /** What to do when the place has got a message or a switch since the turn was opened; an error if absent [T6]. */
  readonly onConflict?: "fail" | "append";
}

/** A turn that the caller finishes: the messages go to any SDK, the reply comes back by `commit` [T7]. */
export interface GalleyTurn extends TurnCall {
  readonly id: string;
  /** As they were given, for the caller's own request. */
  readonly modelOptions?: ModelOptions;
  /** Builds the next call of this turn from all steps so far; `usage` is of the call before it. */
  next(steps: readonly ModelMessage[], options?: { readonly usage?: TurnUsage | undefined }): Promise<TurnCall>;
  /** Runs one of the tools in `tools`, with the same effect as in a run. The same call again gives the same result. */
  call(call: TurnToolCall): Promise<ToolResultPart>;
  /** Builds the call again, smaller, after a provider has called it too long; `message` is what the provider said. */
  overflow(options?: { readonly message?: string }): Promise<TurnCall>;
  /**
   * Keeps what was said: transcript, active context and session. A place that has moved on is a `SessionConflict`, and the turn
   * stays open. The same commit again changes nothing.
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
  commit(outcome: TurnOutcome): Promise<void>;
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
