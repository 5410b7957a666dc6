import type { JsonValue } from "@galley/engine";
import type { Caller } from "../../handover/options/caller.ts";
import type { Handover } from "../../handover/options/handover-options.ts";
import { forkInTask } from "../../handover/plan/fork-join.ts";
import { type HandoverTool, specsOf } from "../../handover/plan/handover-tools.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { ToolOutcome } from "../../tools/tool.ts";
import { type LoopTool, jsonOutcome } from "./loop-tool.ts";

/** The tools of handover as a running task has them: its agent asks, and a fork parks the task until all have ended [H7]. */
export function taskTools(tools: readonly HandoverTool[], task: Task, handover: Handover): readonly LoopTool[] {
  const { projectId, id: taskId, agentId, attempt, details } = task;
  const hold = { projectId, taskId, attempt };
  const { model } = details;
  const given = typeof model === "string" ? { model } : {};
  const specs = specsOf(tools);
  return tools.flatMap((tool, index): LoopTool[] => {
    const spec = specs[index];
    if (!spec) return [];
    const execute: LoopTool["execute"] = async ({ callId, input, signal }) => {
      const caller = { projectId, id: agentId, hold, callId, signal, ...given } satisfies Caller;
      if (tool.name !== "fork_join") return jsonOutcome(await tool.execute(input, caller));
      return forkOutcome(await forkInTask(input, caller, handover));
    };
    return [{ spec, isRepeatable: true, execute }];
  });
}

function forkOutcome(fork: JsonValue | undefined): ToolOutcome {
  return fork === undefined ? { kind: "parked" } : jsonOutcome(fork);
}
