import fc from "fast-check";
import { expect, test } from "vitest";
import type { Preset } from "../../../compose/preset/preset.ts";
import { runs } from "../../../model/testing/history.ts";
import { exportTavern } from "./export-tavern.ts";
import { type TavernImport, importTavern } from "../import-tavern.ts";
import { chatFile, sentBy, tavernFile } from "../../testing/tavern-fixture.ts";

const chat = chatFile({ name: "Ines", is_user: false, mes: "h1" }, { name: "Tom", is_user: true, mes: "h2" });

function again(preset: Preset): TavernImport {
  const exported = exportTavern(preset);
  const books = exported.books.map(({ name, book }) => tavernFile(book, name));
  return importTavern([tavernFile(exported.preset), ...books, chat], { user: "Tom" });
}

const text = fc.constantFrom(
  "one",
  "two {{char}}",
  "{{user}}: three",
  "four\n",
  "{{setvar::v::5}}five",
  "{{getvar::v}}",
  "",
);
const role = fc.constantFrom("system", "user", "assistant");
const prompt = fc.record(
  {
    identifier: fc.constantFrom(
      "main",
      "jailbreak",
      "nsfw",
      "p1",
      "p2",
      "p3",
      "chatHistory",
      "worldInfoBefore",
      "scenario",
    ),
    role,
    content: text,
    injection_position: fc.constantFrom(0, 1),
    injection_depth: fc.integer({ min: 0, max: 3 }),
    injection_order: fc.constantFrom(99, 100, 101),
  },
  { requiredKeys: ["identifier", "content", "role"] },
);
const entry = fc.record({
  content: text,
  constant: fc.boolean(),
  disable: fc.boolean(),
  order: fc.integer({ min: 0, max: 3 }),
  position: fc.integer({ min: 0, max: 7 }),
  depth: fc.constantFrom(0, 1, 4, null),
  role: fc.integer({ min: 0, max: 2 }),
  outletName: fc.constant("gate"),
});
const scene = fc.record({
  preset: fc.record({
    prompts: fc.array(prompt, { maxLength: 6 }),
    prompt_order: fc
      .subarray([
        "main",
        "worldInfoBefore",
        "p1",
        "p2",
        "scenario",
        "dialogueExamples",
        "p3",
        "chatHistory",
        "jailbreak",
      ])
      .chain((ids) => fc.shuffledSubarray(ids, { minLength: ids.length }))
      .map((ids) => [
        { character_id: 100_001, order: ids.map((identifier, index) => ({ identifier, enabled: index % 4 !== 3 })) },
      ]),
    squash_system_messages: fc.boolean(),
    wi_format: fc.constantFrom("{0}", "[{0}]"),
    new_chat_prompt: fc.constantFrom("", "<new>"),
  }),
  books: fc.array(fc.array(entry, { maxLength: 5 }), { maxLength: 2 }),
});

test("[X1] import, export and import again build the same list", () => {
  fc.assert(
    fc.property(scene, ({ preset, books }) => {
      const files = books.map((entries, index) => tavernFile({ entries }, `book ${index}`));
      const first = importTavern([tavernFile(preset), ...files, chat], { user: "Tom" });
      const written = exportTavern(first.preset);
      // Not equal as values alone: the order of the keys is that of the file.
      expect(JSON.stringify(written.preset)).toBe(JSON.stringify(preset));
      expect(written.books.map(({ book }) => JSON.stringify(book))).toEqual(
        books.map((entries) => JSON.stringify({ entries })),
      );
      const second = again(first.preset);
      expect(second.preset).toEqual(first.preset);
      return JSON.stringify(sentBy(second)) === JSON.stringify(sentBy(first));
    }),
    runs,
  );
});

test("[X1] a preset of Galley's own becomes prompts in its order; what has no counterpart is listed", () => {
  const preset: Preset = {
    presetMessages: [
      { id: "rules", role: "system", content: "Rules of {{place}}" },
      { id: "spot", role: "system", type: "placeholder" },
      { id: "beside", role: "system", content: "beside", injectionStrategy: { anchorTarget: "spot" } },
      { id: "chat", role: "user", type: "chat_history" },
      { id: "deep", role: "user", content: "deep", injectionStrategy: { depth: 1, order: 200 } },
      { id: "deeper", role: "system", content: "deeper", injectionStrategy: { depth: 1, order: 100 } },
      { id: "named", role: "system", content: "named", speaker: "Ines", priority: 1 },
      { id: "off", role: "system", content: "off", enabled: false },
    ],
    variables: { place: "the harbour" },
    postProcessing: { forceAlternation: true },
  };
  expect(sentBy(again(preset))).toEqual([
    "system: Rules of the harbour",
    "system: beside",
    "assistant: h1",
    "user: deep",
    "system: deeper",
    "user: h2",
    "system: named",
  ]);
  const lost = exportTavern(preset).notes.filter((note) => note.fate === "unsupported");
  expect(lost.map((note) => note.path)).toEqual([
    "contextRecipes[0].steps[6].priority",
    "contextRecipes[0].steps[6].speaker",
    "postProcessing.forceAlternation",
  ]);
});

test("[X1] an edit made in Galley is in the export, and keeps a card from replacing it", () => {
  const card = tavernFile({
    name: "Ines",
    description: "x",
    first_mes: "",
    data: { name: "Ines", system_prompt: "Card says." },
  });
  const source = tavernFile({ prompts: [{ identifier: "main", content: "Preset says." }] });
  const { preset } = importTavern([card, source]);
  const prompts = (edited: Preset): unknown => exportTavern(edited).preset["prompts"];
  expect(prompts(preset)).toContainEqual(expect.objectContaining({ identifier: "main", content: "Preset says." }));
  const messageTemplates = preset.messageTemplates?.map((template) =>
    template.id === "main" ? { ...template, content: "I say." } : template,
  );
  expect(prompts({ ...preset, messageTemplates })).toContainEqual(
    expect.objectContaining({ identifier: "main", content: "I say.", forbid_overrides: true }),
  );
});

test("[X1] an entry that is edited is exported as it reads now; of an example dialogue it is told that it is not", () => {
  const entries = [
    { uid: 0, content: "  lamp\n", constant: true, position: 4, depth: 1 },
    { uid: 1, content: "{{user}}: a\n{{char}}: b", constant: true, position: 5 },
  ];
  const { preset } = importTavern([tavernFile({ entries }, "lore"), chat]);
  const written = (edited: Preset): unknown => exportTavern(edited).books[0]?.book["entries"];
  expect(written(preset)).toMatchObject({ 0: { content: "  lamp\n" }, 1: { content: "{{user}}: a\n{{char}}: b" } });
  expect(exportTavern(preset).notes).toEqual([]);
  const messageTemplates = preset.messageTemplates?.map((template) =>
    template.id.startsWith("lore/") ? { ...template, content: `${template.content}!` } : template,
  );
  const edited = { ...preset, messageTemplates };
  expect(sentBy({ preset: edited, entries: [] })).toContain("system: lamp\n!");
  expect(written(edited)).toMatchObject({ 0: { content: "  lamp\n!" }, 1: { content: "{{user}}: a\n{{char}}: b" } });
  expect(exportTavern(edited).notes).toMatchObject([
    { fate: "unsupported", message: expect.stringContaining("lore/1 was edited") },
  ]);
});

test("[X1] a prompt for some kinds of reply is sent for these, and comes back as it was", () => {
  const prompts = [
    { identifier: "main", content: "Main." },
    {
      identifier: "nudge",
      name: "Nudge",
      content: "Go on.",
      system_prompt: false,
      injection_trigger: ["continue", "swipe"],
    },
  ];
  const order = ["main", "nudge", "chatHistory"].map((identifier) => ({ identifier, enabled: true }));
  const source = tavernFile({ prompts, prompt_order: [{ character_id: 100_001, order }], new_chat_prompt: "" });
  const normal = importTavern([source, chat]);
  expect(sentBy(normal)).not.toContain("system: Go on.");
  expect(sentBy(normal, "swipe")).toContain("system: Go on.");
  const { preset } = exportTavern(normal.preset);
  expect(preset["prompt_order"]).toMatchObject([
    { order: expect.arrayContaining([{ identifier: "nudge", enabled: true }]) },
  ]);
  expect(preset["prompts"]).toContainEqual(expect.objectContaining({ injection_trigger: ["continue", "swipe"] }));
});
