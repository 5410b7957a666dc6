import type { BoxItem, Card, NewBox } from "../ports/card-store.ts";
import type { Store } from "../ports/ports.ts";
import type { Hold, NewBatch, NewTask, StartTasks, StartedTasks, Task } from "../ports/task-store.ts";

let made = 0;

/** A name that nothing else has. */
export function fresh(prefix: string): string {
  return `${prefix}${(made += 1)}-${process.pid}`;
}

export function cardOf(id: string, text = `text of ${id}`): Card {
  return {
    id,
    type: "agent.message",
    content: { kind: "text", text },
    metadata: { role: "user" },
    authorId: "tester",
    createdAt: 1000,
  };
}

export function itemsOf(...ids: readonly string[]): BoxItem[] {
  return ids.map((cardId) => ({ cardId, origin: "packed" }));
}

export const noCards = { cards: [], boxes: [], agents: [] } as const;

/** A start of one new agent for each task, with an empty output box and a context box of one card. */
export function startOf(projectId: string, tasks: readonly Omit<NewTask, "agentId" | "contextBoxId">[]): StartTasks {
  const boxes = tasks.flatMap((task): NewBox[] => [
    { id: `${task.id}.context`, items: itemsOf(`${task.id}.card`) },
    { id: `${task.id}.output`, items: [] },
  ]);
  return {
    projectId,
    cards: tasks.map((task) => cardOf(`${task.id}.card`)),
    boxes: [{ id: `${tasks[0]?.id}.profile`, items: [] }, ...boxes],
    agents: tasks.map((task) => ({
      id: `${task.id}.agent`,
      profileBoxId: `${tasks[0]?.id}.profile`,
      outputBoxId: `${task.id}.output`,
    })),
    tasks: tasks.map((task) => ({ ...task, agentId: `${task.id}.agent`, contextBoxId: `${task.id}.context` })),
    now: 1000,
  };
}

/** Starts a root task and claims it, at time 1000 for 10 s. */
export async function runningRoot(store: Store, projectId: string, task: Partial<NewTask> = {}): Promise<Task> {
  const id = task.id ?? fresh("root");
  await store.tasks.start(startOf(projectId, [{ ...task, id }]));
  return claimed(store, projectId, id);
}

/** Claims a task that must be there for the claim. */
export async function claimed(store: Store, projectId: string, taskId: string, now = 1000): Promise<Task> {
  const task = await store.tasks.claim({ projectId, taskId, worker: "w1", leaseMs: 10_000, now });
  if (!task) throw new Error(`The task ${taskId} could not be claimed.`);
  return task;
}

export function holdOf(task: Task): Hold {
  return { projectId: task.projectId, taskId: task.id, attempt: task.attempt };
}

/** Starts a batch of children below a running task; the parent waits for it unless it is told not to. */
export function fork(
  store: Store,
  parent: Task,
  ids: readonly string[],
  options: { readonly batch?: NewBatch; readonly waits?: boolean; readonly task?: Partial<NewTask> } = {},
): Promise<StartedTasks> {
  const { batch = { id: fresh("batch") }, waits = true, task = {} } = options;
  const start = startOf(
    parent.projectId,
    ids.map((id) => ({ ...task, id })),
  );
  return store.tasks.start({
    ...start,
    batch,
    parent: holdOf(parent),
    ...(waits ? { suspend: { cards: [] } } : {}),
  });
}

export async function taskOf(store: Store, projectId: string, id: string): Promise<Task> {
  const [task] = await store.tasks.read(projectId, [id]);
  if (!task) throw new Error(`There is no task ${id}.`);
  return task;
}
