import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { type StreamEvent, eventStream } from "./event-stream.ts";

const options = { heartbeatMs: 60_000, textOf: JSON.stringify, problemOf: () => ({ code: "X" }), onEnd: () => {} };

async function* numbers(count: number, asked: number[] = []): AsyncGenerator<StreamEvent<number>> {
  for (let number = 1; number <= count; number += 1) {
    asked.push(number);
    yield { id: String(number), data: number };
  }
}

test("events are written one to a block, with their ids", async () => {
  const response = eventStream(numbers(2), options);
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(await response.text()).toBe(": galley\n\nid: 1\ndata: 1\n\nid: 2\ndata: 2\n\n");
});

test("an id can neither end its line nor begin another", async () => {
  async function* one(): AsyncGenerator<StreamEvent<string>> {
    yield { id: "1\ndata: x\r", data: "a\nb" };
  }
  expect(await eventStream(one(), options).text()).toBe(': galley\n\nid: 1data: x\ndata: "a\\nb"\n\n');
});

test("the source is asked only as fast as the client reads", async () => {
  const asked: number[] = [];
  const reader = eventStream(numbers(100, asked), options).body?.getReader();
  await reader?.read();
  await reader?.read();
  await sleep(20);
  expect(asked.length).toBeLessThanOrEqual(3);
  await reader?.cancel();
});

test("a client that goes away ends the source, once", async () => {
  let ended = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* endless(): AsyncGenerator<StreamEvent<number>> {
    try {
      for (let number = 1; ; number += 1) yield { data: number };
    } finally {
      resolve();
    }
  }
  const reader = eventStream(endless(), { ...options, onEnd: () => (ended += 1) }).body?.getReader();
  await reader?.read();
  await reader?.read();
  await reader?.cancel();
  await promise;
  expect(ended).toBe(1);
});

test("a silence is filled with comments", async () => {
  async function* silent(): AsyncGenerator<StreamEvent<number>> {
    await sleep(60);
    yield { data: 1 };
  }
  expect(await eventStream(silent(), { ...options, heartbeatMs: 5 }).text()).toMatch(
    /^: galley\n\n(: still here\n\n)+data: 1\n\n$/,
  );
});

test("a source that fails says so in its last event, and no more than it may", async () => {
  async function* failing(): AsyncGenerator<StreamEvent<number>> {
    yield { data: 1 };
    throw new Error("secret inside");
  }
  expect(await eventStream(failing(), options).text()).toBe(
    ': galley\n\ndata: 1\n\nevent: problem\ndata: {"code":"X"}\n\n',
  );
});

test("[P6] a reader that may not read any more gets the reason as the last event, at once or before the first", async () => {
  async function* endless(): AsyncGenerator<StreamEvent<number>> {
    yield { data: 1 };
    await new Promise(() => undefined);
  }
  const late = new AbortController();
  let ended = 0;
  const response = eventStream(endless(), { ...options, until: late.signal, onEnd: () => (ended += 1) });
  const text = response.text();
  await sleep(20);
  late.abort();
  expect(await text).toBe(': galley\n\ndata: 1\n\nevent: problem\ndata: {"code":"X"}\n\n');
  const early = eventStream(endless(), { ...options, until: AbortSignal.abort(), onEnd: () => (ended += 1) });
  expect(await early.text()).toBe(': galley\n\nevent: problem\ndata: {"code":"X"}\n\n');
  expect(ended).toBe(2);
});
