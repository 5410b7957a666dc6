import { expect, test } from "vitest";
import { importReport } from "../files/import-report.ts";
import { importTavern } from "./import-tavern.ts";
import { readTavernFile } from "./read/read-tavern-file.ts";
import { chatFile, sentBy, tavernFile, utf8 } from "../testing/tavern-fixture.ts";

const card = tavernFile({
  spec: "chara_card_v2",
  data: {
    name: "Ines",
    description: "{{char}} keeps the harbour light for <USER>.",
    personality: "patient",
    scenario: "a storm",
    first_mes: "The lamp is lit, {{user}}.",
    mes_example: "<START>\n{{user}}: Is it far?\nInes: A mile.\nOr two.",
    system_prompt: "Play {{char}}. {{original}}",
    extensions: { depth_prompt: { prompt: "Ines whispers", depth: "1" } },
  },
});
const stock = [
  "main",
  "worldInfoBefore",
  "charDescription",
  "charPersonality",
  "scenario",
  "worldInfoAfter",
  "dialogueExamples",
  "chatHistory",
  "jailbreak",
];
const preset = (
  fields: object = {},
  order: readonly string[] = stock,
  prompts: readonly object[] = [],
): ReturnType<typeof tavernFile> =>
  tavernFile({
    new_chat_prompt: "<new>",
    new_example_chat_prompt: "<example>",
    prompts: [{ identifier: "main", content: "Tell it well." }, ...prompts],
    prompt_order: [{ character_id: 100_001, order: order.map((identifier) => ({ identifier, enabled: true })) }],
    ...fields,
  });
const entry = (uid: number, fields: object): object => ({
  uid,
  content: `e${uid}`,
  constant: true,
  order: 100,
  position: 0,
  depth: 4,
  ...fields,
});
const book = (...entries: readonly object[]): ReturnType<typeof tavernFile> =>
  tavernFile({ entries: Object.fromEntries(entries.map((one, index) => [index, one])) }, "lore");
const chat = chatFile(
  { user_name: "Tom", character_name: "Ines", chat_metadata: {} },
  { name: "Ines", is_user: false, mes: "h1", send_date: "March 3, 2024 8:17pm" },
  { name: "Tom", is_user: true, mes: "h2 {{char}}", send_date: 1_700_000_000_000 },
  { name: "Ines", is_user: false, is_system: true, mes: "hidden" },
  { name: "Ines", is_user: false, mes: "h3", swipes: ["h3", "other"] },
);

test("[X1] a card alone: placeholders stay, the card's prompt quotes the preset's, examples are named, the greeting is history", () => {
  const imported = importTavern([card, preset()], { user: "Tom" });
  expect(sentBy(imported)).toEqual([
    "system: Play Ines. Tell it well.",
    "system: Ines keeps the harbour light for Tom.",
    "system: patient",
    "system: a storm",
    "system: <example>",
    "system/example_user: Is it far?",
    "system/example_assistant: A mile.\nOr two.",
    "system: <new>",
    "system: Ines whispers",
    "assistant: The lamp is lit, Tom.",
  ]);
  const description = imported.preset.messageTemplates?.find((template) => template.id === "charDescription");
  expect(description?.content).toBe("{{char}} keeps the harbour light for {{user}}.");
});

test("[C5] depth and order: deeper first, roles assistant, user, system, higher order later, ties in reverse", () => {
  const lore = book(
    entry(0, { position: 4, depth: 1, order: 20 }),
    entry(1, { position: 4, depth: 1, order: 10 }),
    entry(2, { position: 4, depth: 1, order: 10 }),
    entry(3, { position: 4, depth: 1, role: 2 }),
    entry(4, { position: 4, depth: 9, role: 1 }),
    entry(5, { position: 4, depth: null, role: 0 }),
    entry(6, { position: 4, depth: 0, role: 0 }),
  );
  expect(sentBy(importTavern([preset({}, ["chatHistory"]), lore, chat])).slice(-9)).toEqual(
    [
      "system: <new>",
      "user: e4",
      "assistant: h1",
      "user: h2 Ines",
      "assistant: e3",
      "system: e2\ne1\ne0",
      "assistant: h3",
      "system: e6\ne5",
    ].slice(-9),
  );
});

test("[C12] buckets of a depth stay apart, and within one bucket prompts stand before the card's note and world info", () => {
  const absolute = (identifier: string, order: number, role = "system"): object => ({
    identifier,
    role,
    content: identifier,
    injection_position: 1,
    injection_depth: 1,
    injection_order: order,
  });
  const prompts = [absolute("late", 101), absolute("early", 99, "user"), absolute("same", 100)];
  const files = [
    card,
    preset({}, ["chatHistory", "late", "early", "same"], prompts),
    book(entry(0, { position: 4, depth: 1 })),
    chat,
  ];
  expect(sentBy(importTavern(files)).slice(1, 7)).toEqual([
    "assistant: h1",
    "user: h2 Ines",
    "user: early",
    "system: same\nInes whispers\ne0",
    "system: late",
    "assistant: h3",
  ]);
});

test("[C8] world info before and after the character is one message each, in the preset's format", () => {
  const lore = book(
    entry(0, {}),
    entry(1, { order: 50 }),
    entry(2, { position: 1 }),
    entry(3, { constant: false, key: ["lamp"] }),
  );
  const imported = importTavern([preset({ wi_format: "[{0}]" }), lore]);
  expect(sentBy(imported)).toEqual(["system: Tell it well.", "system: [e1\ne0]", "system: [e2]", "system: <new>"]);
  const lit = chatFile({ name: "Tom", is_user: true, mes: "Light the lamp!" });
  expect(sentBy(importTavern([preset({ wi_format: "[{0}]" }), lore, lit]))[1]).toBe("system: [e1\ne3\ne0]");
  expect(sentBy(importTavern([preset({ wi_format: "[{0}]" }), lore], { activated: [] }))).toEqual([
    "system: Tell it well.",
    "system: <new>",
  ]);
});

test("[X1] the order in which entries came on breaks ties, whatever the book says", () => {
  const lore = book(entry(0, {}), entry(1, {}), entry(2, {}));
  const activated = [2, 0, 1].map((uid) => ({ world: "lore", uid }));
  expect(sentBy(importTavern([preset(), lore], { activated }))[1]).toBe("system: e1\ne0\ne2");
});

test.each([
  [{ note_prompt: "N", note_depth: 1 }, ["user: h2 Ines", "system: e0\nN\ne1", "assistant: h3"]],
  [{ note_prompt: "", note_depth: 1 }, ["user: h2 Ines", "system: e0\n\ne1", "assistant: h3"]],
  [{ note_prompt: "N", note_depth: 1, note_role: 2 }, ["user: h2 Ines", "assistant: e0\nN\ne1", "assistant: h3"]],
  [{ note_prompt: "N", note_interval: 2 }, ["assistant: h1", "user: h2 Ines", "assistant: h3"]],
])("[X1] the author's note %j stands between the entries above and below it", (note, tail) => {
  const lore = book(entry(0, { position: 2 }), entry(1, { position: 3 }));
  expect(sentBy(importTavern([preset(), lore, chat, tavernFile(note)])).slice(-3)).toEqual(tail);
});

test.each([
  [0, ["system: Tell it well.", "system: e0\nN", "system: <new>"]],
  [2, ["system: e0\nN", "system: Tell it well.", "system: <new>"]],
])("[X1] a note at position %i stands beside the main prompt", (position, messages) => {
  const lore = book(entry(0, { position: 2 }));
  const note = tavernFile({ note_prompt: "N", note_position: position });
  expect(sentBy(importTavern([preset(), lore, note]))).toEqual(messages);
});

test("[X1] entries around the examples become dialogues, and one without names still counts", () => {
  const lore = book(
    entry(0, { position: 5, order: 1, content: "{{user}}: low" }),
    entry(1, { position: 5, order: 2, content: "no names" }),
    entry(2, { position: 6, content: "before\n{{char}}: under" }),
  );
  expect(sentBy(importTavern([preset({}, ["dialogueExamples"]), lore])).slice(0, 5)).toEqual([
    "system: <example>",
    "system: <example>",
    "system/example_user: low",
    "system: <example>",
    "system/example_assistant: before\n under",
  ]);
});

test("[C10] outlets and variables are filled in when the preset is built; the first draw is the same in every build", () => {
  const prompts = [
    { identifier: "set", system_prompt: false, content: "{{setvar::mood::calm}}{{trim}}" },
    {
      identifier: "say",
      system_prompt: false,
      content: "{{getvar::mood}} {{outlet::gate}} {{random::a::b::c}} {{nobody}}",
    },
  ];
  const lore = book(
    entry(0, { position: 7, outletName: "gate", order: 1 }),
    entry(1, { position: 7, outletName: "gate", order: 2 }),
  );
  const imported = importTavern([preset({}, ["set", "say"], prompts), lore]);
  const [said] = sentBy(imported);
  expect(said).toMatch(/^system: calm e1\ne0 [abc] \{\{nobody\}\}$/);
  expect(sentBy(imported)[0]).toBe(said);
  expect(imported.notes).toContainEqual(expect.objectContaining({ fate: "unsupported", path: "say" }));
});

test("[C12] squashing joins unnamed system messages and leaves separators and examples alone", () => {
  expect(sentBy(importTavern([card, preset({ squash_system_messages: true })], { user: "Tom" })).slice(0, 3)).toEqual([
    "system: Play Ines. Tell it well.\nInes keeps the harbour light for Tom.\npatient\na storm",
    "system: <example>",
    "system/example_user: Is it far?",
  ]);
});

test("[X1] an order without the chat sends none of it; markers that it does not name are sent last", () => {
  expect(sentBy(importTavern([card, preset({}, ["main"]), chat]))).toEqual([
    "system: Play Ines. Tell it well.",
    "system: Ines keeps the harbour light for Tom.",
    "system: patient",
    "system: a storm",
  ]);
});

test("[X1] continuing puts the last message behind everything, and the nudge behind it", () => {
  const nudged = preset({ continue_nudge_prompt: "Go on." }, stock, [{ identifier: "jailbreak", content: "PHI" }]);
  expect(sentBy(importTavern([nudged, chat]), "continue").slice(-4)).toEqual([
    "user: h2 Ines",
    "system: PHI",
    "assistant: h3",
    "system: Go on.",
  ]);
});

test("[X1] presets of old, and orders for one character only, use the stock order", () => {
  const old = tavernFile({ main_prompt: "Old main", jailbreak_prompt: "Old last", new_chat_prompt: "" });
  expect(sentBy(importTavern([old, chat]))).toEqual([
    "system: Old main",
    "assistant: h1",
    "user: h2 Ines",
    "assistant: h3",
    "system: Old last",
  ]);
  const single = preset({ prompt_order: [{ character_id: 100_000, order: [] }] });
  expect(sentBy(importTavern([single]))).toEqual(["system: Tell it well.", "system: <new>"]);
});

test("[M2] a chat becomes a session: dates of all ages, hidden messages kept and not sent, other versions beside", () => {
  const { entries } = importTavern([chat]);
  expect(entries).toMatchObject([
    { type: "message", ts: "2024-03-03T20:17:00Z" },
    { type: "message", ts: 1_700_000_000_000 },
    { type: "custom", sillytavern: { hidden: { text: "hidden" } } },
    { type: "message", sillytavern: { swipes: ["other"] } },
  ]);
});

test.each([
  [{ persona_description: "P", persona_description_position: 0 }, "system: P", 1],
  [{ persona_description: "P", persona_description_position: 4, persona_description_depth: 1 }, "system: P", -2],
  [
    { personas: { "a.png": "Tom" }, persona_descriptions: { "a.png": { description: "P", position: 0 } } },
    "system: P",
    1,
  ],
])("[X1] the persona %j", (persona, text, at) => {
  const order = ["main", "personaDescription", "chatHistory"];
  expect(sentBy(importTavern([preset({}, order), chat, tavernFile(persona)])).at(at)).toBe(text);
});

test("[X1] what a file is is told by its content; Pygmalion's cards and old flat ones are cards", () => {
  const kinds = [
    { char_name: "A", char_persona: "b", char_greeting: "c" },
    { name: "A", description: "b", first_mes: "c" },
    { entries: {} },
    { prompts: [] },
    { note_prompt: "x" },
    { persona_description: "x" },
  ].map((value) => tavernFile(value).kind);
  expect(kinds).toEqual(["card", "card", "world-info", "preset", "authors-note", "persona"]);
  const group = utf8('{"name":"A","is_user":false,"mes":"no header"}');
  expect(readTavernFile(group, { name: "x" }, importReport()).kind).toBe("chat");
});

test("[X1] a prompt may be called what the import calls its own messages", () => {
  const names = ["new-chat", "authors-note", "note", "depth-prompt", "persona", "example/1", "lore/0", "chat_history"];
  const prompts = names.map((identifier) => ({ identifier, system_prompt: false, content: identifier }));
  const files = [
    card,
    preset({}, [...names, "dialogueExamples", "chatHistory"], prompts),
    book(entry(0, { position: 4, depth: 0 })),
    tavernFile({ note_prompt: "N", note_position: 0 }),
    tavernFile({ persona_description: "P", persona_description_position: 4 }),
  ];
  const messages = sentBy(importTavern(files, { user: "Tom" }));
  for (const text of [...names, "N", "system: P", "Ines whispers", "e0", "<new>"]) {
    expect(messages.some((message) => message.includes(text))).toBe(true);
  }
});
