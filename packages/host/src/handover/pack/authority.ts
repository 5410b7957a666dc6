import type { Box, BoxItem } from "../../store/ports/card-store.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { Agent, Batch, Task } from "../../store/ports/task-store.ts";
import { type Caller, isPerson } from "../options/caller.ts";
import { givenTo } from "../options/given-details.ts";
import type { NamedBox } from "./pack-rules.ts";
import { isPackedBy } from "../cards/parent-pointer.ts";
import { forbidden, notFound } from "../options/request-errors.ts";

/** A box as far as its reader may see it. */
export interface ReadableBox {
  readonly boxId: string;
  readonly version: number;
  readonly items: readonly BoxItem[];
}

/** Reads boxes as far as one caller may see them [H6]. */
export interface BoxReader {
  /** Throws `NotFound` for a box that the caller may not use, in the same words as for one that does not exist. */
  read(boxes: readonly NamedBox[]): Promise<readonly ReadableBox[]>;
}

/** An agent or task that a request names, and where in the request. */
interface Named {
  readonly id: string;
  readonly path: string;
}

/** An agent that a caller may clone and use again, with as much of its output as the caller may read. */
export interface UsableAgent {
  readonly agent: Agent;
  readonly output: ReadableBox;
}

/**
 * The one place that decides what a caller may read, use and write [H6, A4]. What it may not know of is `NotFound`; what it
 * may read but not use is `Forbidden`. Each box is read once, so that one request has one view.
 */
export interface Authority extends BoxReader {
  /** The agent, if the caller may clone it (which reads all of its output) and use it again (which writes into it). */
  useAgent(agent: Named): Promise<UsableAgent>;
  /** The same for a clone; from now on `read` knows the source's output as well. */
  cloneSource(agent: Named): Promise<UsableAgent>;
  findTask(task: Named): Promise<Task>;
  /** A task that the caller may end: one that it runs, or that was started for it. */
  taskToEnd(task: Named): Promise<Task>;
  /** The newest tasks that the caller runs or has handed over; for the person, all that nobody's task has started. */
  listTasks(limit: number): Promise<readonly Task[]>;
  /** A fork with its tasks; the caller must know each of them. */
  findFork(fork: Named): Promise<{ readonly batch: Batch; readonly tasks: readonly Task[] }>;
}

export function authorityOf(store: Store, caller: Caller): Authority {
  const { projectId } = caller;
  const known = new Map<string, ReadableBox>();
  const useAgent = async ({ id, path }: Named): Promise<UsableAgent> => {
    const [agent] = await store.tasks.readAgents(projectId, [id]);
    const [box] = agent ? await store.cards.readBoxes(projectId, [agent.outputBoxId]) : [];
    if (!agent || !box) throw noAgent(id, path);
    const output = await usableOutput(store, caller, agent, box);
    if (output) return { agent, output };
    throw (await visiblePart(store, caller, box)) ? readOnly(id, path) : noAgent(id, path);
  };
  const findTask = async ({ id, path }: Named): Promise<Task> => {
    const [task] = await store.tasks.read(projectId, [id]);
    if (task && (await knowsTask(store, caller, task))) return task;
    throw notFound(path, `There is no task ${JSON.stringify(id)} that you can use.`, askHint);
  };
  return {
    async read(named) {
      const unknown = named.filter(({ boxId }) => !known.has(boxId));
      const boxes = await store.cards.readBoxes(
        projectId,
        unknown.map(({ boxId }) => boxId),
      );
      for (const [index, { boxId, path }] of unknown.entries()) {
        const box = boxes[index];
        const visible = box && (await visiblePart(store, caller, box));
        if (!visible) throw noBox(boxId, path);
        known.set(boxId, visible);
      }
      return named.map(({ boxId }) => known.get(boxId) as ReadableBox);
    },
    useAgent,
    async cloneSource(named) {
      const source = await useAgent(named);
      known.set(source.output.boxId, source.output);
      return source;
    },
    findTask,
    async taskToEnd(named) {
      const task = await findTask(named);
      if (isPerson(caller) || (await isForCaller(store, caller, task))) return task;
      throw forbidden(named.path, `The task ${JSON.stringify(task.id)} was handed over by another caller.`);
    },
    async listTasks(limit) {
      if (isPerson(caller)) return store.tasks.list(projectId, { parentTaskId: null, limit });
      const newest = await store.tasks.list(projectId, { limit: maxLooked });
      const isOwn = (task: Task): boolean => task.agentId === caller.id || givenTo(task).startedBy === caller.id;
      return newest.filter(isOwn).slice(0, limit);
    },
    async findFork({ id, path }) {
      const [batch] = await store.tasks.readBatches(projectId, [id]);
      const tasks = batch ? await store.tasks.list(projectId, { batchId: id }) : [];
      const isKnown = await Promise.all(tasks.map((task) => knowsTask(store, caller, task)));
      if (batch && !isKnown.includes(false)) return { batch, tasks };
      throw notFound(path, `There is no fork ${JSON.stringify(id)} that you can use.`, askHint);
    },
  };
}

/** Who handed a task over has no index: this many of the newest are looked at. */
const maxLooked = 10_000;

const askHint = "Check the id; `galley task list` shows what you have handed over.";

function noBox(id: string, path: string): Error {
  const message = `There is no box ${JSON.stringify(id)} that you can use.`;
  return notFound(path, message, "Check the id, or ask the agent that has the box to pass it on.");
}

function noAgent(id: string, path: string): Error {
  const hint = "You can use agents that you have started, and those that you were given in agent_refs.";
  return notFound(path, `There is no agent ${JSON.stringify(id)} that you can use.`, hint);
}

function readOnly(id: string, path: string): Error {
  const message = `You may read what the agent ${JSON.stringify(id)} gave, but neither clone it nor use it again.`;
  return forbidden(path, message, "Pass its box on, or ask for the agent in agent_refs.");
}

/** What a caller reads of an agent that it may clone and use again; `undefined` when it may not. */
async function usableOutput(store: Store, caller: Caller, agent: Agent, box: Box): Promise<ReadableBox | undefined> {
  if (isPerson(caller) || agent.id === caller.id) return whole(box);
  if (await isDescendant(store, caller, agent.id)) return whole(box);
  // Given with the task, and for as long as the task runs; what the agent says later is not meant.
  const [task] = caller.hold ? await store.tasks.read(caller.projectId, [caller.hold.taskId]) : [];
  const ref = task && givenTo(task).agentRefs.find(({ agentId }) => agentId === agent.id);
  const then = ref && (await store.cards.openBox(caller.projectId, box.id, ref.version));
  return then && whole(then);
}

/** What the caller may see of a box; `undefined` means nothing. Every way in is a reason of its own, and there is no other. */
async function visiblePart(store: Store, caller: Caller, box: Box): Promise<ReadableBox | undefined> {
  const { projectId, id } = caller;
  if (isPerson(caller) || (await isPackedBy(box, id, projectId, store))) return whole(box);
  const tasks = await store.tasks.list(projectId, { boxId: box.id });
  if (tasks.some((task) => task.agentId === id)) return whole(box);
  const outputs = tasks.filter((task) => task.outputBoxId === box.id);
  if (await isDescendant(store, caller, outputs[0]?.agentId)) return whole(box);
  return (await ownSlice(store, caller, box, outputs)) ?? passedVersion(store, caller, box.id);
}

function whole({ id, version, items }: Box): ReadableBox {
  return { boxId: id, version, items };
}

/** A caller knows the tasks that it runs, those that it started and all below them, and those of its descendants. */
async function knowsTask(store: Store, caller: Caller, task: Task): Promise<boolean> {
  if (isPerson(caller) || (await isForCaller(store, caller, task))) return true;
  return isDescendant(store, caller, task.agentId);
}

/** True when the task, or one above it, was started or is run by the caller. */
async function isForCaller(store: Store, { projectId, id }: Caller, task: Task): Promise<boolean> {
  const isOwn = (one: Task): boolean => one.agentId === id || givenTo(one).startedBy === id;
  return isOwn(task) || (await store.tasks.lineage(projectId, task.id)).some(isOwn);
}

/** True when the agent was started by the caller, or by an agent that was. */
async function isDescendant(
  store: Store,
  { projectId, id: ancestor }: Caller,
  agentId: string | undefined,
): Promise<boolean> {
  const seen = new Set<string>();
  for (let id = agentId; id !== undefined && !seen.has(id);) {
    seen.add(id);
    const [agent] = await store.tasks.readAgents(projectId, [id]);
    if (agent?.parentAgentId === ancestor) return true;
    id = agent?.parentAgentId ?? undefined;
  }
  return false;
}

/** An agent that another caller started and that worked for this one: only what it gave in those tasks. */
async function ownSlice(
  store: Store,
  caller: Caller,
  box: Box,
  outputs: readonly Task[],
): Promise<ReadableBox | undefined> {
  const visible = new Set<number>();
  let isKnown = false;
  for (const task of outputs) {
    if (!(await isForCaller(store, caller, task))) continue;
    isKnown = true;
    const end = task.outputEnd ?? box.items.length;
    for (let index = task.outputStart ?? end; index < end; index += 1) visible.add(index);
  }
  return isKnown ? { ...whole(box), items: box.items.filter((_, index) => visible.has(index)) } : undefined;
}

/**
 * A box that was passed in, as it was when it was passed: neither what its owner adds later is meant, nor what its giver
 * could not see. What was meant stands in the context box of the task.
 */
async function passedVersion(store: Store, { projectId, id }: Caller, boxId: string): Promise<ReadableBox | undefined> {
  const tasks = (await store.tasks.list(projectId, { agentId: id })).flatMap((task) =>
    givenTo(task).passed.flatMap((passed) => (passed.boxId === boxId ? [{ task, version: passed.version }] : [])),
  );
  if (tasks.length === 0) return undefined;
  const version = Math.max(...tasks.map((passed) => passed.version));
  const box = await store.cards.openBox(projectId, boxId, version);
  const contexts = await store.cards.readBoxes(
    projectId,
    tasks.map(({ task }) => task.contextBoxId),
  );
  const given = new Set(contexts.flatMap((context) => context?.items.map(({ cardId }) => cardId) ?? []));
  return box && { ...whole(box), items: box.items.filter(({ cardId }) => given.has(cardId)) };
}
