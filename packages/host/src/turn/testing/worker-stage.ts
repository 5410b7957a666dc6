import { type AssistantMessage, type JsonObject, type ModelMessage, loadTokenizer } from "@galley/engine";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { Redactor } from "../../secrets/redactor.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { SentCall } from "../call/call-model.ts";
import { foreignModel } from "../call/resolve-model.ts";
import { type TaskSetup, bareServices, previewTask } from "../run/execute-task.ts";
import { type Worker, type WorkerOptions, startWorker } from "../run/worker.ts";
import { callsOf } from "../tools/execute-calls.ts";
import { taskHandover } from "../tools/place-handover.ts";
import { type StoreUnderTest, World } from "../../handover/testing/world.ts";

export const patience = { timeout: 60_000, interval: 20 };
export const said = (content: string): AssistantMessage => ({ role: "assistant", content });
export const plain = ({ messages }: { readonly messages: readonly ModelMessage[] }): string[] =>
  messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`);
export const callOf = (name: string, input: JsonObject, id = "call-1"): AssistantMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: name, input }],
});

/** What stands in for a model: reads what was built for a call of a task, and replies. */
export type Answering = (call: {
  readonly build: SentCall["built"];
  readonly task: Task;
  readonly signal: AbortSignal;
}) => Promise<AssistantMessage>;

export interface StageOptions extends Partial<WorkerOptions> {
  readonly budget?: number;
  /** What is otherwise with how it carries out tasks. */
  readonly with?: Partial<TaskSetup>;
}

/** A store with agents on it, and workers that are stopped after each test. */
export interface WorkerStage {
  readonly store: Store;
  readonly world: World;
  work(answering: Answering, more?: StageOptions): Promise<Worker>;
  /** What the model of a task would read now, with a row for every card. */
  preview(task: Task, budget?: number): ReturnType<typeof previewTask>;
  /** Waits until the task has ended. */
  ended(id: string): Promise<Task>;
}

/** Tasks that a function answers, with the tools of handover. */
export async function answeredSetup(store: Store, answering: Answering, budget = 100_000): Promise<TaskSetup> {
  const tokenizer = await loadTokenizer("o200k_base");
  const model = { ...(await foreignModel("any")), tokenizer };
  return {
    services: bareServices(new Redactor()),
    toolsFor: (task) => taskHandover({ store }, task),
    modelFor: async (task) => ({
      model,
      config: { maxInputTokens: budget },
      send: async ({ built, signal }) => {
        const message = await answering({ build: built, task, signal });
        return { message, calls: callsOf(message), unreadable: new Map(), finish: "stop" };
      },
    }),
  };
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
    async work(answering, { budget, with: other, ...more } = {}) {
      const setup = { ...(await answeredSetup(store, answering, budget)), ...other };
      const worker = await startWorker({ store, setup, retryDelay: () => 1, ...more });
      workers.push(worker);
      return worker;
    },
    preview: async (task, budget = Number.MAX_SAFE_INTEGER) =>
      previewTask(
        { project: task.projectId, store, redactor: new Redactor(), now: Date.now },
        task,
        taskHandover({ store }, task),
        {
          model: await foreignModel("any"),
          config: { maxInputTokens: budget },
        },
      ),
    ended: (id) =>
      vi.waitUntil(async () => {
        const task = await world.task(id);
        return task.finishedAt === null ? undefined : task;
      }, patience),
  };
}
