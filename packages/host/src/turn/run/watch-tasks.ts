import type { Store } from "../../store/ports/ports.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { GalleyEmitter } from "../services/galley-events.ts";

const lookEveryMs = 1000;

export interface TaskWatch {
  /** Tells that they have changed, and when they have ended. */
  add(taskIds: readonly string[]): void;
  /** Something has happened to a task in this process. */
  look(taskId: string): void;
  /** Takes up the tasks that were open when another process ended; once. */
  resume(): Promise<void>;
  stop(): void;
}

export interface TaskWatchOptions {
  readonly store: Store;
  readonly project: string;
  readonly tell: GalleyEmitter["emit"];
}

/**
 * Tells listeners of tasks that were handed over here, until they have ended. The worker of this process says what it does;
 * what another one does, a deadline or a cancellation is only seen in the store, which is looked at as long as a task is open.
 */
export function watchTasks({ store, project, tell }: TaskWatchOptions): TaskWatch {
  const open = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isResumed = false;
  let isStopped = false;
  const settle = (task: Task | undefined, id: string): void => {
    if (task && task.finishedAt === null) return;
    if (!open.delete(id) || !task) return;
    tell("task:changed", id);
    tell("task:ended", id, task.origin?.place);
  };
  const read = async (ids: readonly string[]): Promise<void> => {
    const tasks = await store.tasks.read(project, ids);
    for (const [index, id] of ids.entries()) settle(tasks[index], id);
  };
  const lookLater = (): void => {
    if (timer !== undefined || open.size === 0 || isStopped) return;
    timer = setTimeout(() => {
      // A database that is away comes back: it is asked again.
      void read([...open])
        .catch(() => undefined)
        .finally(() => {
          timer = undefined;
          lookLater();
        });
    }, lookEveryMs).unref();
  };
  const add = (taskIds: readonly string[]): void => {
    for (const id of taskIds) {
      open.add(id);
      tell("task:changed", id);
    }
    lookLater();
  };
  return {
    add,
    look(taskId) {
      tell("task:changed", taskId);
      if (open.has(taskId) && !isStopped) void read([taskId]).catch(() => undefined);
    },
    async resume() {
      if (isResumed) return;
      isResumed = true;
      // What cannot be read keeps nothing else from starting; the next start tries again.
      const tasks = await store.tasks
        .list(project, { status: ["queued", "running", "waiting"] })
        .catch((): [] => ((isResumed = false), []));
      for (const { id, origin } of tasks) if (origin) open.add(id);
      lookLater();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
