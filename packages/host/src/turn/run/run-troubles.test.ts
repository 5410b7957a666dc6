import { expect, test } from "vitest";
import { awaitTask } from "../../handover/plan/results.ts";
import { openHandover } from "../../handover/options/handover-options.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { type Chunk, call, galleyThatHears, key, say } from "../../galley/testing/chunked-model.ts";
import { addProfile, bytesBelow, eventsOf, textsOf } from "../../galley/testing/temp-galley.ts";
import type { Galley } from "../../galley/galley.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";

const toolNamed = (name: string, execute: (input: unknown, context: ToolContext) => unknown): Tool =>
  defineTool({ name, description: name, inputSchema: { type: "object" }, execute });
const deafTool = toolNamed("wait", () => new Promise(() => undefined));
const rowdyCall = call(["c1", "wait", "{}"]);

test("a tool that listens to nobody cannot hold a run beyond its time", async () => {
  const { galley } = await galleyThatHears([rowdyCall], { tools: [deafTool] });
  const { finish } = await galley.run({ chat: "a", input: "go", limits: { maxMilliseconds: 200 } }).result;
  expect(finish).toBe("limit");
});

test("a tool that listens to nobody keeps neither a run from being aborted nor Galley from closing", async () => {
  const { galley, data } = await galleyThatHears([rowdyCall], { tools: [deafTool] });
  const aborted = galley.run({ chat: "a", input: "go" });
  for await (const event of aborted) if (event.type === "tool:call") aborted.abort("enough");
  await expect(aborted.result).rejects.toMatchObject({ code: "RunAborted" });
  const closed = galley.run({ chat: "b", input: "go" });
  for await (const event of closed) if (event.type === "tool:call") break;
  await galley.close();
  await expect(closed.result).rejects.toMatchObject({ code: "RunAborted", retryable: true });
  const { galley: again } = await galleyThatHears([say("Here.")], { data, tools: [deafTool] });
  const resumed = await again.resume();
  expect(resumed.map(({ runId }) => runId)).toEqual([closed.runId]);
  expect(await resumed[0]?.result).toMatchObject({ text: "Here." });
});

test("a call whose arguments cannot be read is not made, and the model is told", async () => {
  const made: unknown[] = [];
  const tool = toolNamed("note", (input) => made.push(input));
  const first = call(["c1", "note", '{"text": "half'], ["c2", "note", '{"text": "whole"}']);
  const { galley, sent } = await galleyThatHears([first, say("Fine.")], { tools: [tool] });
  const run = galley.run({ chat: "a", input: "go" });
  const results = (await eventsOf(run)).flatMap((event) => (event.type === "tool:result" ? [event.isError] : []));
  expect(results).toEqual([true, false]);
  expect(made).toEqual([{ text: "whole" }]);
  expect(sent[1]).toContain("not valid JSON");
});

test("[W11] calls before and after a switch of the context are told apart, whatever ids the server gives", async () => {
  const ids: string[] = [];
  const tool = toolNamed("note", (_, { callId }) => ids.push(callId));
  const note = call(["call_1", "note", "{}"]);
  const replies = [note, call(["call_1", "chat_context_new", "{}"]), note, note, say("Done.")];
  const { galley } = await galleyThatHears(replies, { tools: [tool] });
  await (await galley.chats.open("a")).append([{ role: "user", content: "before" }]);
  await galley.run({ chat: "a", input: "go" }).result;
  expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
});

test("a reply with hundreds of calls is served up to the limit and written no more often than that", async () => {
  const made: string[] = [];
  const tool = toolNamed("note", (_, { callId }) => made.push(callId));
  const many = call(...Array.from({ length: 300 }, (_, index) => [`c${index}`, "note", "{}"] as const));
  const { galley, sent } = await galleyThatHears([many, say("Done.")], { tools: [tool] });
  const save = galley.store.runs.save.bind(galley.store.runs);
  let saves = 0;
  Object.assign(galley.store.runs, {
    save: (...given: Parameters<typeof save>) => {
      saves += 1;
      return save(...given);
    },
  });
  await galley.run({ chat: "a", input: "go", limits: { maxToolCallsPerReply: 5 } }).result;
  expect(made).toHaveLength(5);
  expect(saves).toBeLessThan(10);
  expect(sent[1]?.match(/Not served: one reply may make 5 calls/gu)).toHaveLength(295);
});

test("a reply without an end is stopped, and nothing of it is kept", async () => {
  const { galley } = await galleyThatHears([
    Array.from({ length: 90 }, (): Chunk => [{ content: "x".repeat(100_000) }]),
  ]);
  const run = galley.run({ chat: "a", input: "go" });
  await expect(run.result).rejects.toMatchObject({ code: "ModelFailed", message: expect.stringContaining("8000000") });
  expect([await textsOf(galley, "a"), await textsOf(galley, "a", "transcript")]).toEqual([[], ["go"]]);
});

test("half a stream is not a reply", async () => {
  const { galley } = await galleyThatHears([[[{ content: "Half a sen" }]]]);
  await expect(galley.run({ chat: "a", input: "go" }).result).rejects.toMatchObject({ code: "ModelFailed" });
  expect(await textsOf(galley, "a", "transcript")).toEqual(["go"]);
});

test("[P6] a secret that is given as a name is written nowhere", async () => {
  const { galley, data } = await galleyThatHears([say("Fine.")]);
  await galley.run({ chat: "a", input: "one", model: `local/${key}` }).result;
  await expect(galley.run({ chat: "a", input: "two", model: key }).result).rejects.toMatchObject({
    code: "ModelUnavailable",
  });
  const turn = await galley.turn({ chat: "a", input: "three", model: key });
  await turn.commit({ assistant: "ok" });
  const refused = { code: "InvalidId" };
  await expect(galley.run({ chat: `a ${key}`, input: "x" }).result).rejects.toMatchObject(refused);
  await expect(galley.run({ session: key, input: "x" }).result).rejects.toMatchObject(refused);
  await expect(galley.turn({ session: key, input: "x" })).rejects.toMatchObject(refused);
  await expect(galley.run({ chat: "a", input: "x", runId: key }).result).rejects.toMatchObject(refused);
  await expect(galley.chats.configure("a", { model: key })).rejects.toMatchObject({ ...refused, path: "model" });
  expect(await textsOf(galley, "a", "transcript")).toEqual(["one", "Fine.", "two", "three", "ok"]);
  await galley.close();
  expect(bytesBelow(data)).not.toContain(key);
});

test("[P6] a secret that becomes known after Galley was opened is masked in chats as well", async () => {
  const { galley } = await galleyThatHears([say("Fine.")]);
  galley.redactor.add("late", "a-late-secret-0123");
  await (await galley.chats.open("a")).append([{ role: "user", content: "It is a-late-secret-0123." }]);
  expect(JSON.stringify(await textsOf(galley, "a"))).not.toContain("a-late-secret-0123");
});

async function delegated(galley: Galley): Promise<Task> {
  await addProfile(galley, "writer", "You write.");
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
  return awaitTask(galley.project, id, openHandover(galley.handover.options));
}

test("[H4] in a task a tool that fails tells the model why, without secrets", async () => {
  const broken = toolNamed("break", () => {
    throw new Error(`No entry with ${key}.`);
  });
  const leaky = toolNamed("leak", () => ({ found: key }));
  const tools = [broken, leaky].map((tool) => ({ ...tool, isRepeatable: true }));
  const both = call(["c1", "break", "{}"], ["c2", "leak", "{}"]);
  const { galley, sent, data } = await galleyThatHears([both, say("I see.")], { tools });
  expect(await delegated(galley)).toMatchObject({ status: "succeeded", result: "I see." });
  expect(sent[1]).toContain("No entry with");
  expect(sent.join("\n")).not.toContain(key);
  await galley.close();
  expect(bytesBelow(data)).not.toContain(key);
});

test("[H4] in a task a call whose arguments cannot be read is not made", async () => {
  const made: unknown[] = [];
  const tool = { ...toolNamed("note", (input) => made.push(input)), isRepeatable: true };
  const { galley, sent } = await galleyThatHears([call(["c1", "note", '{"a']), say("Well.")], { tools: [tool] });
  expect(await delegated(galley)).toMatchObject({ status: "succeeded", result: "Well." });
  expect(made).toEqual([]);
  expect(sent[1]).toContain("not valid JSON");
});

test("[H4] a tool that listens to nobody keeps no worker from stopping", async () => {
  const { promise: called, resolve: onCall } = Promise.withResolvers<void>();
  const deaf = toolNamed("wait", () => {
    onCall();
    return new Promise(() => undefined);
  });
  const { galley } = await galleyThatHears([rowdyCall], { tools: [{ ...deaf, isRepeatable: true }] });
  await addProfile(galley, "writer", "You write.");
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Write." });
  await called;
  expect(id).not.toBe("");
  await expect(galley.close()).resolves.toBeUndefined();
});
