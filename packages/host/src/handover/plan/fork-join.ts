import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError, type JsonObject } from "@galley/engine";
import type { Batch, StartTasks, StartedTasks, Task } from "../../store/ports/task-store.ts";
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
  /** The caller's task waits for the batch now: whoever runs it stops here and is called again when the batch is closed. */
  readonly suspended?: true;
  /** Sorted by task index. */
  readonly results: readonly TaskResult[];
}

/** `fork_join`: tasks for other agents side by side, and their results together [H4, H7]. */
export async function forkJoin(args: unknown, caller: Caller, handover: Handover): Promise<ForkResult> {
  const request = parseRequest(forkJoinSchema(handover.limits.maxTasksPerFork), args, "args");
  const { projectId } = caller;
  const known = startedId(caller);
  const batchId = known ?? handover.newId();
  const [before] = known === undefined ? [] : await handover.store.tasks.readBatches(projectId, [batchId]);
  if (before) return waitFor(before, caller, handover);
  const { batch, tasks } = await startFork(await planFork(request, batchId, caller, handover), handover);
  if (isParking(caller)) return { ...forkResult(batchId, batch, tasks), suspended: true };
  if (!batch) return forkResult(batchId, batch, tasks);
  return waitFor(batch, caller, handover);
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

/** Only a running task can be parked, and only a call that can be made again finds its fork afterwards. */
function isParking({ waiting, hold, callId }: Caller): boolean {
  return waiting === "suspend" && hold !== undefined && callId !== undefined;
}

/** Everything is validated before anything is written. */
async function planFork(
  { tasks, deadline_seconds: seconds, fail_fast: failFast = false }: ForkRequest,
  batchId: string,
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
      tool: "fork_join",
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
    ...(isParking(caller) ? { suspend: { cards: [] } } : {}),
    now,
  };
}

/** Whoever waits cannot wait longer than their own task lasts. */
function deadlineOf([own]: Lineage, asked: number): number {
  return Math.min(asked, own?.deadline ?? asked);
}

const firstPause = 50;
const maxPause = 1000;

/** A closed batch gives its results at once. An open one parks the caller's task, keeps the call waiting, or is left to run. */
async function waitFor(batch: Batch, caller: Caller, handover: Handover): Promise<ForkResult> {
  const { tasks } = handover.store;
  const { hold, waiting } = caller;
  if (batch.status === "open" && isParking(caller) && hold) {
    await tasks.suspend(hold, { batchId: batch.id, now: handover.now() });
    return { ...(await readFork(batch.id, caller, handover)), suspended: true };
  }
  return waiting === "block" ? awaitFork(batch.id, caller, handover) : readFork(batch.id, caller, handover);
}

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
