import { setImmediate as immediate } from "node:timers/promises";

/** How long a piece of long work may keep everything else waiting, in ms. */
const sliceMs = 20;

/** Lets timers and connections run. The first of the two may come before either of them does. */
export async function letOthersRun(): Promise<void> {
  await immediate();
  await immediate();
}

/** Gives the function that long work awaits between its steps: it lets others run when a slice is over. */
export function sliceEnd(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < sliceMs) return undefined;
    return letOthersRun().then(() => {
      since = performance.now();
    });
  };
}

/** Runs work that yields wherever it may pause, in slices. */
export async function runInSlices<Result>(work: Generator<unknown, Result>): Promise<Result> {
  const pause = sliceEnd();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    const pausing = pause();
    if (pausing) await pausing;
  }
}

/** The same at once. */
export function runAtOnce<Result>(work: Generator<unknown, Result>): Result {
  for (let step = work.next(); ; step = work.next()) if (step.done) return step.value;
}

/** Like `map`, in slices. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  const pause = sliceEnd();
  for (const [index, item] of items.entries()) {
    results.push(work(item, index));
    const pausing = pause();
    if (pausing) await pausing;
  }
  return results;
}

/** Items that are worked through at once; more of them go in slices. */
const maxAtOnce = 100;

/** `mapInSlices` for calls whose results must come in the order of the calls: those behind a long one wait for it. */
export function mapInOrder(): <Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
) => Promise<readonly Result[]> | readonly Result[] {
  let last: Promise<unknown> | undefined;
  return (items, work) => {
    if (!last && items.length <= maxAtOnce) return items.map(work);
    const run = (): Promise<ReturnType<typeof work>[]> => mapInSlices(items, work);
    const mine = (last ?? Promise.resolve()).then(run, run);
    last = mine;
    const clear = (): void => {
      if (last === mine) last = undefined;
    };
    mine.then(clear, clear);
    return mine;
  };
}
