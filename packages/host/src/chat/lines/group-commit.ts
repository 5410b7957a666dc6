import { GalleyError } from "@galley/engine";

/** Gathers what comes in while one commit is under way, and commits it as one. */
export interface GroupCommit<Item> {
  /** Resolves when the item is durable. */
  add(item: Item): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

interface Waiting<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** Most items in one commit: with more, the first would wait too long. */
const maxItems = 1000;

export function groupCommit<Item>(commit: (items: readonly Item[]) => Promise<void>): GroupCommit<Item> {
  const waiting: Waiting<Item>[] = [];
  let running: Promise<void> | undefined;

  const commitAll = async (batch: readonly Waiting<Item>[]): Promise<void> => {
    try {
      await commit(batch.map(({ item }) => item));
      for (const { done } of batch) done();
    } catch (error) {
      const [only] = batch;
      if (batch.length === 1) only?.fail(error);
      // The lock was not free in time: each item alone would only wait as long again.
      else if (error instanceof GalleyError && error.code === "DataLocked") for (const { fail } of batch) fail(error);
      // What one item was refused for (its size, say) must not be laid on the others.
      else for (const one of batch) await commitAll([one]);
    }
  };
  const run = async (): Promise<void> => {
    // Those who call in the same tick of the event loop belong together.
    await Promise.resolve();
    while (waiting.length > 0) await commitAll(waiting.splice(0, maxItems));
    running = undefined;
  };
  return {
    add: (item) =>
      new Promise((done, fail) => {
        waiting.push({ item, done, fail });
        running ??= run();
      }),
    idle: () => running ?? Promise.resolve(),
  };
}
