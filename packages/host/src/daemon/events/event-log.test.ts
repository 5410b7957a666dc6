import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { EventLog } from "./event-log.ts";

const lost = (id: string): string => `lost before ${id}`;
const open = new AbortController().signal;

async function take<Event>(events: AsyncIterable<Event>, count: number): Promise<readonly Event[]> {
  const taken: Event[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}

function filled(count: number, kept = 10, name = "a") {
  const log = new EventLog<string>({ kept, name });
  for (let number = 1; number <= count; number += 1) log.push(`e${number}`);
  return log;
}

describe("events that can be followed", () => {
  test("from the beginning, and on as they come, to the end", async () => {
    const log = filled(2);
    const all = take(log.follow({ signal: open }), 4);
    log.push("e3");
    log.end();
    expect(await all).toEqual([
      { id: "a-1", data: "e1" },
      { id: "a-2", data: "e2" },
      { id: "a-3", data: "e3" },
    ]);
  });

  test("from behind the one that was seen last", async () => {
    const log = filled(5);
    expect(await take(log.follow({ after: "a-3", signal: open }), 2)).toEqual([
      { id: "a-4", data: "e4" },
      { id: "a-5", data: "e5" },
    ]);
    expect(log.lastId).toBe("a-5");
  });

  test.each([
    { name: "an event that is not kept any more", after: "a-2" },
    { name: "an event of a daemon before this one", after: "b-24" },
    { name: "an event that has not happened", after: "a-99" },
    { name: "no id at all", after: "../../etc" },
  ])("from behind $name it is said that some were lost", async ({ after }) => {
    const log = filled(25);
    const [first, second] = await take(log.follow({ after, signal: open, lost }), 2);
    expect(first?.data).toMatch(/^lost before a-\d+$/);
    // What is kept comes next, without a gap to what was said to be lost.
    expect(second?.id).toBe(`a-${Number(first?.id?.slice(2)) + 1}`);
    expect(await take(log.follow({ after: first?.id, signal: open, lost }), 1)).toEqual([second]);
  });

  test("a reader that lags behind loses events, and the log stays small", async () => {
    const log = filled(1);
    const reader = log.follow({ signal: open, lost });
    expect((await reader.next()).value).toEqual({ id: "a-1", data: "e1" });
    for (let number = 2; number <= 1000; number += 1) log.push(`e${number}`);
    const next = (await reader.next()).value as { readonly data: string };
    expect(next.data).toMatch(/^lost/);
  });

  test("large events are kept as far as there is room, and the newest always", async () => {
    const log = new EventLog<string>({ kept: 1000, keptSize: 1000, name: "a" });
    for (let number = 1; number <= 50; number += 1) log.push("x".repeat(198));
    const [first, second] = await take(log.follow({ signal: open, lost, after: "a-1" }), 2);
    expect([first?.data, second?.id]).toEqual(["lost before a-48", "a-49"]);
    log.push("y".repeat(5000));
    log.end();
    expect(await take(log.follow({ signal: open, after: "a-50" }), 9)).toEqual([
      { id: "a-51", data: "y".repeat(5000) },
    ]);
  });

  test("a reader that leaves is done", async () => {
    const leaving = new AbortController();
    const rest = take(filled(1).follow({ after: "a-1", signal: leaving.signal }), 1);
    leaving.abort();
    expect(await rest).toEqual([]);
  });
});

test("a follower of many events leaves no listener behind for each event", async () => {
  const log = new EventLog<number>({ kept: 10 });
  const leaving = new AbortController();
  const events = log.follow({ signal: leaving.signal });
  for (let number = 1; number <= 100; number += 1) {
    const next = events.next();
    await Promise.resolve();
    log.push(number);
    expect((await next).value?.data).toBe(number);
    expect(getEventListeners(leaving.signal, "abort").length).toBeLessThanOrEqual(1);
  }
  const last = events.next();
  leaving.abort();
  expect(await last).toEqual({ done: true, value: undefined });
  expect(getEventListeners(leaving.signal, "abort")).toEqual([]);
});
