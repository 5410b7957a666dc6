import { expect, test } from "vitest";
import type { ModelMessage } from "@galley/engine";
import * as z from "zod";
import { galleyIn, galleyWith, textsOf } from "../../galley/testing/temp-galley.ts";
import { messageId } from "../../chat/lines/chat-line.ts";
import { defineTool } from "../../tools/define-tool.ts";

const call = (toolCallId: string, toolName: string, input: object = {}): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool-call", toolCallId, toolName, input }],
});

function counter() {
  const calls: unknown[] = [];
  const tool = defineTool({
    name: "count",
    description: "Counts.",
    inputSchema: z.object({ by: z.number().default(1) }),
    execute: (input) => {
      calls.push(input);
      return { calls: calls.length };
    },
  });
  return { calls, tool };
}

test("[T7] a loop of one's own: every call is built from all steps, the tools run through the turn", async () => {
  const { calls, tool } = counter();
  const galley = await galleyIn(undefined, { tools: [tool] });
  const turn = await galley.turn({ chat: "a", input: "count twice" });
  expect(turn.tools.map(({ name }) => name)).toContain("count");
  const steps: ModelMessage[] = [];
  for (const id of ["1", "2"]) {
    const result = await turn.call({ toolCallId: id, toolName: "count", input: { by: 2 } });
    steps.push(call(id, "count", { by: 2 }), { role: "tool", content: [result] });
    const next = await turn.next(steps, { usage: { inputTokens: 100, outputTokens: 5 } });
    expect(next.messages.slice(-steps.length)).toEqual(steps);
    expect([next.turn, next.callOfTurn]).toEqual([turn.turn, turn.callOfTurn + Number(id)]);
  }
  expect(calls).toEqual([{ by: 2 }, { by: 2 }]);
  await turn.commit({ assistant: "Two.", usage: { inputTokens: 120, outputTokens: 2 } });
  const builds = await galley.store.builds.list({ projectId: "default", sessionId: "chat:a" });
  expect(builds.map(({ usage }) => usage?.inputTokens)).toEqual([100, 100, 120]);
  expect(await textsOf(galley, "a")).toEqual(["count twice", "Two."]);
});

test("[T7] the same call again gives the same result and is made once; other input is an error", async () => {
  const { calls, tool } = counter();
  const galley = await galleyIn(undefined, { tools: [tool] });
  const turn = await galley.turn({ session: "s", input: "x" });
  const first = await turn.call({ toolCallId: "1", toolName: "count", input: {} });
  expect(await turn.call({ toolCallId: "1", toolName: "count", input: {} })).toEqual(first);
  expect(calls).toHaveLength(1);
  const other = turn.call({ toolCallId: "1", toolName: "count", input: { by: 3 } });
  await expect(other).rejects.toMatchObject({ code: "DuplicateId", path: "toolCallId" });
  const bad = await turn.call({ toolCallId: "2", toolName: "count", input: { by: "many" } });
  expect(bad.output).toMatchObject({ type: "error-json", value: { code: "ToolInputInvalid" } });
  await turn.commit({ assistant: "Still open until here." });
});

test("[T7] a switch by a tool of the turn changes what next builds, and where the reply goes", async () => {
  const galley = await galleyIn();
  await (await galley.turn({ chat: "a", input: "boats" })).commit({ assistant: "Boats." });
  const turn = await galley.turn({ chat: "a", input: "now taxes" });
  const result = await turn.call({ toolCallId: "1", toolName: "chat_context_new", input: { title: "Boats" } });
  const steps: ModelMessage[] = [
    call("1", "chat_context_new", { title: "Boats" }),
    { role: "tool", content: [result] },
  ];
  const next = await turn.next(steps);
  expect(JSON.stringify(next.messages)).not.toContain("Boats.");
  expect(next.messages.slice(-3)).toEqual([{ role: "user", content: "now taxes" }, ...steps]);
  await turn.commit({ assistant: "Taxes." });
  expect(await textsOf(galley, "a")).toEqual(["now taxes", "Taxes."]);
});

test("[T7] after a provider called it too long, overflow gives a smaller build", async () => {
  const galley = await galleyIn();
  const long = "word ".repeat(300);
  for (let n = 0; n < 5; n += 1) await (await galley.turn({ chat: "a", input: long })).commit({ assistant: long });
  const turn = await galley.turn({ chat: "a", input: "short" });
  const smaller = await turn.overflow({
    message: "maximum context length is 2500 tokens, however you requested 3500 tokens",
  });
  expect(smaller.stats.inputTokens).toBeLessThan(turn.stats.inputTokens);
  const again = await turn.overflow();
  expect(again.stats.inputTokens).toBeLessThan(smaller.stats.inputTokens);
  await turn.commit({ assistant: "Good." });
  expect((await textsOf(galley, "a")).slice(-2)).toEqual(["short", "Good."]);
});

test("[T7] what does not fit the turn is an error with its path, and the turn stays open", async () => {
  const galley = await galleyIn();
  const turn = await galley.turn({ chat: "a", input: "x", limits: { maxCalls: 2 } });
  const steps: ModelMessage[] = [
    call("1", "mine"),
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "1", toolName: "mine", output: { type: "text", value: "y" } }],
    },
  ];
  const errors: [Promise<unknown>, object][] = [
    [turn.call({ toolCallId: "1", toolName: "nothing", input: {} }), { code: "NotFound", path: "toolName" }],
    [turn.call({ toolCallId: "", toolName: "nothing", input: {} }), { path: "toolCallId" }],
    [turn.next([call("1", "mine")]), { code: "ContextInvalidInput", path: "steps" }],
    [turn.next(steps, { usage: { inputTokens: -1 } }), { path: "usage.inputTokens" }],
    [turn.next(steps, { usages: {} } as never), { path: "usages", hint: expect.stringContaining("usage") as string }],
    [turn.overflow({ message: 5 as never }), { code: "ContextInvalidInput", path: "message" }],
    [turn.commit(undefined as never), { code: "ContextInvalidInput" }],
    [turn.commit({ assistant: "x", reply: "y" } as never), { code: "ContextInvalidInput", path: "reply" }],
    [turn.commit({ assistant: "x", onConflict: "merge" as never }), { path: "onConflict" }],
    [turn.commit({ assistant: { role: "user", content: "x" } as never }), { path: "assistant" }],
  ];
  for (const [result, error] of errors) await expect(result).rejects.toMatchObject(error);
  await turn.next(steps);
  await expect(turn.next([{ role: "assistant", content: "other" }])).rejects.toMatchObject({ path: "steps[0]" });
  await expect(turn.next(steps)).rejects.toMatchObject({ code: "EditNotAllowed", path: "limits.maxCalls" });
  await expect(turn.commit({ assistant: "y", steps: [] })).rejects.toMatchObject({ path: "steps[0]" });
  await turn.commit({ assistant: "y" });
  const over = { code: "EditNotAllowed", path: "turn" };
  for (const after of [
    turn.next(steps),
    turn.call({ toolCallId: "9", toolName: "x", input: {} }),
    turn.overflow(),
    turn.abort(),
  ])
    await expect(after).rejects.toMatchObject(over);
  await expect(turn.commit({ assistant: "z" })).rejects.toMatchObject(over);
  await turn.commit({ assistant: "y" });
  expect(await textsOf(galley, "a")).toEqual(["x", "y"]);
});

test("[T8] a chat that keeps steps sends them again; one that drops them has one counted row", async () => {
  const galley = await galleyIn();
  const steps: ModelMessage[] = [
    call("1", "mine"),
    {
      role: "tool",
      content: [{ type: "tool-result", toolCallId: "1", toolName: "mine", output: { type: "text", value: "y" } }],
    },
  ];
  for (const toolSteps of ["keep", "drop"] as const) {
    const place = { chat: toolSteps, context: { toolSteps } };
    await (await galley.turn({ ...place, input: "q" })).commit({ assistant: "a", steps });
    const { messages, ledger } = await galley.turn({ ...place, input: "again" });
    const isKept = toolSteps === "keep";
    expect(messages.filter(({ role }) => role === "tool")).toHaveLength(isKept ? 1 : 0);
    const rows = ledger.filter(({ rule }) => rule === "tool-steps");
    expect(rows.map(({ count, fate }) => [count, fate])).toEqual(isKept ? [] : [[2, "dropped"]]);
    const chat = await galley.chats.open(toolSteps);
    expect(chat.window().messages).toHaveLength(2);
    const { archived } = await chat.newContext({ title: "x" });
    expect(archived?.messageCount).toBe(2);
    await chat.loadContext({ contextId: archived?.contextId ?? "", mode: "recent" });
    const back = await galley.turn({ ...place, input: "again" });
    expect(back.messages.filter(({ role }) => role === "tool")).toHaveLength(isKept ? 1 : 0);
    const [question] = chat.window().messages;
    await chat.redact(question ? messageId(question) : "");
    expect(JSON.stringify((await galley.turn({ ...place, input: "again" })).messages)).not.toContain('"y"');
  }
});

test("[T8] runs keep their steps in the same way", async () => {
  const { tool } = counter();
  const galley = await galleyIn(undefined, { tools: [tool] });
  await galley.run({ chat: "a", input: "call count {}", context: { toolSteps: "keep" } }).result;
  const { messages } = await galley.turn({ chat: "a", input: "again" });
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
});

test("[T17] a session keeps the steps of a run that was stopped, and what was being said", async () => {
  const { tool } = counter();
  let asked = 0;
  const { galley } = await galleyWith(
    ({ tools }) => {
      const first = tools.find(({ name }) => name === "count");
      return (asked += 1) === 1 && first ? { tool: first, input: {} } : { stalledText: "It is " };
    },
    { tools: [tool] },
  );
  const run = galley.run({ session: "s", input: "count" });
  for await (const event of run) if (event.type === "text") run.abort();
  await expect(run.result).rejects.toMatchObject({ code: "RunAborted" });
  const { messages } = await galley.turn({ session: "s", input: "Go on." });
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
  expect(messages.at(-2)?.content).toBe("It is\n\n[The person stopped the reply here.]");
});
