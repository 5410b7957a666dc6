import { expect, test } from "vitest";
import { dataFolder, galleyIn, galleyWith, textsOf } from "../../galley/testing/temp-galley.ts";
import type { Galley } from "../../galley/galley.ts";

async function readSession(galley: Galley, session: string): Promise<readonly unknown[]> {
  const { messages } = await galley.turn({ session, input: "?" });
  return messages.slice(1, -1).map(({ content }) => content);
}

test("[T6] a turn that is aborted hides nothing of what others have said in the session meanwhile", async () => {
  const galley = await galleyIn();
  const first = await galley.turn({ session: "s", input: "first" });
  const second = await galley.turn({ session: "s", input: "second" });
  await second.commit({ assistant: "answer" });
  await first.abort();
  expect(await readSession(galley, "s")).toEqual(["second", "answer"]);
  const alone = await galley.turn({ session: "t", input: "alone" });
  await alone.abort();
  expect(await readSession(galley, "t")).toEqual([]);
});

test("[W11] a reply that is written stays, also when the end of its run cannot be noted", async () => {
  const data = dataFolder();
  const galley = await galleyIn(data);
  const finish = galley.store.runs.finish.bind(galley.store.runs);
  let refusals = 1;
  Object.assign(galley.store.runs, {
    finish: async (...given: Parameters<typeof finish>) => {
      if (refusals-- > 0) throw new Error("The disk is full.");
      return finish(...given);
    },
  });
  await galley.run({ session: "s", input: "hello", runId: "r1" }).result;
  const said = await readSession(galley, "s");
  expect(said[0]).toBe("hello");
  expect(said).toHaveLength(2);
  // The process that takes it over finds its reply there, and only notes the end.
  const [resumed] = await galley.resume({ isOwner: true });
  expect(await resumed?.result).toMatchObject({ runId: "r1", text: said[1] });
  expect((await readSession(galley, "s")).slice(0, 2)).toEqual(said);
  expect(await galley.store.runs.get("default", "r1")).toMatchObject({ status: "finished" });
});

test("[W11] a run whose reply is saved is ended by the process that takes it over, also without its model", async () => {
  const { galley, data, server } = await galleyWith(() => ({ text: "Here." }));
  const broken = (): Promise<never> => Promise.reject(new Error("The disk is full."));
  Object.assign(galley.store.runs, { finish: broken });
  const chatRun = { chat: "a", input: "hello", runId: "r1" };
  for (const run of [chatRun, { session: "s", input: "hello", runId: "r2" }]) await galley.run(run).result;
  await galley.close();
  await server.close();
  const next = await galleyIn(data);
  const resumed = await next.resume({ isOwner: true });
  expect((await Promise.all(resumed.map(({ result }) => result))).map(({ text }) => text)).toEqual(["Here.", "Here."]);
  expect(await textsOf(next, "a")).toEqual(["hello", "Here."]);
  expect(await readSession(next, "s")).toEqual(["hello", "Here."]);
});

test("what is not a reply is refused, and the turn stays open", async () => {
  const galley = await galleyIn();
  const called = { type: "tool-call", toolCallId: "c1", toolName: "t", input: {} } as const;
  const output = { type: "text", value: "1" } as const;
  const result = { type: "tool-result", toolCallId: "c1", toolName: "t", output } as const;
  const calling = { role: "assistant", content: [called] } as const;
  const answering = { role: "tool", content: [result] } as const;
  for (const place of [{ chat: "a" }, { session: "s" }]) {
    const turn = await galley.turn({ ...place, input: "hello" });
    const commit = (outcome: unknown): Promise<void> => turn.commit(outcome as Parameters<typeof turn.commit>[0]);
    const refused = { code: "ContextInvalidInput" };
    await expect(commit({ assistant: 5 })).rejects.toMatchObject({ ...refused, path: "assistant" });
    await expect(commit({ assistant: { role: "user", content: "x" } })).rejects.toMatchObject(refused);
    await expect(commit({ assistant: "x", steps: [calling] })).rejects.toMatchObject({ ...refused, path: "steps" });
    await expect(commit({ assistant: "x", steps: [answering] })).rejects.toMatchObject({
      ...refused,
      path: "steps[0]",
    });
    await expect(commit({ assistant: "x", steps: "none" })).rejects.toMatchObject(refused);
    await commit({ assistant: "fine", steps: [calling, answering] });
    await expect(commit({ assistant: "again" })).rejects.toMatchObject({ code: "EditNotAllowed" });
    await expect(turn.abort()).rejects.toMatchObject({ code: "EditNotAllowed" });
  }
  expect(await textsOf(galley, "a")).toEqual(["hello", "fine"]);
  expect(await readSession(galley, "s")).toHaveLength(4);
});

test("[W11] runs that wait when Galley closes are stored and gone on with, in their order; aborted ones are not", async () => {
  let isSlow = true;
  const { galley, data, server } = await galleyWith(() => (isSlow ? { stalledText: "Wait" } : { text: "Here." }));
  const [first, second, third] = ["one", "two", "three"].map((input) => galley.run({ chat: "a", input }));
  const again = galley.regenerate("a");
  for await (const event of first ?? []) if (event.type === "text") break;
  third?.abort("not that one");
  await galley.close();
  await expect(second?.result).rejects.toMatchObject({ code: "RunAborted", retryable: true });
  await expect(third?.result).rejects.toMatchObject({ code: "RunAborted", retryable: false });
  await expect(again.result).rejects.toMatchObject({ code: "RunAborted" });
  isSlow = false;
  const models = { default: "local/tiny-1", providers: [{ name: "local", baseUrl: `${server.url}/v1` }] };
  const next = await galleyIn(data, { config: { models } });
  const resumed = await next.resume();
  expect(resumed.map(({ runId }) => runId)).toEqual([first?.runId, second?.runId]);
  await Promise.all(resumed.map(({ result }) => result));
  expect(await textsOf(next, "a")).toEqual(["one", "Here.", "two", "Here."]);
  expect(await textsOf(next, "a", "transcript")).toEqual(["three", "one", "Here.", "two", "Here."]);
});

test("[W11] a run that is aborted while it waits ends at once, with its message in the transcript", async () => {
  const { galley } = await galleyWith(() => ({ stalledText: "Wait" }));
  const first = galley.run({ chat: "a", input: "one" });
  for await (const event of first) if (event.type === "text") break;
  const second = galley.run({ chat: "a", input: "two" });
  const again = galley.regenerate("a");
  second.abort("not that one");
  again.abort("nor that");
  await expect(second.result).rejects.toMatchObject({ code: "RunAborted", retryable: false });
  await expect(again.result).rejects.toMatchObject({ retryable: false });
  expect([await textsOf(galley, "a"), await textsOf(galley, "a", "transcript")]).toEqual([[], ["two"]]);
  expect(await galley.store.runs.get("default", second.runId)).toMatchObject({ status: "aborted" });
  expect(galley.runs.running().map(({ runId }) => runId)).toEqual([first.runId]);
});

test("a run that is asked for again while nobody works on it can be resumed in the same process", async () => {
  let isSlow = true;
  const { galley, data, server } = await galleyWith(() => (isSlow ? { stalledText: "Wait" } : { text: "Here." }));
  const request = { chat: "a", input: "hello", runId: "r1" };
  for await (const event of galley.run(request)) if (event.type === "text") break;
  await galley.close();
  isSlow = false;
  const models = { default: "local/tiny-1", providers: [{ name: "local", baseUrl: `${server.url}/v1` }] };
  const next = await galleyIn(data, { config: { models } });
  const follower = next.run(request);
  for await (const event of follower) if (event.type === "run:started") break;
  expect(await next.resume()).toHaveLength(1);
  expect(await follower.result).toMatchObject({ text: "Here." });
  await expect(next.run({ ...request, input: "bye" }).result).rejects.toMatchObject({ code: "DuplicateId" });
  expect(await textsOf(next, "a")).toEqual(["hello", "Here."]);
});

test("a run that somebody else works on can be aborted by asking for it again", async () => {
  const { galley, data, server } = await galleyWith(() => ({ stalledText: "Wait" }));
  const request = { chat: "a", input: "hello", runId: "r1" };
  for await (const event of galley.run(request)) if (event.type === "text") break;
  const models = { default: "local/tiny-1", providers: [{ name: "local", baseUrl: `${server.url}/v1` }] };
  const other = await galleyIn(data, { config: { models } });
  const follower = other.run(request);
  for await (const event of follower) if (event.type === "run:started") break;
  follower.abort("enough");
  await expect(follower.result).rejects.toMatchObject({ code: "RunAborted" });
  expect(await other.store.runs.get("default", "r1")).toMatchObject({ status: "aborted" });
});

test("an id that was refused before anything was stored can be used again", async () => {
  const galley = await galleyIn();
  const request = { chat: "a", input: "hello", runId: "r1" };
  await expect(galley.run({ ...request, limits: { maxCalls: 0 } }).result).rejects.toMatchObject({
    code: "BadRequest",
  });
  await expect(galley.run(request).result).resolves.toMatchObject({ finish: "stop" });
});

test("a name that no model can have is refused before anything is written", async () => {
  const galley = await galleyIn();
  for (const model of ["a\0b", "\ud800", "x".repeat(301)]) {
    const refused = { code: "ModelUnavailable", path: "model" };
    await expect(galley.run({ chat: "a", input: "x", model }).result).rejects.toMatchObject(refused);
    await expect(galley.turn({ chat: "a", input: "x", model })).rejects.toMatchObject(refused);
  }
});
