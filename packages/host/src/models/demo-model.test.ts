import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import { jsonSchema, stepCountIs, streamText, tool } from "ai";
import { expect, test } from "vitest";
import { demoCommands } from "./demo-commands.ts";
import { demoModel } from "./demo-model.ts";
import { demoReply } from "./demo-reply.ts";

const user = (text: string): LanguageModelV4Message => ({ role: "user", content: [{ type: "text", text }] });
const toolsNamed = (...names: readonly string[]): NonNullable<LanguageModelV4CallOptions["tools"]> =>
  names.map((name) => ({ type: "function", name, inputSchema: { type: "object" } }));

const all = toolsNamed(
  "chat_context_new",
  "chat_context_load",
  "chat_context_list",
  "chat_context_clear_active",
  "delegate_async",
  "ask_expert",
  "fork_join",
  "launch_principal",
  "weather",
);
const task = (name: string, instruction: string) => ({ target_strategy: "new", target_ref: name, instruction });

test.each([
  ["new topic: tea", "chat_context_new", { reason: "A new topic: tea" }],
  ["新话题：茶", "chat_context_new", { reason: "A new topic: 茶" }],
  ["Let's talk about something else.", "chat_context_new", { reason: "The user wants to talk about something else." }],
  ["back to the tea", "chat_context_load", { query: "the tea" }],
  ["回到喝茶", "chat_context_load", { query: "喝茶" }],
  ["list contexts", "chat_context_list", {}],
  ["清空上下文", "chat_context_clear_active", {}],
  ["delegate to writer: a poem", "delegate_async", task("writer", "a poem")],
  ["委托给 writer：写一首诗", "delegate_async", task("writer", "写一首诗")],
  ["ask critic: is it good?", "ask_expert", { profile_name: "critic", question: "is it good?" }],
  ["launch writer: a poem", "launch_principal", { profile_name: "writer", instruction: "a poem" }],
  ["fork: one | critic: two", "fork_join", { tasks: [task("demo", "one"), task("critic", "two")] }],
  ["fork writer: one | two", "fork_join", { tasks: [task("writer", "one"), task("writer", "two")] }],
  ['call weather {"place": "Oslo"}', "weather", { place: "Oslo" }],
])("[W4] the demo model understands %j", (text, name, input) => {
  const prompt = [user(text)];
  const reply = demoReply({ prompt, tools: all });
  expect(reply).toMatchObject({ kind: "call", tool: name });
  expect(JSON.parse(reply.kind === "call" ? reply.input : "")).toEqual(input);
  expect(demoReply({ prompt, tools: all })).toEqual(reply);
  expect(demoReply({ prompt })).toMatchObject({ kind: "text", text: expect.stringContaining("not offered") as string });
  expect(demoReply({ prompt, tools: all, toolChoice: { type: "none" } })).toMatchObject({ kind: "text" });
});

test("what is not a command is echoed, under its own name", () => {
  const reply = demoReply({ prompt: [user("Hello there")], tools: toolsNamed("weather") });
  expect(reply).toEqual({ kind: "text", text: "[demo] You said: “Hello there”. I could call weather." });
  const unclear = demoReply({ prompt: [user("call weather {place}")], tools: all });
  expect(unclear).toEqual({
    kind: "text",
    text: "[demo] I did not understand that: what follows weather is not JSON.",
  });
});

test("a run calls one tool after the other, says what came of it, and ends", async () => {
  const asked: unknown[] = [];
  const result = streamText({
    model: demoModel(),
    prompt: 'call weather {"place":"Oslo"}\ncall weather {"place":"Rome"}',
    stopWhen: stepCountIs(9),
    tools: {
      weather: tool({
        inputSchema: jsonSchema<{ place: string }>({ type: "object" }),
        execute: (input) => {
          asked.push(input.place);
          return { message: `Rain in ${input.place}.` };
        },
      }),
    },
  });
  const pieces: string[] = [];
  for await (const piece of result.textStream) pieces.push(piece);
  expect(asked).toEqual(["Oslo", "Rome"]);
  expect(pieces.join("")).toBe("[demo] weather says: Rain in Rome.");
  expect(pieces.length).toBeGreaterThan(4);
  expect(await result.finishReason).toBe("stop");
  const ids = (await result.steps).flatMap(({ toolCalls }) => toolCalls.map(({ toolCallId }) => toolCallId));
  expect(new Set(ids).size).toBe(2);
  expect((await result.usage).inputTokens).toBeGreaterThan(10);
});

test("long streams come word by word, end at the limit, and stop when they are told to", async () => {
  const call = (text: string, options: Partial<LanguageModelV4CallOptions> = {}) => ({
    prompt: [user(text)],
    ...options,
  });
  const long = await demoModel().doGenerate(call("say 500 words"));
  expect(long.content).toMatchObject([{ text: expect.stringMatching(/^\[demo\] word1 .* word500$/u) as string }]);
  const cut = await demoModel().doGenerate(call("say 500 words", { maxOutputTokens: 50 }));
  expect(cut.finishReason.unified).toBe("length");
  expect(cut.usage.outputTokens.total).toBeLessThanOrEqual(50);

  const stop = new AbortController();
  const { stream } = await demoModel().doStream(call("slowly", { abortSignal: stop.signal }));
  let words = 0;
  const read = async (): Promise<void> => {
    for await (const part of stream) {
      if (part.type === "text-delta" && (words += 1) === 5) stop.abort();
    }
  };
  await expect(read()).rejects.toMatchObject({ name: "AbortError" });
  expect(words).toBe(5);
});

test("a prompt above its window is refused in the way of a provider", async () => {
  const refused = demoModel({ windowTokens: 20 }).doGenerate({ prompt: [user("word ".repeat(100))] });
  await expect(refused).rejects.toMatchObject({
    statusCode: 400,
    data: { error: { code: "context_length_exceeded" } },
  });
});

test.each([" ", "\u2028", "x then "])("a million of %j in a message asks for nothing, and that at once", (text) => {
  for (const line of [
    text.repeat(1_000_000),
    `call x${text.repeat(1_000_000)}!`,
    `load ${text.repeat(500_000)}x\u2028y`,
  ])
    expect(demoCommands(line).filter(({ kind }) => kind === "call").length).toBeLessThan(2);
});
