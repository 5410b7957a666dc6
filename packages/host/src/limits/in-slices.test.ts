import { expect, test } from "vitest";
import { mapInOrder, mapInSlices } from "./in-slices.ts";

/** Takes about a millisecond of the processor. */
function busy<Value>(value: Value): Value {
  const end = performance.now() + 1;
  while (performance.now() < end);
  return value;
}

test("long work lets timers have their turn, and gives its results in order", async () => {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const items = Array.from({ length: 200 }, (_, index) => index);
  expect(await mapInSlices(items, busy)).toEqual(items);
  clearInterval(timer);
  expect(turns).toBeGreaterThanOrEqual(4);
});

test("what is called behind a long list comes behind it, also when the long one fails", async () => {
  const convert = mapInOrder();
  const order: string[] = [];
  const call = async (name: string, length: number, fails = false): Promise<void> => {
    await convert(Array.from({ length }), (_, index) => {
      if (fails && index === 50) throw new Error(name);
      return busy(index);
    });
    order.push(name);
  };
  await Promise.all([call("long", 150), call("short", 1), call("another", 2)]);
  expect(order).toEqual(["long", "short", "another"]);
  const failing = call("failing", 150, true);
  const behind = call("behind", 1);
  await expect(failing).rejects.toThrow("failing");
  await behind;
  // With nothing under way, a short list is done at once.
  expect(convert([1, 2], (item) => item * 2)).toEqual([2, 4]);
});
