import fc from "fast-check";
import { expect, test } from "vitest";
import { GalleyError } from "../../model/check/errors.ts";
import { fuzz, fuzzSeed } from "../../model/testing/fuzz-chance.ts";
import { spoilJson } from "../../model/testing/fuzz-json.ts";
import { runs } from "../../model/testing/history.ts";
import { importReport } from "../files/import-report.ts";
import { importTavern } from "./import-tavern.ts";
import { readTavernFile } from "./read/read-tavern-file.ts";
import { cardChunk, png, sentBy, tavernFile, utf8, zip } from "../testing/tavern-fixture.ts";

const card = { spec: "chara_card_v2", data: { name: "Ines", description: "keeps the light" } };
const old = { name: "Old", description: "older", first_mes: "" };

/** True when it does what was asked, or says clearly why not. */
function isHandled(work: () => void): boolean {
  try {
    work();
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    return error.code === "ImportFailed" || error.code === "InvalidJson";
  }
  return true;
}

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
    fc.property(file, (value) => isHandled(() => sentBy(importTavern([tavernFile(value)])))),
    runs,
  );
});

test(`[E] good files with something wrong in what they say: a preset that builds, or a clear error (seed ${fuzzSeed})`, async () => {
  const entries = { 0: { uid: 0, content: "fog", constant: true, position: 4, depth: 2 }, 1: { uid: 1, content: "x" } };
  const prompts = [{ identifier: "main", content: "Tell {{char}}.", injection_position: 1, injection_depth: 2 }];
  const good = [card, old, { entries }, { prompts, prompt_order: [{ character_id: 100_001, order: [] }] }];
  const rounds = await fuzz("exchange", { few: 300, many: 5000 }, (chance) => {
    const bytes = utf8(spoilJson(chance.pick(good), chance));
    const isFine = isHandled(() => {
      const file = readTavernFile(bytes, { name: "file" }, importReport());
      sentBy(importTavern([file]));
    });
    expect(isFine).toBe(true);
  });
  expect(rounds).toBeGreaterThan(0);
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
      return isHandled(() => readTavernFile(bytes, { name: "file" }, importReport()));
    }),
    runs,
  );
});
