import type { AssistantMessage, BuildStats, GalleyError, JsonValue, Problem } from "@galley/engine";

/** What happens in a run, as it happens. */
export type RunEvent =
  | { readonly type: "run:started"; readonly runId: string; readonly session: string; readonly model: string }
  | {
      readonly type: "build";
      readonly session: string;
      readonly n: number;
      /** "Call 2 of turn 5" [V1]. */
      readonly turn: number;
      readonly callOfTurn: number;
      readonly digest: string;
      readonly stats: BuildStats;
      /** What is missing or odd in what is sent, such as an MCP server that gives no tools; absent if there is nothing. */
      readonly problems?: readonly Problem[];
    }
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "tool:call"; readonly id: string; readonly name: string; readonly input: JsonValue }
  | {
      readonly type: "tool:result";
      readonly id: string;
      readonly name: string;
      readonly output: JsonValue;
      readonly isError: boolean;
    }
  /** The model has switched the working context; what follows belongs to the new one [W11]. */
  | { readonly type: "context:switched"; readonly tool: string }
  /** A provider said that the context was too long; it was built again, smaller, once. */
  | { readonly type: "overflow:recovered"; readonly reason: string }
  | { readonly type: "run:finished"; readonly runId: string; readonly result: RunResult }
  | { readonly type: "run:aborted"; readonly runId: string; readonly reason: string }
  | { readonly type: "run:failed"; readonly runId: string; readonly error: ReturnType<GalleyError["toJSON"]> };

/** What a run has come to. */
export interface RunResult {
  readonly runId: string;
  readonly session: string;
  /** Which records of the session were made: one for each call of the model. */
  readonly calls: readonly number[];
  readonly reply: AssistantMessage;
  readonly text: string;
  /** The digest of the last build. */
  readonly digest: string;
  readonly finish: "stop" | "length" | "limit" | "content-filter" | "other";
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedInputTokens: number };
}
