import { type JsonObject, type ModelMessage, loadTokenizer } from "@galley/engine";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import type { Store } from "../../store/ports/ports.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { TaskBuild } from "../work/build-task.ts";
import type { RunTask } from "../work/task-attempt.ts";
import { type Worker, type WorkerOptions, startWorker } from "../work/worker.ts";
import { type StoreUnderTest, World } from "./world.ts";

export const patience = { timeout: 60_000, interval: 20 };
export const said = (content: string): ModelMessage => ({ role: "assistant", content });
export const plain = ({ messages }: TaskBuild): string[] =>
  messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`);
export const callOf = (name: string, input: JsonObject, id = "call-1"): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: name, input }],
});

/** A store with agents on it, and workers that are stopped after each test. */
export interface WorkerStage {
  readonly store: Store;
  readonly world: World;
  work(runTask: RunTask, more?: Partial<WorkerOptions> & { readonly budget?: number }): Promise<Worker>;
  /** Waits until the task has ended. */
  ended(id: string): Promise<Task>;
}

/** Opens the store before the tests of a suite; nothing of it may be used earlier. */
export function workerStage(open: StoreUnderTest["open"]): WorkerStage {
  let store: Store;
  let world: World;
  const workers: Worker[] = [];
  beforeAll(async () => {
    store = await open();
    world = await World.open(store);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });
  afterAll(() => store.close());
  return {
    get store() {
      return store;
    },
    get world() {
      return world;
    },
    async work(runTask, more = {}) {
      const config = { maxInputTokens: more.budget ?? 100_000 };
      const context = { config, tokenizer: await loadTokenizer("o200k_base") };
      const worker = await startWorker({ store, runTask, context, retryDelay: () => 1, ...more });
      workers.push(worker);
      return worker;
    },
    ended: (id) =>
      vi.waitUntil(async () => {
        const task = await world.task(id);
        return task.finishedAt === null ? undefined : task;
      }, patience),
  };
}
