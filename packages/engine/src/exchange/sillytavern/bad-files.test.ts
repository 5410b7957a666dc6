import { encodeBase64 } from "../../model/base64.ts";
import { concatBytes } from "../../model/testing/concat-bytes.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { GalleyError } from "../../model/check/errors.ts";
import { runs } from "../../model/testing/history.ts";
import { parsePreset } from "../../compose/preset/parse-preset.ts";
import { crc32 } from "../files/bytes.ts";
import { importReport } from "../files/import-report.ts";
import { importTavern } from "./import-tavern.ts";
import { inflate } from "../files/read-zip-file.ts";
import { readTavernFile } from "./read/read-tavern-file.ts";
import type { TavernFile } from "./tavern-files.ts";
import { type Chunk, cardChunk, chatFile, png, sentBy, tavernFile, utf8, zip } from "../testing/tavern-fixture.ts";

const card = { spec: "chara_card_v2", data: { name: "Ines", description: "keeps the light" } };
const old = { name: "Old", description: "older", first_mes: "" };

function read(bytes: Uint8Array): {
  readonly file: TavernFile;
  readonly notes: readonly { readonly fate: string; readonly message: string }[];
} {
  const report = importReport();
  return { file: readTavernFile(bytes, { name: "file" }, report), notes: report.notes };
}

function failureOf(bytes: Uint8Array): string {
  try {
    read(bytes);
  } catch (error) {
    if (error instanceof GalleyError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "none";
}

const junk = (keyword: string, text: string): Chunk => ({ type: "tEXt", data: utf8(`${keyword}\u0000${text}`) });

test.each<[string, Uint8Array, string]>([
  ["two versions", png(cardChunk("chara", old), cardChunk("ccv3", card)), "Ines"],
  ["a keyword in capitals", png(cardChunk("Chara", card)), "Ines"],
  ["a doubled chunk", png(cardChunk("chara", card), cardChunk("chara", old)), "Ines"],
  ["base64 junk before a good chunk", png(junk("ccv3", "!!not base64!!"), cardChunk("chara", card)), "Ines"],
  ["junk that is base64", png(junk("ccv3", encodeBase64(utf8("no json"))), cardChunk("chara", card)), "Ines"],
  ["a wrong checksum", png({ ...cardChunk("chara", card), crc: 1 }), "Ines"],
  [
    "a chunk behind it that claims 100 MB",
    png(cardChunk("chara", card), { type: "tEXt", data: utf8("x"), length: 100_000_000 }),
    "Ines",
  ],
  [
    "a real chunk of 100 MB",
    png(
      { type: "tEXt", data: concatBytes(utf8("chara\u0000"), new Uint8Array(100_000_000)), crc: 0 },
      cardChunk("chara", card),
    ),
    "Ines",
  ],
])("[E] a picture with %s is read, and what was odd is told", (what, bytes, name) => {
  const { file, notes } = read(bytes);
  expect(file).toMatchObject({ kind: "card", name });
  expect(notes.length > 0).toBe(what !== "two versions" && what !== "a keyword in capitals");
});

const cardOfSpaces = new Uint8Array(15 * 1024 * 1024).fill(0x20);
cardOfSpaces.set(utf8("chara\u0000"));

test.each<[string, Uint8Array, RegExp]>([
  ["no card chunk", png(junk("comment", "hello")), /ImportFailed: .*no character card/],
  [
    "a card only in a compressed chunk",
    png({ type: "zTXt", data: utf8("chara\u0000x") }),
    /ImportFailed: .*no character card/,
  ],
  ["nothing but damaged chunks", png(junk("chara", "%%%")), /ImportFailed: .*no character card/],
  ["an empty file", new Uint8Array(), /ImportFailed: .*empty/],
  ["a zip without card.json", zip({ name: "x.txt", data: utf8("x") }), /ImportFailed: .*no card\.json/],
  [
    "a zip cut off",
    zip({ name: "card.json", data: utf8(JSON.stringify(card)) }).subarray(0, 60),
    /ImportFailed: .*cut off/,
  ],
  [
    "a zip whose only card lies outside",
    zip({ name: "../card.json", data: utf8(JSON.stringify(card)) }),
    /ImportFailed: .*no card\.json/,
  ],
  [
    "packed data that is damaged",
    zip({ name: "card.json", data: utf8("\u0007zzzz"), deflated: { crc: 0 } }),
    /ImportFailed: .*damaged/,
  ],
  ["something of no known kind", utf8('{"hello": 1}'), /ImportFailed: .*not recognised/],
  ["neither picture nor text", utf8("hello"), /ImportFailed: .*not recognised/],
  ["a list of nothing known", utf8("[1, 2]"), /ImportFailed: .*not recognised/],
  ["lines of nothing known", utf8('{"a":1}\n{"b":2}\n'), /ImportFailed: .*not recognised/],
  ["text behind white space", utf8("\n hello"), /ImportFailed: .*not recognised/],
  ["nothing but white space", utf8(" \n\n"), /ImportFailed: .*empty/],
  ["a conversation of aider", utf8("\n# aider chat started at 2026-01-01\n"), /ImportFailed: .*of aider, which/],
  ["lines of Cursor", utf8('{"role":"user","message":{"content":[]}}\n{}\n'), /ImportFailed: .*of Cursor, which/],
  ["a web page", utf8("<!DOCTYPE html><p>Not found"), /ImportFailed: .*web page/],
  ["a JPEG", Uint8Array.from([0xff, 0xd8, 0xff, 0xe0]), /ImportFailed: .*not a PNG/],
  ["a preset of Galley's own", utf8('{"presetMessages":[]}'), /ImportFailed: .*Galley's own/],
  [
    "one with the name and description that a card has",
    utf8('{"version":1,"name":"A","description":"B","messageTemplates":[],"contextRecipes":[]}'),
    /ImportFailed: .*Galley's own/,
  ],
  ["no JSON", utf8("{hello"), /InvalidJson/],
  ["text in UTF-16", Uint8Array.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), /ImportFailed: .*UTF-16/],
  ["60 MB of the letter that zips begin with", new Uint8Array(60_000_000).fill(0x50), /ImportFailed: .*not recognised/],
  [
    "card chunks that are too much together",
    png(...Array.from({ length: 8 }, () => ({ type: "tEXt", data: cardOfSpaces, crc: 0 }))),
    /ImportFailed: .*no character card/,
  ],
  ["30 MB of open brackets", new Uint8Array(30_000_000).fill(0x5b), /InvalidJson: .*150 levels/],
  [
    "a chat of nothing but bad lines",
    utf8(`{"user_name":"T"}\n${"{bad\n".repeat(1100)}`),
    /ImportFailed: .*1000 lines/,
  ],
])("[E] %s is a clear error", (_what, bytes, message) => {
  expect(failureOf(bytes)).toMatch(message);
});

test("[E] a CharX is read behind a picture; its other files and names that lead out are told and left", () => {
  const archive = zip(
    { name: "../../evil.sh", data: utf8("x") },
    { name: "assets/icon.png", data: utf8("y") },
    { name: "card.json", data: utf8(JSON.stringify(card)) },
  );
  for (const bytes of [archive, concatBytes(Uint8Array.from([0xff, 0xd8, 0xff, 0x50]), archive)]) {
    const { file, notes } = read(bytes);
    expect(file).toMatchObject({ kind: "card", name: "Ines" });
    expect(notes.map((note) => note.fate)).toEqual(["unsupported", "unsupported"]);
  }
});

interface Stream {
  readonly readable: { getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array }> } };
  readonly writable: { getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> } };
}

/** The platform's own deflate, in Node and in the browser. */
async function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  const { CompressionStream } = globalThis as unknown as { CompressionStream: new (format: string) => Stream };
  const stream = new CompressionStream("deflate-raw");
  const writer = stream.writable.getWriter();
  const writing = writer.write(bytes).then(() => writer.close());
  const reader = stream.readable.getReader();
  const parts: Uint8Array[] = [];
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parts.push(part.value ?? new Uint8Array());
  await writing;
  return concatBytes(...parts);
}

test("[X1] inflate undoes the platform's deflate", async () => {
  const pieces = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string().map((text) => utf8(text.repeat(50))),
    ),
    { maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(pieces, async (parts) => {
      const bytes = concatBytes(...parts);
      return encodeBase64(inflate(await deflate(bytes), 1_000_000)) === encodeBase64(bytes);
    }),
    { numRuns: Math.ceil(runs.numRuns / 10) },
  );
  // Longer than a slice, with stretches that are stored as they are.
  const noise = Uint8Array.from(
    { length: 150_000 },
    (_, index) => Math.imul(index ^ (index << 7), 2_654_435_761) >>> 24,
  );
  const long = concatBytes(
    noise,
    utf8("lamp and oil, ".repeat(9000)),
    noise.subarray(0, 70_000),
    new Uint8Array(99_999),
  );
  expect(inflate(await deflate(long), long.length)).toEqual(long);
  expect(() => inflate(new Uint8Array(), 10)).toThrow(/damaged/);
});

test("[E] packed data that is cut off anywhere is damaged", async () => {
  const packed = await deflate(utf8("lamp and oil, ".repeat(2000) + JSON.stringify(card)));
  for (let end = 0; end < packed.length; end += 1) {
    expect(() => inflate(packed.subarray(0, end), 1_000_000)).toThrow(/damaged/);
  }
});

test("[E] a zip bomb is stopped while it unpacks", async () => {
  const bomb = await deflate(new Uint8Array(40 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(100_000);
  expect(failureOf(zip({ name: "card.json", data: bomb, deflated: { crc: 0 } }))).toMatch(/unpacks to more than/);
  // Soon behind the limit: that the bomb is cut off there is not seen any more.
  expect(() => inflate(bomb.subarray(0, 20_500), 16 * 1024 * 1024)).toThrow(/unpacks to more than/);
  const packed = await deflate(utf8(JSON.stringify(card)));
  const good = zip({ name: "card.json", data: packed, deflated: { crc: crc32(utf8(JSON.stringify(card))) } });
  expect(read(good).file).toMatchObject({ name: "Ines" });
});

test("[E] numbers in quotes are numbers, null is nothing, and both leave a usable preset", () => {
  const report = importReport();
  const lore = {
    entries: {
      0: { uid: "0", content: "kept", constant: "true", order: "5", position: "4", depth: "2", key: null, role: null },
    },
  };
  const book = readTavernFile(utf8(JSON.stringify(lore)), { name: "b" }, report);
  expect(book).toMatchObject({
    entries: [{ uid: 0, isConstant: true, order: 5, position: undefined, depth: 2, role: "system" }],
  });
  expect(report.notes.map((note) => [note.fate, note.path])).toContainEqual(["repaired", "entries.0.order"]);
  const nulls = {
    spec: "chara_card_v3",
    data: { name: null, description: null, extensions: null, character_book: { entries: [null, { content: null }] } },
  };
  expect(sentBy(importTavern([tavernFile(nulls)]))).toHaveLength(2);
});

test("[E] of two hundred thousand entries the first are read, and that is told", () => {
  const { file, notes } = read(utf8(`{"entries":[${"{},".repeat(200_000)}{}]}`));
  expect(file.kind === "world-info" && file.entries.length).toBe(50_000);
  expect(notes).toContainEqual(expect.objectContaining({ fate: "unsupported", path: "entries" }));
});

test("[E] ten thousand entries at one place, and macros that call each other or never end, are built", () => {
  const entries = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, uid) => [
      uid,
      { uid, content: `e${uid}`, constant: true, position: 4, depth: 1 },
    ]),
  );
  const cyclic = {
    name: "A",
    description: "{{personality}}{{personality}}",
    personality: "{{scenario}}{{scenario}}",
    scenario: "{{description}}",
    first_mes: "{{".repeat(100_000),
  };
  const imported = importTavern([tavernFile({ entries }), tavernFile(cyclic)]);
  const messages = sentBy(imported);
  expect(messages.find((message) => message.includes("e9999"))?.split("\n")).toHaveLength(10_000);
  expect(messages.at(-1)).toContain("{{".repeat(100_000));
});

test("[E] two presets, or lines of a chat that are not messages, are reported", () => {
  const preset = tavernFile({ prompts: [] });
  expect(() => importTavern([preset, preset])).toThrow(/2 files of the kind preset/);
  expect(
    importTavern([chatFile({ user_name: "T" }, { odd: 1 }, { name: "A", is_user: true, mes: "x" })]).entries,
  ).toHaveLength(1);
});

test("[E] macros and books that are called like parts of every object are ordinary names", () => {
  const names = "{{constructor}} {{toString}} {{__proto__}} {{hasOwnProperty}}";
  const prompts = [{ identifier: "main", content: names }];
  const lore = '{"entries":{"__proto__":{"content":"p","constant":true,"position":0}}}';
  const book = readTavernFile(utf8(lore), { name: "__proto__" }, importReport());
  const chat = chatFile({ name: "A", is_user: true, mes: names });
  const messages = sentBy(importTavern([tavernFile({ prompts, new_chat_prompt: "" }), book, chat]));
  expect(messages).toEqual([`system: ${names}`, "system: p", `user: ${names}`]);
});

test("what a chat's header nests makes a preset that can be read again", () => {
  for (const levels of [10, 145, 160, 195]) {
    const user_name: unknown = JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
    const lines = [
      { user_name, character_name: "Ines" },
      { name: "Ines", is_user: false, mes: "Hello" },
    ];
    const { file, notes } = read(utf8(lines.map((line) => JSON.stringify(line)).join("\n")));
    const { preset } = importTavern([file]);
    expect(parsePreset(JSON.stringify(preset)).preset).toBeDefined();
    expect(notes.some(({ message }) => message.includes("150 levels"))).toBe(levels > 149);
  }
});
