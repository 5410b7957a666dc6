import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { openGalley } from "../../galley/open-galley.ts";
import { commonPrefix } from "../../limits/common-prefix.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const folder = mkdtempSync(join(tmpdir(), "galley-kept-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How many of them something still holds. */
async function countKept(lists: readonly WeakRef<readonly unknown[]>[]): Promise<number> {
  // What was looked at within a task is kept until its end.
  await nextTick();
  collect();
  await nextTick();
  collect();
  return lists.filter((list) => list.deref() !== undefined).length;
}

const turns = 24;
/** The last call is there for the next one, and an engine may not have let go of those that were made around it. */
const mayStay = 4;

test.each([{ chat: "c" }, { session: "s" }])(
  "[T11] of the calls of %o only the last is kept: its lists are as long as the window",
  async (place) => {
    const galley = await openGalley({ data: mkdtempSync(join(folder, "data-")), config: false, environment: {} });
    const said = Array.from({ length: 300 }, (_, index) => ({
      role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content: `This was said as number ${index}.`,
    }));
    if (place.chat === undefined) {
      const entries = said.map((message, index) => ({ id: `e${index}`, ts: index, type: "message" as const, message }));
      await galley.store.sessions.append({ projectId: galley.project, sessionId: "s" }, entries);
    } else await (await galley.chats.open(place.chat)).append(said);
    const lists: WeakRef<readonly unknown[]>[] = [];
    const takeTurn = async (index: number): Promise<void> => {
      const turn = await galley.turn({ ...place, input: `Question ${index}?`, model: "demo" });
      for (const list of [turn.messages, turn.ledger]) lists.push(new WeakRef(list));
      await turn.commit({ assistant: `Answer ${index}.` });
    };
    for (let index = 0; index < turns; index += 1) await takeTurn(index);
    expect(lists).toHaveLength(2 * turns);
    expect(await countKept(lists)).toBeLessThanOrEqual(2 * mayStay);
    await galley.close();
  },
);

test("lists that grew from each other do not hold each other, whatever was compared", async () => {
  const lists: WeakRef<readonly unknown[]>[] = [];
  let last: readonly object[] = Array.from({ length: 300 }, () => ({}));
  const grow = (): void => {
    const before = last;
    last = [...before, {}];
    expect(commonPrefix(before, last)).toBe(before.length);
    lists.push(new WeakRef(before));
  };
  for (let index = 0; index < turns; index += 1) grow();
  expect(await countKept(lists)).toBeLessThanOrEqual(mayStay);
  expect(last).toHaveLength(300 + turns);
});
