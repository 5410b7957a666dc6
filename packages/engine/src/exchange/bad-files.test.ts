import fc from "fast-check";
import { expect, test } from "vitest";
import { GalleyError } from "../model/errors.ts";
import { runs } from "../model/history.test-support.ts";
import { crc32, decodeUtf8 } from "./bytes.ts";
import { importReport } from "./import-report.ts";
import { importTavern } from "./import-tavern.ts";
import { inflate } from "./inflate.ts";
import { readTavernFile } from "./read-tavern-file.ts";
import type { TavernFile } from "./tavern-files.ts";
import {
  type Chunk,
  base64,
  cardChunk,
  chatFile,
  concat,
  png,
  sentBy,
  tavernFile,
  utf8,
  zip,
} from "./tavern-fixture.test-support.ts";

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
  ["junk that is base64", png(junk("ccv3", base64(utf8("no json"))), cardChunk("chara", card)), "Ines"],
  ["a wrong checksum", png({ ...cardChunk("chara", card), crc: 1 }), "Ines"],
  [
    "a chunk behind it that claims 100 MB",
    png(cardChunk("chara", card), { type: "tEXt", data: utf8("x"), length: 100_000_000 }),
    "Ines",
  ],
  [
    "a real chunk of 100 MB",
    png({ type: "tEXt", data: new Uint8Array(100_000_000), crc: 0 }, cardChunk("chara", card)),
    "Ines",
  ],
])("[E] a picture with %s is read, and what was odd is told", (what, bytes, name) => {
  const { file, notes } = read(bytes);
  expect(file).toMatchObject({ kind: "card", name });
  expect(notes.length > 0).toBe(what !== "two versions" && what !== "a keyword in capitals");
});

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
  ["something of no known kind", utf8('{"hello": 1}'), /ImportFailed: .*no kind/],
  ["no JSON", utf8("hello"), /InvalidJson/],
])("[E] %s is a clear error", (_what, bytes, message) => {
  expect(failureOf(bytes)).toMatch(message);
});

test("[E] a CharX is read behind a picture; its other files and names that lead out are told and left", () => {
  const archive = zip(
    { name: "../../evil.sh", data: utf8("x") },
    { name: "assets/icon.png", data: utf8("y") },
    { name: "card.json", data: utf8(JSON.stringify(card)) },
  );
  for (const bytes of [archive, concat(Uint8Array.from([0xff, 0xd8, 0xff, 0x50]), archive)]) {
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
  return concat(...parts);
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
      const bytes = concat(...parts);
      return base64(inflate(await deflate(bytes), 1_000_000)) === base64(bytes);
    }),
    { numRuns: Math.ceil(runs.numRuns / 10) },
  );
});

test("[E] a zip bomb is stopped while it unpacks", async () => {
  const bomb = await deflate(new Uint8Array(40 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(100_000);
  expect(failureOf(zip({ name: "card.json", data: bomb, deflated: { crc: 0 } }))).toMatch(/unpacks to more than/);
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
    entries: [{ uid: 0, isConstant: true, order: 5, position: 4, depth: 2, role: "system" }],
  });
  expect(report.notes.map((note) => [note.fate, note.path])).toContainEqual(["repaired", "entries.0.order"]);
  const nulls = {
    spec: "chara_card_v3",
    data: { name: null, description: null, extensions: null, character_book: { entries: [null, { content: null }] } },
  };
  expect(sentBy(importTavern([tavernFile(nulls)]))).toHaveLength(2);
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

test("[E] two cards, or lines of a chat that are no messages, are told", () => {
  expect(() => importTavern([tavernFile(old), tavernFile(old)])).toThrow(/2 files of the kind card/);
  expect(
    importTavern([chatFile({ user_name: "T" }, { odd: 1 }, { name: "A", is_user: true, mes: "x" })]).entries,
  ).toHaveLength(1);
});

const anyField = fc.oneof(
  fc.constant(null),
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.jsonValue(), { maxLength: 3 }),
  fc.object({ maxDepth: 2, maxKeys: 3 }),
);
const fieldsOf = (...keys: readonly string[]): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(keys.map((key) => [key, anyField])), { requiredKeys: [] });
const macroText = fc
  .array(
    fc.constantFrom(
      "{{",
      "}}",
      "char",
      "user",
      "::",
      "if x",
      "else",
      "/if",
      "trim",
      "setvar::a::",
      "getvar::a",
      "random",
      "roll:d6",
      "//",
      " ",
      "\n",
      "<START>",
      "{{char}}:",
      "@@activate",
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));
const entryFields = fc
  .tuple(
    fieldsOf("uid", "key", "order", "position", "depth", "role", "constant", "disable", "outletName", "comment"),
    macroText,
    fc.integer({ min: -1, max: 8 }),
  )
  .map(([fields, content, position]) => ({ constant: true, position, ...fields, content }));
const file = fc.oneof(
  fc.record({
    entries: fc.oneof(
      fc.array(entryFields, { maxLength: 5 }),
      fc.dictionary(fc.string(), entryFields, { maxKeys: 5 }),
      anyField,
    ),
  }),
  fieldsOf("name", "first_mes", "description", "mes_example", "data", "spec", "character_book").map((fields) => ({
    mes_example: "x",
    ...fields,
  })),
  fc
    .tuple(macroText, macroText)
    .map(([description, example]) => ({ name: "N", first_mes: description, description, mes_example: example })),
  fc
    .tuple(
      fieldsOf("new_chat_prompt", "wi_format", "names_behavior", "squash_system_messages", "prompt_order"),
      fc.array(
        fc
          .tuple(fieldsOf("identifier", "role", "injection_position", "injection_depth", "injection_order"), macroText)
          .map(([fields, content]) => ({ identifier: "main", ...fields, content })),
        { maxLength: 4 },
      ),
    )
    .map(([fields, prompts]) => ({ prompts, ...fields })),
  fieldsOf("mes", "is_user", "name", "is_system", "send_date", "extra", "swipes").map((fields) => ({
    mes: "m",
    name: "n",
    ...fields,
  })),
  fieldsOf("note_prompt", "note_depth", "note_position", "note_interval", "note_role").map((fields) => ({
    note_prompt: "n",
    ...fields,
  })),
  fieldsOf("persona_description", "persona_descriptions", "personas", "persona_description_position").map((fields) => ({
    persona_description: "p",
    ...fields,
  })),
);

test("[E] whatever stands in a file's fields: a preset that builds, or a clear error", () => {
  fc.assert(
    fc.property(file, (value) => {
      try {
        sentBy(importTavern([tavernFile(value)], { activated: "all" }));
      } catch (error) {
        if (!(error instanceof GalleyError)) throw error;
        return error.code === "ImportFailed" || error.code === "InvalidJson";
      }
      return true;
    }),
    runs,
  );
});

test("[E] bytes of any kind, and good files with some bytes changed: a file or a clear error", () => {
  const good = [
    png(cardChunk("ccv3", card), cardChunk("chara", old)),
    zip({ name: "card.json", data: utf8(JSON.stringify(card)) }),
    utf8(JSON.stringify(card)),
  ];
  const changed = fc
    .tuple(
      fc.constantFrom(...good),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 6 }),
      fc.nat({ max: 40 }),
    )
    .map(([bytes, changes, cut]) => {
      const copy = bytes.slice(0, bytes.length - cut);
      for (const [at, value] of changes) copy[at % copy.length] = value;
      return copy;
    });
  fc.assert(
    fc.property(fc.oneof(changed, fc.uint8Array({ maxLength: 200 })), (bytes) => {
      failureOf(bytes);
      return true;
    }),
    runs,
  );
});

test("[X1] UTF-8 is read as the platform reads it, also where it is damaged", () => {
  const { TextDecoder } = globalThis as unknown as { TextDecoder: new () => { decode(bytes: Uint8Array): string } };
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.string({ unit: "binary" }).map(utf8),
    fc
      .array(fc.constantFrom(0xf0, 0x9f, 0x98, 0x80, 0xe4, 0xbd, 0xed, 0xa0, 0xc0, 0x41, 0xf4, 0x90))
      .map((list) => Uint8Array.from(list)),
  );
  fc.assert(
    fc.property(bytes, (list) => decodeUtf8(list) === new TextDecoder().decode(list)),
    runs,
  );
});
