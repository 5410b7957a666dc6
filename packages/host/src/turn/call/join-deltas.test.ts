import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { joinDeltas } from "./join-deltas.ts";

type Part = LanguageModelV4StreamPart;

function words(...deltas: readonly string[]): Part[] {
  return deltas.map((delta): Part => ({ type: "text-delta", id: "0", delta }));
}

/** A stream that is fed by hand. */
function fedStream() {
  let feeder: ReadableStreamDefaultController<Part> | undefined;
  const stream = new ReadableStream<Part>({ start: (controller) => void (feeder = controller) });
  return { stream, feed: feeder as unknown as ReadableStreamDefaultController<Part> };
}

test("pieces of one text that are there at once are one piece; all else stays as it is, in its order", async () => {
  const noted: Part = { type: "text-delta", id: "0", delta: "!", providerMetadata: { some: { note: 1 } } };
  const parts: Part[] = [
    { type: "text-start", id: "0" },
    ...words("a", "b", "c"),
    { type: "reasoning-delta", id: "1", delta: "x" },
    { type: "reasoning-delta", id: "2", delta: "y" },
    ...words("d", "e"),
    noted,
    ...words("f"),
    { type: "text-end", id: "0" },
  ];
  const read: Part[] = [];
  for await (const part of joinDeltas(ReadableStream.from(parts))) read.push(part);
  expect(read).toEqual([
    { type: "text-start", id: "0" },
    ...words("abc"),
    { type: "reasoning-delta", id: "1", delta: "x" },
    { type: "reasoning-delta", id: "2", delta: "y" },
    ...words("de"),
    noted,
    ...words("f"),
    { type: "text-end", id: "0" },
  ]);
});

test("a piece is not held back until the next one comes", async () => {
  const { stream, feed } = fedStream();
  const reader = joinDeltas(stream).getReader();
  for (const part of words("a", "b")) feed.enqueue(part);
  expect(await reader.read()).toEqual({ done: false, value: words("ab")[0] });
  for (const part of words("c")) feed.enqueue(part);
  expect(await reader.read()).toEqual({ done: false, value: words("c")[0] });
  feed.close();
  expect((await reader.read()).done).toBe(true);
});

test("an error comes behind the words that were said before it, and who stops reading ends the source", async () => {
  const broken = joinDeltas(
    ReadableStream.from(
      (async function* () {
        yield* words("a", "b");
        throw new Error("broke off");
      })(),
    ),
  ).getReader();
  expect((await broken.read()).value).toEqual(words("ab")[0]);
  await expect(broken.read()).rejects.toThrow("broke off");

  let reason: unknown;
  const source = new ReadableStream<Part>({ cancel: (given) => void (reason = given) });
  await joinDeltas(source).cancel("enough");
  expect(reason).toBe("enough");
});

test("a reply without end is passed on in pieces", async () => {
  const endless = new ReadableStream<Part>({
    pull: (controller) => controller.enqueue(words("0123456789")[0] as Part),
  });
  const reader = joinDeltas(endless).getReader();
  const { value } = await reader.read();
  expect(value?.type === "text-delta" && value.delta.length).toBe(2000);
  await reader.cancel();
});
