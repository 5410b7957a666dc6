import { GalleyError } from "@galley/engine";
import type { StartTasks, StartedTasks } from "../../store/ports/task-store.ts";
import { type Caller, type TaskCaller, startedId } from "../options/caller.ts";
import type { Handover } from "../options/handover-options.ts";
import { derivedId } from "../options/new-id.ts";
import { type PlannedTask, planTask, checkedLineage, startOf } from "./plan-task.ts";
import { dotted, parseRequest } from "../options/request-errors.ts";
import { type ForkResult, awaitFork, readFork } from "./results.ts";
import { type ForkRequest, forkJoinSchema } from "../options/tool-arguments.ts";

/** `fork_join`: tasks for other agents side by side, and their results together [H4, H7]. */
export async function forkJoin(args: unknown, caller: Caller, handover: Handover): Promise<ForkResult> {
  const { batchId } = await findOrStart(args, caller, handover, { isParked: false, tool: "fork_join" });
  return caller.waiting === "block" ? awaitFork(batchId, caller, handover) : readFork(batchId, caller, handover);
}

/**
 * `fork_join` in a running task. While the fork is open it gives nothing: the task is parked, and runs again when the last of
 * its children has ended; the same call gives the results then.
 */
export async function forkInTask(
  args: unknown,
  caller: TaskCaller,
  handover: Handover,
  tool = "fork_join",
): Promise<ForkResult | undefined> {
  const { batchId, isNew } = await findOrStart(args, caller, handover, { isParked: true, tool });
  if (isNew) return undefined;
  const fork = await readFork(batchId, caller, handover);
  if (fork.status !== "running") return fork;
  await handover.store.tasks.suspend(caller.hold, { batchId, now: handover.now() });
  return undefined;
}

/** The fork that this call has started, now or before. One that is parked waits from the same transaction on. */
async function findOrStart(
  args: unknown,
  caller: Caller,
  handover: Handover,
  { isParked, tool }: { readonly isParked: boolean; readonly tool: string },
): Promise<{ readonly batchId: string; readonly isNew: boolean }> {
  const request = parseRequest(forkJoinSchema(handover.limits.maxTasksPerFork), args, "args");
  const known = startedId(caller);
  const batchId = known ?? handover.newId();
  const [before] = known === undefined ? [] : await handover.store.tasks.readBatches(caller.projectId, [batchId]);
  if (before) return { batchId, isNew: false };
  const planned = await planFork(request, { batchId, tool }, caller, handover);
  const { created } = await startFork({ ...planned, suspend: isParked ? { cards: [] } : undefined }, handover);
  return { batchId, isNew: created };
}

/** What the store refuses of a task is said of the task that asked for it. */
async function startFork(start: StartTasks, { store }: Handover): Promise<StartedTasks> {
  try {
    return await store.tasks.start(start);
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    const { code, message, hint } = error;
    const index = /^tasks\[(\d+)\]\.agentId$/.exec(error.path ?? "")?.[1];
    if (index === undefined) throw error;
    const path = dotted("args", "tasks", index, "target_ref");
    throw new GalleyError(code, message, { path, hint, cause: error });
  }
}

/** Everything is validated before anything is written. */
async function planFork(
  { tasks, deadline_seconds: seconds, fail_fast: failFast = false }: ForkRequest,
  { batchId, tool }: { readonly batchId: string; readonly tool: string },
  caller: Caller,
  handover: Handover,
): Promise<StartTasks> {
  const lineage = await checkedLineage(handover, caller, tasks.length);
  const now = handover.now();
  const asked = now + (seconds ?? handover.limits.deadlineSeconds) * 1000;
  // A caller cannot wait longer than its own task lasts.
  const deadline = Math.min(asked, lineage[0]?.deadline ?? asked);
  const planned: PlannedTask[] = [];
  for (const [index, task] of tasks.entries()) {
    const path = dotted("args", "tasks", index);
    const taskId = derivedId(caller.projectId, batchId, index);
    const order = { caller, lineage, tool, path, taskId, taskIndex: index, deadline };
    planned.push(await planTask(task, order, handover));
  }
  return {
    ...startOf(planned, caller, now),
    batch: { id: batchId, failFast, details: { startedBy: caller.id } },
  };
}
