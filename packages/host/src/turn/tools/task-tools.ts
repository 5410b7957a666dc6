import type { HandoverOptions } from "../../handover/options/handover-options.ts";
import { handoverTools } from "../../handover/plan/handover-tools.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { type LoopTool, loopTools } from "./loop-tool.ts";

/** The tools of handover as a running task has them: its agent asks, and a fork parks the task until all have ended [H7]. */
export function taskTools(options: HandoverOptions, task: Task): readonly LoopTool[] {
  const { projectId, id: taskId, agentId, attempt, details } = task;
  const hold = { projectId, taskId, attempt };
  const model = typeof details["model"] === "string" ? details["model"] : undefined;
  const tools = handoverTools(options, ({ callId, signal }) => ({
    projectId,
    id: agentId,
    hold,
    callId,
    signal,
    model,
  }));
  return loopTools(tools, { caller: agentId, place: { kind: "task", name: taskId } });
}
