import type { JsonValue, ToolSpec } from "@galley/engine";
import type { ToolOutcome } from "../../tools/tool.ts";

/** A call of a tool on its way to it. */
export interface LoopCall {
  readonly runId: string;
  /** Unique within the run, and the same when the call is made again. */
  readonly callId: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** A tool as the loop serves it, wherever it comes from. */
export interface LoopTool {
  readonly spec: ToolSpec;
  /** A second call with the same id does no harm: one that was cut short is made again. */
  readonly isRepeatable: boolean;
  /** It waits for what it has started, which has limits of its own: the time of the turn stands still meanwhile. */
  readonly isWaiting?: boolean;
  execute(call: LoopCall): Promise<ToolOutcome>;
}

/** Plain data as what a tool gave. */
export function jsonOutcome(value: JsonValue): ToolOutcome {
  return { kind: "result", content: [{ type: "json", value }] };
}

/** Whatever a tool gave, as JSON: what JSON does not have is left out. */
export function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}
