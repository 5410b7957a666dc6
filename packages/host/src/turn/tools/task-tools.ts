import type { Caller } from "../../handover/options/caller.ts";
import type { Handover } from "../../handover/options/handover-options.ts";
import { forkInTask } from "../../handover/plan/fork-join.ts";
import type { HandoverTool } from "../../handover/plan/handover-tools.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { dataResult } from "../../tools/define-tool.ts";
import { specOf } from "../../tools/tool-specs.ts";
import type { LoopTool } from "./loop-tool.ts";

/** The tools of handover as a running task has them: its agent asks, and a fork parks the task until all have ended [H7]. */
export function taskTools(tools: readonly HandoverTool[], task: Task, handover: Handover): readonly LoopTool[] {
  const { projectId, id: taskId, agentId, attempt, details } = task;
  const hold = { projectId, taskId, attempt };
  const { model } = details;
  const given = typeof model === "string" ? { model } : {};
  return tools.map((tool): LoopTool => ({
    spec: specOf(tool),
    isRepeatable: true,
    async execute({ callId, input, signal }) {
      const caller = { projectId, id: agentId, hold, callId, signal, ...given } satisfies Caller;
      if (tool.name !== "fork_join") return dataResult(await tool.execute(input, caller));
      const fork = await forkInTask(input, caller, handover);
      return fork === undefined ? { kind: "parked" } : dataResult(fork);
    },
  }));
}
