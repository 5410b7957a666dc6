import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { loadTokenizer } from "@galley/engine";
import { type ModelMessage, streamText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { type ModelReply, sendToModel } from "./call-model.ts";

type Part = LanguageModelV4StreamPart;

const finish: Part = {
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: {
    inputTokens: { total: 7, noCache: 4, cacheRead: 3, cacheWrite: 0 },
    outputTokens: { total: 2, text: 2, reasoning: 0 },
  },
};

function words(...deltas: readonly string[]): Part[] {
  return deltas.map((delta): Part => ({ type: "text-delta", id: "0", delta }));
}

function text(...deltas: readonly string[]): Part[] {
  return [{ type: "text-start", id: "0" }, ...words(...deltas), { type: "text-end", id: "0" }];
}

function modelThat(stream: () => ReadableStream<Part>): MockLanguageModelV4 {
  return new MockLanguageModelV4({ provider: "mine", modelId: "mine-1", doStream: async () => ({ stream: stream() }) });
}

const question = { role: "user" as const, content: "Well?" };
const info = { window: 9000, output: 900, isKnown: false } as never;

/** What a call of the model gives, and the pieces in which it was told. */
async function ask(model: MockLanguageModelV4, signal = new AbortController().signal) {
  const facts = { id: "mine-1", info, wire: "ai-sdk" as const, tokenizer: await loadTokenizer("other") };
  const resolved = { ...facts, provider: "mine", kind: "demo", model, tokenizer: async () => facts.tokenizer } as never;
  const built = { messages: [question], tools: [], stats: { inputTokens: 5 } as never, stablePrefix: 0 };
  const told: string[] = [];
  const reply = sendToModel({ ...facts, resolved })({
    built,
    signal,
    onText: (delta) => told.push(delta),
    onReasoning: (delta) => told.push(`(${delta})`),
  });
  return { told, reply: await reply.catch((error: unknown) => error as Error) };
}

const signed = { anthropic: { signature: "abc" } };
const call = { type: "tool-call" as const, toolCallId: "c", toolName: "look" };

const replies: Readonly<Record<string, readonly Part[]>> = {
  "a text": text("a", "b"),
  "two texts of one id, the one within a thought that is signed": [
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "hm" },
    ...text("a"),
    { type: "reasoning-delta", id: "0", delta: "", providerMetadata: signed },
    { type: "reasoning-end", id: "0" },
    ...text("b"),
  ],
  "an empty text, which is left out, and one with a note, which is not": [
    ...text(""),
    { type: "text-start", id: "1", providerMetadata: signed },
    { type: "text-end", id: "1" },
    ...text("a"),
  ],
  "a tool that the provider ran, its sources and notes to itself": [
    { type: "stream-start", warnings: [] },
    { type: "custom", kind: "mine.note" },
    { ...call, input: '{"q":"x"}', providerExecuted: true, dynamic: true },
    { type: "tool-result", toolCallId: "c", toolName: "look", result: { found: [1] } },
    { ...call, toolCallId: "d", input: "", providerExecuted: true, dynamic: true },
    { type: "tool-result", toolCallId: "d", toolName: "look", result: "nothing", isError: true },
    { type: "source", sourceType: "url", id: "s", url: "https://example.com" },
    ...text("Found."),
  ],
  "a file, in bytes": [
    { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2, 3]) } },
    ...text("There."),
  ],
};

test.each(Object.entries(replies))("the reply is what the AI SDK's own stream makes of it: %s", async (_, parts) => {
  const model = modelThat(() => ReadableStream.from([...parts, finish]));
  const { reply } = await ask(model);
  const messages = await streamText({ model, messages: [question] }).responseMessages;
  expect(reply).toMatchObject({
    message: { role: "assistant", content: contentOf(messages) },
    finish: "stop",
    usage: { inputTokens: 7, outputTokens: 2, cachedInputTokens: 3 },
  });
});

/** Without fields that have no value and without notes of the provider's package to itself, which nobody sends back. */
function contentOf(messages: readonly ModelMessage[]): unknown {
  const parts = messages.flatMap(({ role, content }) =>
    role === "assistant" && typeof content !== "string" ? content.filter(({ type }) => type !== "custom") : [],
  );
  const [first] = parts;
  if (parts.length === 1 && first?.type === "text" && !first.providerOptions) return first.text;
  return JSON.parse(JSON.stringify(parts)) as unknown;
}

test("calls are read one by one, also two of one id; what is not a JSON object is not served", async () => {
  const inputs = ['{"a":1}', '{"a":', "[1]", "", '{"__proto__":{"isOwner":true}}', "null"];
  const parts = inputs.map((input): Part => ({ ...call, input }));
  const { reply } = await ask(modelThat(() => ReadableStream.from([...parts, finish])));
  const { calls, unreadable } = reply as ModelReply;
  expect(calls.map(({ input }) => input)).toEqual([{ a: 1 }, {}, {}, {}, {}, {}]);
  expect([...unreadable.keys()]).toEqual([1, 2, 4]);
});

test("a stream that ends without saying so is a reply if something was said, else an error", async () => {
  const said = await ask(modelThat(() => ReadableStream.from(text("a"))));
  expect(said.reply).toMatchObject({ message: { content: "a" }, finish: "other" });
  const nothing = await ask(modelThat(() => ReadableStream.from<Part>([{ type: "stream-start", warnings: [] }])));
  expect(nothing.reply).toMatchObject({ code: "ModelFailed", retryable: true });
  const stray = await ask(modelThat(() => ReadableStream.from([...words("a"), finish])));
  expect(stray.reply).toMatchObject({ code: "ModelFailed", message: expect.stringContaining("text part 0 not found") });
});

test("pieces that come at once are told at once, and nothing waits for the next one", async () => {
  const opened = Promise.withResolvers<ReadableStreamDefaultController<Part>>();
  const asked = ask(modelThat(() => new ReadableStream<Part>({ start: opened.resolve })));
  const feeder = await opened.promise;
  for (const part of [...text("a", "b"), { type: "reasoning-start" as const, id: "1" }]) feeder.enqueue(part);
  feeder.enqueue({ type: "reasoning-delta", id: "1", delta: "x" });
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  for (const part of [...text("c"), finish]) feeder.enqueue(part);
  feeder.close();
  expect((await asked).told).toEqual(["ab", "(x)", "c"]);
});

test("an error comes behind the words before it and is not tried again; whoever stops ends the source", async () => {
  const overloaded = { type: "overloaded_error", message: "Overloaded" };
  const broken = modelThat(() => ReadableStream.from<Part>([...text("a"), { type: "error", error: overloaded }]));
  const { told, reply } = await ask(broken);
  expect([told, reply]).toMatchObject([["a"], { code: "ModelFailed", retryable: true }]);
  expect(broken.doStreamCalls).toHaveLength(1);

  const stop = new AbortController();
  const ended = Promise.withResolvers<unknown>();
  const deaf = modelThat(() => new ReadableStream<Part>({ pull: () => stop.abort("enough"), cancel: ended.resolve }));
  expect((await ask(deaf, stop.signal)).reply).toBe("enough");
  expect(await ended.promise).toBe("enough");
});

test("a reply without end is told in pieces and stopped", async () => {
  const piece = words("0123456789".repeat(1000));
  let isCancelled = false;
  const endless = modelThat(
    () =>
      new ReadableStream<Part>({
        start: (controller) => controller.enqueue({ type: "text-start", id: "0" }),
        pull: (controller) => controller.enqueue(piece[0] as Part),
        cancel: () => void (isCancelled = true),
      }),
  );
  const { told, reply } = await ask(endless);
  expect(reply).toMatchObject({ code: "ModelFailed", message: expect.stringContaining("was stopped") });
  expect([told.length, isCancelled]).toEqual([800, true]);
});
