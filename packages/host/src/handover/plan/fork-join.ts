import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError, type JsonObject } from "@galley/engine";
import type { Batch, Hold, StartTasks, StartedTasks, Task } from "../../store/ports/task-store.ts";
import { type Caller, startedId } from "../options/caller.ts";
import type { Handover } from "../options/handover-options.ts";
import { derivedId } from "../options/new-id.ts";
import { type Lineage, type PlannedTask, planTask, readLineage } from "./plan-task.ts";
import { dotted, notFound, parseRequest } from "../options/request-errors.ts";
import { type ForkRequest, forkJoinSchema } from "../options/tool-arguments.ts";

/** One task of a fork, by its index [H7]. */
export interface TaskResult extends JsonObject {
  readonly task_index: number;
  readonly task_id: string;
  readonly agent_id: string;
  readonly status: string;
  readonly output_box_id: string;
}

/** A fork as it stands: `running`, or how it ended. */
export interface ForkResult extends JsonObject {
  readonly batch_id: string;
  readonly status: "running" | "success" | "partial" | "failed" | "timeout";
  /** Sorted by task index. */
  readonly results: readonly TaskResult[];
}

/** `fork_join`: tasks for other agents side by side, and their results together [H4, H7]. */
export async function forkJoin(args: unknown, caller: Caller, handover: Handover): Promise<ForkResult> {
  const { batchId } = await findOrStart(args, caller, handover, { isParked: false, tool: "fork_join" });
  return caller.waiting === "block" ? awaitFork(batchId, caller, handover) : readFork(batchId, caller, handover);
}

/** A call of a running task that can be made again, and finds its fork then. */
export interface TaskCaller extends Caller {
  readonly hold: Hold;
  readonly callId: string;
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
  const { created } = await startFork({ ...planned, ...(isParked ? { suspend: { cards: [] } } : {}) }, handover);
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
    throw new GalleyError(code, message, { path, ...(hint === undefined ? {} : { hint }), cause: error });
  }
}

/** Everything is validated before anything is written. */
async function planFork(
  { tasks, deadline_seconds: seconds, fail_fast: failFast = false }: ForkRequest,
  { batchId, tool }: { readonly batchId: string; readonly tool: string },
  caller: Caller,
  handover: Handover,
): Promise<StartTasks> {
  const lineage = await readLineage(handover, caller, tasks.length);
  const now = handover.now();
  const deadline = deadlineOf(lineage, now + (seconds ?? handover.limits.deadlineSeconds) * 1000);
  const planned: PlannedTask[] = [];
  for (const [index, task] of tasks.entries()) {
    const place = {
      caller,
      lineage,
      tool,
      path: dotted("args", "tasks", index),
      taskId: derivedId(caller.projectId, batchId, index),
      taskIndex: index,
      deadline,
    };
    planned.push(await planTask(task, place, handover));
  }
  return {
    projectId: caller.projectId,
    cards: planned.flatMap(({ cards }) => cards),
    boxes: planned.flatMap(({ boxes }) => boxes),
    agents: planned.flatMap(({ agents }) => agents),
    tasks: planned.map(({ task }) => task),
    batch: { id: batchId, failFast, details: { startedBy: caller.id } },
    ...(caller.hold ? { parent: caller.hold } : {}),
    now,
  };
}

/** Whoever waits cannot wait longer than their own task lasts. */
function deadlineOf([own]: Lineage, asked: number): number {
  return Math.min(asked, own?.deadline ?? asked);
}

const firstPause = 50;
const maxPause = 1000;

/** Waits until a fork has ended; a signal ends the waiting, not the fork. */
export async function awaitFork(batchId: string, caller: Caller, handover: Handover): Promise<ForkResult> {
  const { signal } = caller;
  for (let pause = firstPause; ; pause = Math.min(pause * 2, maxPause)) {
    const fork = await readFork(batchId, caller, handover);
    if (fork.status !== "running") return fork;
    await sleep(pause, undefined, signal ? { signal } : {});
    await handover.store.tasks.tend(handover.now());
  }
}

/** A fork as it stands now, for its own caller: an id that comes from arguments goes through `findFork` of the authority first. */
async function readFork(batchId: string, { projectId }: Caller, { store }: Handover): Promise<ForkResult> {
  const [batch] = await store.tasks.readBatches(projectId, [batchId]);
  if (!batch) throw notFound("args.batch_id", `There is no fork ${JSON.stringify(batchId)} in this project.`);
  return forkResult(batchId, batch, await store.tasks.list(projectId, { batchId }));
}

export function forkResult(batchId: string, batch: Batch | undefined, tasks: StartedTasks["tasks"]): ForkResult {
  const status = batch === undefined || batch.status === "open" ? "running" : batch.status;
  return {
    batch_id: batchId,
    status,
    results: tasks.toSorted((a, b) => a.taskIndex - b.taskIndex).map(taskResult),
  };
}

function taskResult({ id, agentId, taskIndex, status, outputBoxId, result, error }: Task): TaskResult {
  return {
    task_index: taskIndex,
    task_id: id,
    agent_id: agentId,
    status,
    output_box_id: outputBoxId,
    ...(result === null ? {} : { result }),
    ...(error ? { error: { ...error } } : {}),
  };
}
