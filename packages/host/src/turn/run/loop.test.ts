import { expect, test } from "vitest";
import { messageId } from "../../chat/lines/chat-line.ts";
import { dataFolder, eventsOf, galleyIn, galleyWith, textsOf } from "../../galley/testing/temp-galley.ts";
import type { Galley } from "../../galley/galley.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool } from "../../tools/tool.ts";
import type { LlmAnswer } from "../../models/testing/llm-protocols.ts";

const counter = (): Tool & { readonly calls: string[] } => {
  const calls: string[] = [];
  const tool = defineTool({
    name: "count",
    description: "Counts.",
    inputSchema: { type: "object" },
    execute: (_, { callId }) => {
      calls.push(callId);
      return { count: calls.length };
    },
  });
  return { ...tool, calls };
};

test("[F5] a run that goes on and on ends at its limit with a note for the user", async () => {
  const tool = counter();
  const { galley } = await galleyWith(({ tools }) => callOf(tools), { tools: [tool] });
  const { finish, text, calls } = await galley.run({ chat: "a", input: "go", limits: { maxCalls: 3 } }).result;
  expect([finish, calls.length, tool.calls.length]).toEqual(["limit", 3, 3]);
  expect(text).toContain("3 times");
  expect(await textsOf(galley, "a")).toEqual(["go", text]);
  // Servers that number the calls of each reply from one: within the run they are told apart.
  expect(new Set(tool.calls).size).toBe(3);
});

function callOf(tools: readonly { readonly name: string }[]): LlmAnswer {
  const tool = tools.find(({ name }) => name === "count") ?? { name: "count" };
  return { tool, input: {} };
}

test("a run whose time is over says so, and is not lost", async () => {
  const { galley } = await galleyWith(() => ({ stalledText: "Once upon" }));
  const { finish, text } = await galley.run({ chat: "a", input: "tell", limits: { maxMilliseconds: 300 } }).result;
  expect([finish, text.includes("300 ms")]).toEqual(["limit", true]);
});

test("calls of one reply are served up to a limit; the others are told so", async () => {
  const tool = counter();
  const galley = await galleyIn(undefined, { tools: [tool] });
  const run = galley.run({ session: "s", input: "call count {}\ncall count {}", limits: { maxToolCallsPerReply: 1 } });
  await run.result;
  expect(tool.calls).toHaveLength(2);
  await expect(galley.run({ chat: "a", input: "x", limits: { maxCalls: 0 } }).result).rejects.toMatchObject({
    code: "BadRequest",
    path: "limits.maxCalls",
  });
});

test("[T17] stopped in the middle of a stream, a run keeps its question and what was said so far", async () => {
  const { galley } = await galleyWith(() => ({ stalledText: "Half a sen" }));
  const run = galley.run({ chat: "a", input: "hello" });
  for await (const event of run) if (event.type === "text") run.abort("enough");
  await expect(run.result).rejects.toMatchObject({
    code: "RunAborted",
    message: expect.stringContaining("enough") as string,
  });
  const both = ["hello", "Half a sen"];
  expect([await textsOf(galley, "a"), await textsOf(galley, "a", "transcript")]).toEqual([both, both]);
  expect(await galley.store.runs.get("default", run.runId)).toMatchObject({ status: "aborted" });
  const { messages } = await galley.turn({ chat: "a", input: "Go on." });
  expect(messages.at(-2)?.content).toBe("Half a sen\n\n[The person stopped the reply here.]");
});

test("a signal of the caller aborts as well, also before the run has begun", async () => {
  const galley = await galleyIn();
  const signal = AbortSignal.abort(new Error("too late"));
  await expect(galley.run({ chat: "a", input: "hello", signal }).result).rejects.toMatchObject({ code: "RunAborted" });
  expect(await textsOf(galley, "a", "transcript")).toEqual(["hello"]);
});

test("[W11] a provider that fails leaves the user's message in the transcript only", async () => {
  const { galley } = await galleyWith(() => ({ status: 400, error: "Something is wrong." }));
  const run = galley.run({ chat: "a", input: "hello" });
  await expect(run.result).rejects.toMatchObject({ code: "ModelRefused" });
  expect([await textsOf(galley, "a"), await textsOf(galley, "a", "transcript")]).toEqual([[], ["hello"]]);
});

test("[F1] called too long once, the context is built again, smaller, and the run goes on", async () => {
  let refusals = 1;
  const { galley, server } = await galleyWith(
    () =>
      refusals-- > 0
        ? { status: 400, error: "maximum context length is 1000 tokens. However, you requested 2500 tokens." }
        : { text: "Fine." },
    { window: 4000 },
  );
  await sayMuch(galley, "a");
  const run = galley.run({ chat: "a", input: "and now?" });
  const events = await eventsOf(run);
  expect((await run.result).text).toBe("Fine.");
  expect(events.filter(({ type }) => type === "overflow:recovered")).toHaveLength(1);
  const sizes = events.flatMap((event) => (event.type === "build" ? [event.stats.inputTokens] : []));
  expect(sizes).toHaveLength(2);
  expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 0.4);
  expect(server.bodies[1]?.length).toBeLessThan(server.bodies[0]?.length ?? 0);
  expect((await galley.store.builds.list({ projectId: "default", sessionId: "chat:a" }))[1]).toMatchObject({
    compacted: true,
  });
});

async function sayMuch(galley: Galley, key: string): Promise<void> {
  const chat = await galley.chats.open(key);
  for (let index = 0; index < 10; index += 1) {
    await chat.append([
      { role: "user", content: `Question ${index}: ${"what about it? ".repeat(20)}` },
      { role: "assistant", content: `Answer ${index}. ${"It is like this. ".repeat(20)}` },
    ]);
  }
}

test("[F1] called too long twice, a run fails with ContextOverflow", async () => {
  const { galley, server } = await galleyWith(() => ({ status: 400, error: "context_length_exceeded" }));
  await sayMuch(galley, "a");
  await expect(galley.run({ chat: "a", input: "hello" }).result).rejects.toMatchObject({ code: "ContextOverflow" });
  expect(server.bodies).toHaveLength(2);
});

test("[F8] a chat that outgrows its window is compacted once, and the cut stays for the next turns", async () => {
  const { galley } = await galleyWith(() => ({ text: "It is like this. ".repeat(20) }), { window: 2400 });
  for (let index = 0; index < 14; index += 1) {
    await galley.run({ chat: "a", input: `Question ${index}: ${"what about it? ".repeat(20)}` }).result;
  }
  const builds = await galley.store.builds.list({ projectId: "default", sessionId: "chat:a" });
  const compactions = builds.filter(({ compacted }) => compacted).length;
  expect(compactions).toBeGreaterThan(0);
  expect(compactions).toBeLessThan(7);
  expect(builds.every(({ stats, budget }) => stats.inputTokens <= budget)).toBe(true);
  expect(builds.some(({ bySource }) => (bySource["summary"] ?? 0) > 0)).toBe(true);
  expect(builds.at(-1)?.problems.filter(({ code }) => code === "UnknownReference")).toEqual([]);
  expect(await textsOf(galley, "a", "transcript")).toHaveLength(28);
});

test("[W10] runs in sixteen chats at once, and one after the other in each, lose and double nothing", async () => {
  const galley = await galleyIn();
  const inputs = Array.from({ length: 16 }, (_, chat) => Array.from({ length: 4 }, (__, turn) => `m${chat}-${turn}`));
  await Promise.all(
    inputs.flatMap((texts, chat) => texts.map((input) => galley.run({ chat: `chat ${chat}`, input }).result)),
  );
  for (const [chat, texts] of inputs.entries()) {
    const said = await textsOf(galley, `chat ${chat}`);
    expect(said.filter((_, index) => index % 2 === 0)).toEqual(texts);
    expect(await textsOf(galley, `chat ${chat}`, "transcript")).toEqual(said);
  }
  expect(await galley.store.runs.list("default", { status: "finished", limit: 100 })).toHaveLength(64);
});

test("a run that is asked for twice runs once, also when it has ended or after a restart", async () => {
  const { galley, server, data } = await galleyWith(() => ({ text: "once" }));
  const request = { chat: "a", input: "hello", runId: "r1" };
  const both = await Promise.all([galley.run(request).result, galley.run(request).result]);
  expect(both[0]).toBe(both[1]);
  const other = { code: "DuplicateId", path: "runId" };
  await expect(galley.run({ ...request, input: "bye" }).result).rejects.toMatchObject(other);
  await galley.close();
  const again = await galleyIn(data);
  const run = again.run(request);
  expect(await run.result).toEqual(both[0]);
  expect((await eventsOf(run)).map(({ type }) => type)).toEqual(["run:started", "run:finished"]);
  expect(server.bodies).toHaveLength(1);
  expect(await textsOf(again, "a")).toEqual(["hello", "once"]);
  const third = await galleyIn(data);
  await expect(third.run({ ...request, input: "bye" }).result).rejects.toMatchObject(other);
});

test("[M6] a reply can be regenerated: the old one stays in the transcript only", async () => {
  let count = 0;
  const { galley, server } = await galleyWith(() => ({ text: `answer ${(count += 1)}` }));
  await galley.run({ chat: "a", input: "one" }).result;
  await galley.run({ chat: "a", input: "two" }).result;
  await galley.regenerate("a").result;
  expect(await textsOf(galley, "a")).toEqual(["one", "answer 1", "two", "answer 3"]);
  expect(await textsOf(galley, "a", "transcript")).toEqual(["one", "answer 1", "two", "answer 2", "answer 3"]);
  expect(server.requests[2]?.userTexts).toEqual(["one", "two"]);
});

test("[M6] a message can be said differently: what followed it stays in the transcript only", async () => {
  let count = 0;
  const { galley, server } = await galleyWith(() => ({ text: `answer ${(count += 1)}` }));
  await galley.run({ chat: "a", input: "one" }).result;
  await galley.run({ chat: "a", input: "two" }).result;
  const [first] = (await galley.chats.open("a")).window().messages;
  const id = first ? messageId(first) : "";
  await galley.edit("a", id, "another one").result;
  expect(await textsOf(galley, "a")).toEqual(["another one", "answer 3"]);
  expect(await textsOf(galley, "a", "transcript")).toHaveLength(6);
  expect(server.requests[2]?.userTexts).toEqual(["another one"]);
  await expect(galley.edit("a", id, "x").result).rejects.toMatchObject({ code: "NotFound", path: "messageId" });
});

test("[M6] what others say while a reply is regenerated stays, behind it", async () => {
  const others: string[] = [];
  const tool = defineTool({
    name: "wait",
    description: "Waits.",
    inputSchema: { type: "object" },
    execute: async () => {
      const chat = await galley.chats.open("a");
      await chat.append(others.map((content) => ({ role: "user" as const, content })));
      return {};
    },
  });
  const galley = await galleyIn(dataFolder(), { tools: [tool] });
  await galley.run({ chat: "a", input: "call wait {}" }).result;
  others.push("meanwhile");
  const { text } = await galley.regenerate("a").result;
  expect(await textsOf(galley, "a")).toEqual(["call wait {}", text, "meanwhile"]);
  expect(await textsOf(galley, "a", "transcript")).toEqual(["call wait {}", text, "meanwhile", text]);
});

test("[M6] a branch that fails leaves everything as it was", async () => {
  let isBroken = false;
  const { galley } = await galleyWith(() => (isBroken ? { status: 400, error: "no" } : { text: "fine" }));
  await galley.run({ chat: "a", input: "one" }).result;
  isBroken = true;
  await expect(galley.regenerate("a").result).rejects.toMatchObject({ code: "ModelRefused" });
  expect([await textsOf(galley, "a"), await textsOf(galley, "a", "transcript")]).toEqual([
    ["one", "fine"],
    ["one", "fine"],
  ]);
  await expect(galley.regenerate("nothing said").result).rejects.toMatchObject({ code: "NotFound" });
});

test("[M6] in a session, regenerating and editing are branches of its log", async () => {
  let count = 0;
  const { galley } = await galleyWith(() => ({ text: `answer ${(count += 1)}` }));
  const place = { session: "s" };
  await galley.run({ ...place, input: "one" }).result;
  await galley.run({ ...place, input: "two" }).result;
  await galley.regenerate(place).result;
  const read = async (): Promise<unknown[]> =>
    (await galley.turn({ ...place, input: "?" })).messages.slice(1, -1).map(({ content }) => content);
  expect(await read()).toEqual(["one", "answer 1", "two", "answer 3"]);
  const log = await galley.store.sessions.read({ projectId: "default", sessionId: "s" });
  const two = log.find((entry) => entry.type === "message" && entry.message.content === "two");
  await galley.edit(place, two?.id ?? "", "other two").result;
  expect((await read()).slice(0, 4)).toEqual(["one", "answer 1", "other two", "answer 4"]);
});

test("a tool that fails tells the model why, and the run goes on", async () => {
  const tool = defineTool({
    name: "break",
    description: "Breaks.",
    inputSchema: { type: "object" },
    execute: () => {
      throw new Error("it is broken");
    },
  });
  const galley = await galleyIn(undefined, { tools: [tool] });
  const run = galley.run({ chat: "a", input: "call break {}\ncall nothing {}" });
  const results = (await eventsOf(run)).filter((event) => event.type === "tool:result");
  expect(results.map((event) => event.type === "tool:result" && [event.name, event.isError])).toContainEqual([
    "break",
    true,
  ]);
  expect(JSON.stringify(results)).toContain("it is broken");
  await expect(run.result).resolves.toMatchObject({ finish: "stop" });
});

test("[W11] closing hands running runs back, and the next process that opens the folder goes on with them", async () => {
  let isSlow = true;
  const { galley, data, server } = await galleyWith(() => (isSlow ? { stalledText: "Wait" } : { text: "Here I am." }));
  const run = galley.run({ chat: "a", input: "hello" });
  for await (const event of run) if (event.type === "text") break;
  await galley.close();
  await expect(run.result).rejects.toMatchObject({ code: "RunAborted", retryable: true });
  isSlow = false;
  const again = await galleyIn(data, { config: configOf(server.url) });
  expect(await textsOf(again, "a", "transcript")).toEqual([]);
  const resumed = await again.resume();
  expect(resumed.map(({ runId }) => runId)).toEqual([run.runId]);
  expect((await resumed[0]?.result)?.text).toBe("Here I am.");
  expect(await textsOf(again, "a", "transcript")).toEqual(["hello", "Here I am."]);
  expect(await again.resume({ isOwner: true })).toEqual([]);
});

function configOf(url: string) {
  const baseUrl = `${url}/v1`;
  return { models: { default: "local/tiny-1", providers: [{ name: "local", baseUrl }] } };
}
