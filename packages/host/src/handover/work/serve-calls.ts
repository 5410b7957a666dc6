import { GalleyError, type ModelMessage } from "@galley/engine";
import type { ToolCallPart, ToolResultOutput } from "@galley/engine/messages";
import type { HandoverTool } from "../plan/handover-tools.ts";
import type { TaskAttempt } from "./task-attempt.ts";

/** A run whose calls have been served, or nothing when one of them has parked the task. */
export type Served = TaskAttempt | undefined;

/**
 * Serves the calls of a task that have no result yet, in order, and records each result. A fork that is still open parks the
 * task; when it is run again the same call finds the same fork, with its results.
 */
export async function serveCalls(run: TaskAttempt, tools: readonly HandoverTool[]): Promise<Served> {
  let current = run;
  for (const call of run.openCalls) {
    current.signal.throwIfAborted();
    const output = await serveCall(call, tools, current);
    if (!output) return undefined;
    current = await current.record([resultMessage(call, output)]);
  }
  return current;
}

async function serveCall(
  { toolName, toolCallId, input }: ToolCallPart,
  tools: readonly HandoverTool[],
  { caller }: TaskAttempt,
): Promise<ToolResultOutput | undefined> {
  const tool = tools.find(({ name }) => name === toolName);
  if (!tool) return { type: "error-text", value: `There is no tool ${JSON.stringify(toolName)}.` };
  try {
    const value = await tool.execute(input, { ...caller, callId: toolCallId });
    if (value["suspended"] === true) return undefined;
    return { type: "json", value };
  } catch (error) {
    // What the model got wrong is for the model to mend; all else is for the worker.
    if (!(error instanceof GalleyError) || error.retryable || error.code === "TaskLost") throw error;
    return { type: "error-json", value: JSON.parse(JSON.stringify(error)) };
  }
}

function resultMessage({ toolCallId, toolName }: ToolCallPart, output: ToolResultOutput): ModelMessage {
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
}
