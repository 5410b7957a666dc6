import { type WireProvider, exportFor } from "@galley/engine";
import { expect, test } from "vitest";
import {
  apiKey,
  bytesBelow,
  eventsOf,
  galleyIn,
  galleyWith,
  protocolModels,
  textsOf,
} from "../../galley/testing/temp-galley.ts";
import type { LlmRequest } from "../../models/testing/llm-protocols.ts";
import { toolCallingModel } from "../../models/testing/llm-server.ts";

const protocols = Object.entries(protocolModels) as readonly (readonly [Exclude<WireProvider, "ai-sdk">, string])[];
const contentFields = {
  "openai-chat": ["messages", "tools"],
  "openai-responses": ["instructions", "input", "tools"],
  anthropic: ["system", "messages", "tools"],
  gemini: ["systemInstruction", "contents", "tools"],
} as const;

test.each(protocols)(
  "[P5] over %s a run streams a reply, and sends exactly what our exporter makes",
  async (wire, model) => {
    const { galley, server, data } = await galleyWith(() => ({ text: "Hello back." }));
    await (await galley.turn({ chat: "demo", input: "before" })).commit({ assistant: "yes" });
    const run = galley.run({ chat: "demo", model, input: "hello" });
    const events = await eventsOf(run);
    const { text, finish, session, calls } = await run.result;
    expect([text, finish]).toEqual(["Hello back.", "stop"]);
    expect(
      events
        .filter(({ type }) => type === "text")
        .map((event) => "delta" in event && event.delta)
        .join(""),
    ).toBe(text);
    expect(server.requests.map(({ protocol }) => protocol)).toEqual([wire]);
    const [sent = ""] = server.bodies;
    const stored = await galley.store.builds.read({ projectId: "default", sessionId: session }, calls[0] ?? 0);
    const { messages = [], tools = [], stablePrefix = 0 } = stored ?? {};
    const made = exportFor(wire, { messages, tools, model, cacheBreakpoints: [stablePrefix - 1] }).request;
    const pick = (value: object): unknown =>
      contentFields[wire].map((name) => [name, (value as Record<string, unknown>)[name]]);
    expect(pick(JSON.parse(sent) as object)).toEqual(pick(JSON.parse(JSON.stringify(made)) as object));
    expect(stored?.raw).toBe(sent);
    expect(await textsOf(galley, "demo")).toEqual(["before", "yes", "hello", "Hello back."]);
    await galley.close();
    expect(bytesBelow(data)).not.toContain(apiKey);
  },
);

test.each(protocols)("[W11] over %s a model switches its context, and goes on in the new one", async (_, model) => {
  const { galley, server } = await galleyWith(toolCallingModel("chat_context_new", { title: "Old things" }));
  await (await galley.turn({ chat: "demo", input: "old question" })).commit({ assistant: "old answer" });
  const run = galley.run({ chat: "demo", model, input: "something new" });
  const events = await eventsOf(run);
  const types = events.map(({ type }) => type);
  const builds = events.flatMap((event) => (event.type === "build" ? [[event.n, event.turn, event.callOfTurn]] : []));
  // [V1] Calls 1 and 2 of turn 2.
  expect(builds).toEqual([
    [2, 2, 1],
    [3, 2, 2],
  ]);
  expect(types.filter((type) => type !== "text" && type !== "reasoning")).toEqual([
    "run:started",
    "build",
    "tool:call",
    "tool:result",
    "context:switched",
    "build",
    "run:finished",
  ]);
  const [first, second] = server.requests as [LlmRequest, LlmRequest];
  expect(first.userTexts.join()).toContain("old question");
  expect(second.userTexts.join()).not.toContain("old question");
  expect(second.userTexts.join()).toContain("something new");
  expect(second.toolResults).toHaveLength(1);
  expect(second.toolResults[0]).toContain("Old things");
  const texts = await textsOf(galley, "demo");
  expect(texts[0]).toBe("something new");
  expect(texts).toHaveLength(2);
  expect(await textsOf(galley, "demo", "transcript")).toHaveLength(4);
});

test("[P5] what a provider would refuse is refused before anything is sent", async () => {
  const { galley, server } = await galleyWith(() => ({ text: "x" }));
  const content = [{ type: "image" as const, image: new Uint8Array([1, 2, 3]), mediaType: "image/tiff" }];
  const run = galley.run({ chat: "demo", model: protocolModels.anthropic, input: { role: "user", content } });
  await expect(run.result).rejects.toMatchObject({ code: "WireInvalid" });
  expect(server.bodies).toEqual([]);
  expect(await textsOf(galley, "demo")).toEqual([]);
});

test("[P6] a secret that the user or the model says is kept nowhere, also when it comes in pieces", async () => {
  const { galley, data } = await galleyWith(() => ({ text: `The key is ${apiKey}, right?` }));
  const run = galley.run({ chat: "demo", input: `my key is ${apiKey}` });
  const events = await eventsOf(run);
  expect(JSON.stringify(events)).not.toContain(apiKey);
  expect((await run.result).text).toContain("‹secret:");
  await galley.run({ session: "s", input: `my key is ${apiKey}` }).result;
  await galley.close();
  expect(bytesBelow(data)).not.toContain(apiKey);
});

test("[P6] an error of a provider that repeats the key tells nobody of it", async () => {
  const { galley, data } = await galleyWith(() => ({ status: 401, error: `Incorrect API key provided: ${apiKey}` }));
  const run = galley.run({ chat: "demo", input: "hello" });
  await expect(run.result).rejects.toMatchObject({ code: "ModelRefused" });
  expect(JSON.stringify(await eventsOf(run))).not.toContain(apiKey);
  expect(JSON.stringify(await galley.store.runs.list("default"))).not.toContain(apiKey);
  await galley.close();
  expect(bytesBelow(data)).not.toContain(apiKey);
});

test("a model that cannot be used fails the run with what to set, and keeps the user's message", async () => {
  const galley = await galleyIn();
  const run = galley.run({ chat: "demo", model: "claude-sonnet-4-5", input: "hello" });
  await expect(run.result).rejects.toMatchObject({ code: "ModelUnavailable" });
  expect((await eventsOf(run)).map(({ type }) => type)).toContain("run:failed");
  expect([await textsOf(galley, "demo"), await textsOf(galley, "demo", "transcript")]).toEqual([[], ["hello"]]);
});

test("[F4] what a provider reports corrects the estimates of the next builds, also after a restart", async () => {
  const { galley, data } = await galleyWith(() => ({ text: "ok", inputTokens: 1500 }), { window: 30_000 });
  const input = "Some ordinary words of a long message. ".repeat(120);
  const sizes: number[] = [];
  for (let index = 0; index < 4; index += 1) {
    const run = galley.run({ session: `s${index}`, model: "local/tiny-1", input });
    const build = (await eventsOf(run)).find((event) => event.type === "build");
    sizes.push(build?.type === "build" ? build.stats.inputTokens : 0);
  }
  expect(new Set(sizes.slice(0, 3)).size).toBe(1);
  expect(sizes[3]).not.toBe(sizes[0]);
  await galley.close();
  const again = await galleyIn(data);
  const { stats } = await again.turn({ session: "s9", model: "local/tiny-1", input });
  expect(stats).toMatchObject({ exactness: "calibrated", inputTokens: sizes[3] });
});
