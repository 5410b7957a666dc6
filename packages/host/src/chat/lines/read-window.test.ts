import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { activeFile, chatWith, codeOf, dataFolder, open, texts } from "../testing/temp-chat.ts";
import { type FileLine, linesFromEnd, linesFromStart } from "../../disk/read-lines.ts";

/** Reads a file in both directions. */
function bothWays(file: string): { forward: FileLine[]; backward: FileLine[] } {
  const handle = openSync(file, "r");
  try {
    const { size } = fstatSync(handle);
    return { forward: [...linesFromStart(handle, size)], backward: [...linesFromEnd(handle, size)] };
  } finally {
    closeSync(handle);
  }
}

test("[W9] read from the end, a file has the same lines as from the start, whatever their lengths", () => {
  const folder = dataFolder();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "lines");
  // Lengths around the block sizes, where lines and blocks end together.
  const length = fc.oneof(
    fc.nat(40),
    fc.integer({ min: 65_530, max: 65_540 }),
    fc.integer({ min: 131_060, max: 200_000 }),
  );
  fc.assert(
    fc.property(fc.array(length, { maxLength: 6 }), fc.boolean(), (lengths, isEnded) => {
      const text = lengths.map((count, index) => String(index % 10).repeat(count)).join("\n");
      writeFileSync(file, isEnded && text !== "" ? `${text}\n` : text);
      const { forward, backward } = bothWays(file);
      const places = (lines: FileLine[]): object[] => lines.map(({ bytes: _bytes, ...place }) => place);
      expect(places(backward.toReversed())).toEqual(places(forward));
      expect(backward.toReversed().every(({ bytes }, index) => bytes.equals(forward[index]!.bytes))).toBe(true);
      const whole = Buffer.concat(
        forward.map(({ bytes, isEnded: hasEnd }) => Buffer.concat([bytes, Buffer.from(hasEnd ? "\n" : "")])),
      );
      expect(whole.equals(readFileSync(file))).toBe(true);
    }),
    { numRuns: 100 },
  );
});

test("[W9] the window is limited by messages, characters and tokens, and holds the newest message in any case", async () => {
  const chat = await chatWith(["one", "two", "three", "four"]);
  const said = (limits: object): unknown[] => chat.window(limits).messages.map(({ content }) => content);
  expect(said({})).toEqual(["one", "two", "three", "four"]);
  expect(said({ maxMessages: 3 })).toEqual(["two", "three", "four"]);
  expect(said({ maxCharacters: 9 })).toEqual(["three", "four"]);
  expect(said({ maxTokens: 2, countTokens: () => 1 })).toEqual(["three", "four"]);
  expect(said({ maxCharacters: 1 })).toEqual(["four"]);
  expect(chat.window({ maxMessages: 3 }).isWhole).toBe(false);
  expect(chat.window({ maxMessages: 4 }).isWhole).toBe(true);
  for (const limits of [{ maxMessages: 0 }, { maxCharacters: -1 }, { maxMessages: 1.5 }])
    expect(await codeOf(() => chat.window(limits))).toBe("ContextInvalidInput");
});

test("[W9] a small window does not read what lies before it", async () => {
  const chat = await open();
  mkdirSync(dirname(activeFile(chat)), { recursive: true });
  writeFileSync(activeFile(chat), `this is damaged\n${"x".repeat(3_000_000)}\n`);
  appendFileSync(
    activeFile(chat),
    '{"v":1,"ts":1,"role":"user","content":"a"}\n{"v":1,"ts":2,"role":"user","content":"b"}\n',
  );
  expect(chat.window({ maxMessages: 1 }).messages).toEqual([{ ts: 2, role: "user", content: "b" }]);
});

test("[W2] unknown fields and kinds of lines are skipped, and survive an append", async () => {
  const chat = await open();
  mkdirSync(dirname(activeFile(chat)), { recursive: true });
  const lines = '{"v":1,"ts":1,"type":"bookmark","at":3}\n\n{"v":1,"ts":1,"role":"user","content":"a","mood":"good"}\n';
  writeFileSync(activeFile(chat), lines);
  await chat.append([{ role: "assistant", content: "b" }]);
  expect(texts(chat)).toEqual(["a", "b"]);
});
