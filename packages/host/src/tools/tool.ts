import type { JsonObject, JsonValue, ModelMessage } from "@galley/engine";
import type * as z from "zod";

/** Minimum archetype allowed to use a tool. */
export type ToolScope = "all" | "service" | "employee";

/** What a tool gave: data, text, pictures and files, as a model reads a tool's result. */
export type ToolContent =
  | { readonly type: "json"; readonly value: JsonValue }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly data: string; readonly mediaType: string; readonly filename?: string };

/** How a call of a tool ended. What it threw is an error that the model reads. */
export type ToolOutcome =
  | { readonly kind: "result"; readonly content: readonly ToolContent[] }
  /** The call waits for work that was handed over: it is made again, with the same id, when that is done [T1]. */
  | { readonly kind: "parked" };

/** In whose name the tools of a place are called: the same for every face [T2]. Nothing of it comes from the arguments. */
export interface ToolCaller {
  /** Whose tasks and boxes are whose [A4]: `chat:KEY`, `session:ID`, `mcp:CLIENT`, `agent:NAME`, the id of an agent with a task, or `person`. */
  readonly caller: string;
  /** The place whose tools these are. */
  readonly place: { readonly kind: "chat" | "session" | "agent" | "task"; readonly name: string };
  /** The message or entry by which the place finds the turn again that makes the call [A1]. */
  readonly anchor?: string | undefined;
  /** The model that calls; what it starts uses it too. */
  readonly model?: string | undefined;
  /** What was said in the place, where Galley knows it. */
  readonly history?: (() => PlaceHistory | Promise<PlaceHistory>) | undefined;
}

/** What was said in a place, for an agent that is to know it [A3]. */
export interface PlaceHistory {
  /** Oldest first; the calls that are being served are not among them. */
  readonly messages: readonly ModelMessage[];
  /** How many tokens a call of the place may be sent, for where nothing is known of the agent that is given them. */
  readonly inputTokens: number;
  readonly countTokens: (message: ModelMessage) => number;
  /** Where it was said; the caller's own place if absent. */
  readonly place?: string;
}

/** Who calls, where, and for how long. */
export interface ToolContext extends ToolCaller {
  /** The run or the held task in which it is called, where there is one. */
  readonly runId?: string;
  /** Unique within the run, and the same when the call is made again. */
  readonly callId: string;
  readonly signal: AbortSignal;
}

/** A tool, wherever it comes from and wherever it is served [T2]. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** A zod schema or a JSON Schema; arguments that it refuses never reach `execute`. */
  readonly inputSchema: z.ZodType | JsonObject;
  readonly outputSchema?: z.ZodType | JsonObject;
  /** What else a model should know in order to use it well (the seed's `context`). */
  readonly usage?: string;
  readonly scope?: ToolScope;
  /** A second call with the same id does no harm: one that was cut short is made again. */
  readonly isRepeatable?: boolean;
  /** It waits for what it has started, which has limits of its own: the time of the turn stands still meanwhile [T1]. */
  readonly isWaiting?: boolean;
  readonly annotations?: JsonObject;
  /** Its name as a JSON-RPC method; the tool's own name if absent. */
  readonly rpcMethod?: string;
  /** Without it, the tool cannot be run and is not offered. */
  readonly execute?: (input: unknown, context: ToolContext) => Promise<ToolOutcome>;
}
