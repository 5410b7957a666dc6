import type { ToolSpec } from "@galley/engine";
import { runTool } from "../../tools/run-tool.ts";
import { specOf } from "../../tools/tool-specs.ts";
import type { Tool, ToolContext, ToolOutcome } from "../../tools/tool.ts";

/** A call of a tool on its way to it. */
interface LoopCall {
  readonly runId: string;
  /** Unique within the run, and the same when the call is made again. */
  readonly callId: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
}

/** A tool as the loop serves it in one place. */
export interface LoopTool {
  readonly spec: ToolSpec;
  readonly isRepeatable: boolean;
  readonly isWaiting?: boolean | undefined;
  execute(call: LoopCall): Promise<ToolOutcome>;
}

/** The tools of a place, called in its name. */
export function loopTools(
  tools: readonly Tool[],
  place: Pick<ToolContext, "caller" | "place" | "model">,
): readonly LoopTool[] {
  return tools.map((tool) => ({
    spec: specOf(tool),
    isRepeatable: tool.isRepeatable === true,
    isWaiting: tool.isWaiting,
    execute: ({ input, ...call }) => runTool(tool, input, { ...place, ...call }),
  }));
}
