import { type JsonObject, type ModelMessage, loadTokenizer } from "@galley/engine";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import type { Store } from "../../store/ports/ports.ts";
import type { Turn } from "../../store/ports/turn-store.ts";
import type { TurnBuild } from "../work/build-turn.ts";
import type { RunTurn } from "../work/turn-run.ts";
import { type Worker, type WorkerOptions, startWorker } from "../work/worker.ts";
import { type StoreUnderTest, World } from "./world.ts";

export const patience = { timeout: 60_000, interval: 20 };
export const said = (content: string): ModelMessage => ({ role: "assistant", content });
export const plain = ({ messages }: TurnBuild): string[] =>
  messages.map(({ role, content }) => `${role}: ${typeof content === "string" ? content : JSON.stringify(content)}`);
export const callOf = (name: string, input: JsonObject, id = "call-1"): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: id, toolName: name, input }],
});

/** A store with agents on it, and workers that are stopped after each test. */
export interface WorkerStage {
  readonly store: Store;
  readonly world: World;
  work(runTurn: RunTurn, more?: Partial<WorkerOptions> & { readonly budget?: number }): Promise<Worker>;
  /** Waits until the turn has ended. */
  ended(id: string): Promise<Turn>;
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
    async work(runTurn, more = {}) {
      const config = { maxInputTokens: more.budget ?? 100_000 };
      const context = { config, tokenizer: await loadTokenizer("o200k_base") };
      const worker = await startWorker({ store, runTurn, context, retryDelay: () => 1, ...more });
      workers.push(worker);
      return worker;
    },
    ended: (id) =>
      vi.waitUntil(async () => {
        const turn = await world.turn(id);
        return turn.finishedAt === null ? undefined : turn;
      }, patience),
  };
}
