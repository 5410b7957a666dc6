import { GalleyError, type ToolSpec, redactSecrets } from "@galley/engine";
import { answerOf, awaitTask } from "../../handover/plan/await-task.ts";
import { startedId } from "../../handover/options/caller.ts";
import { type HandoverTool, specsOf } from "../../handover/plan/handover-tools.ts";
import type { Services } from "../services/services.ts";
import type { ToolOutcome } from "../../tools/tool.ts";
import { type LoopCall, type LoopTool, jsonOutcome } from "./loop-tool.ts";

/**
 * The tools with which the model of a place hands work to others, on behalf of that place and never of the person [A4]. A
 * fork waits for its results, and so does a question to an expert; a task goes on by itself. All are served by the
 * embedded worker.
 */
export async function handoverLoopTools(
  parts: Services,
  callerId: string,
  model: string,
): Promise<readonly LoopTool[]> {
  const { store, project, handover, events, redactor } = parts;
  // Without a profile there is nobody to hand anything to, and the tools would only cost tokens.
  if ((await store.cards.listProfiles(project)).length === 0) return [];
  const specs = specsFor(handover.tools);
  return handover.tools.flatMap((tool, index): LoopTool[] => {
    const spec = specs[index];
    if (!spec) return [];
    const execute = async (call: LoopCall): Promise<ToolOutcome> => {
      await handover.start();
      const { runId, callId, signal, input } = call;
      const named = { callId, runId, model: redactor.redact(model) };
      const caller = { projectId: project, id: callerId, ...named, signal, waiting: "block" } as const;
      try {
        const given = await tool.execute(redactSecrets(input, redactor.secrets()), caller);
        const { task_id: taskId } = given;
        if (typeof taskId !== "string") return jsonOutcome(given);
        events.emit("task:changed", taskId);
        if (tool.name !== "ask_expert") return jsonOutcome(given);
        return jsonOutcome({ ...given, ...answerOf(await awaitTask(project, taskId, parts, signal)) });
      } catch (error) {
        if (signal.aborted && isOver(signal.reason)) await cancelStarted(parts, startedId(caller));
        throw error;
      }
    };
    return [{ spec, isRepeatable: true, isWaiting: waiting.has(tool.name), execute }];
  });
}

/** Those whose call lasts until others have answered. */
const waiting: ReadonlySet<string> = new Set(["fork_join", "ask_expert"]);

const known = new WeakMap<readonly HandoverTool[], readonly ToolSpec[]>();

function specsFor(tools: readonly HandoverTool[]): readonly ToolSpec[] {
  const specs = known.get(tools) ?? specsOf(tools);
  known.set(tools, specs);
  return specs;
}

/** Whether a run ends for good; one that is handed back goes on later, and what it waits for must go on as well. */
function isOver(reason: unknown): boolean {
  return !(reason instanceof GalleyError) || (!reason.retryable && reason.code !== "TaskLost");
}

/** Nobody waits any more for what the call has started: a task, or the tasks of a fork. */
async function cancelStarted({ store, project, now }: Services, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const forked = await store.tasks.list(project, { batchId: id });
  const single = (await store.tasks.read(project, [id])).filter((task) => task !== undefined);
  for (const task of [...forked, ...single]) {
    const reason = "The run that waited for it was stopped.";
    if (task.finishedAt === null) await store.tasks.cancel({ projectId: project, taskId: task.id, reason, now: now() });
  }
}
