import { expect, test } from "vitest";
import type { Preset } from "../../compose/preset/preset.ts";
import { latin1 } from "../../model/base64.ts";
import type { SessionEntry } from "../../model/entries.ts";
import { importReport } from "../files/import-report.ts";
import { cardPicture } from "./export/card-versions.ts";
import { exportTavern } from "./export/export-tavern.ts";
import { importTavern } from "./import-tavern.ts";
import { readTavernFile } from "./read/read-tavern-file.ts";
import { cardChunk, chatFile, png, tavernFile, utf8 } from "../testing/tavern-fixture.ts";

/** What of a document differs from another one, as paths. */
function differences(before: unknown, after: unknown, path = ""): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const isTree = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
  if (!isTree(before) || !isTree(after)) return [path];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    differences(before[key], after[key], `${path}/${key}`),
  );
}

const bookEntry = { keys: ["lamp"], content: "A lamp.", insertion_order: 5, enabled: true, extensions: { depth: 2 } };
const whole = {
  spec: "chara_card_v2",
  description: "Old, <BOT> is kind.",
  spec_version: "2.0",
  data: {
    tags: ["sea"],
    name: "Ines",
    description: "Old, <BOT> is kind.",
    personality: "calm",
    mes_example: "<START>\n{{user}}: Hi\n{{char}}: Ho",
    first_mes: "Hello",
    assets: [{ type: "icon" }],
    extensions: { depth_prompt: { depth: 3, prompt: "Remember." }, other: 1 },
    character_book: { name: "lore", extensions: {}, entries: [bookEntry, { ...bookEntry, id: 7, content: "B" }] },
  },
};
const tavernPreset = {
  temperature: 0.5,
  prompts: [
    { identifier: "p1", name: "One", system_prompt: false, content: "Hi <USER>", role: "user", extra: [1] },
    { content: "Main.", identifier: "main", marker: false },
    { identifier: "p1", content: "a duplicate" },
    { identifier: "heading", marker: true, system_prompt: false, content: "----", injection_position: 0 },
    { name: "nameless" },
  ],
  personality_format: "[{{personality}}]",
  prompt_order: [
    { character_id: 100_000, order: [] },
    {
      character_id: 100_001,
      order: ["main", "ghost", "p1", "heading", "chatHistory"].map((identifier) => ({ identifier, enabled: true })),
    },
  ],
};
const tavernBook = {
  name: "b",
  entries: { a: { uid: 4, key: ["x"], content: "X", position: 4, depth: 1 }, 2: { key: "y", content: 7 } },
};
const lines = [
  { user_name: "Tom", chat_metadata: { note_prompt: "Be brief.", note_depth: 2, tainted: true } },
  {
    name: "Ines",
    is_user: false,
    mes: "Hello {{user}}",
    swipes: ["Hello {{user}}", "Ho"],
    swipe_id: 0,
    extra: { a: 1 },
  },
  { name: "Tom", is_user: true, mes: "h2", is_system: true },
  { name: "Narrator", is_user: false, mes: "Night.", extra: { type: "narrator" } },
];

test("[X1b] preset, card, book and chat go out as they came in, to the order of their keys", () => {
  const { preset, entries } = importTavern([
    tavernFile(whole),
    tavernFile(tavernPreset),
    tavernFile(tavernBook, "b"),
    chatFile(...lines),
  ]);
  const out = exportTavern(preset, { entries });
  expect(JSON.stringify(out.preset)).toBe(JSON.stringify(tavernPreset));
  expect(out.books.map(({ name, book }) => [name, JSON.stringify(book)])).toEqual([["b", JSON.stringify(tavernBook)]]);
  expect(out.cards.map(({ name, card }) => [name, JSON.stringify(card)])).toEqual([["Ines", JSON.stringify(whole)]]);
  expect(out.chat).toBe(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(out.notes).toEqual([]);
});

test("[X1b] after one text, one order and one switch were edited, each file differs in exactly these", () => {
  const files = [tavernFile(whole), tavernFile(tavernPreset), tavernFile(tavernBook, "b"), chatFile(...lines)];
  const { preset } = importTavern(files);
  const edit = (id: string, change: object): Preset => ({
    ...preset,
    messageTemplates: preset.messageTemplates?.map((one) => (one.id === id ? { ...one, ...change } : one)),
  });
  const [recipe] = preset.contextRecipes ?? [];
  const withSteps = (
    change: (steps: NonNullable<typeof recipe>["steps"]) => NonNullable<typeof recipe>["steps"],
  ): Preset => (recipe ? { ...preset, contextRecipes: [{ ...recipe, steps: change(recipe.steps) }] } : preset);
  const off = (id: string): Preset =>
    withSteps((steps) => steps.map((step) => (step.messageId === id ? { ...step, enabled: false } : step)));
  const changed = (edited: Preset): string[] => {
    const out = exportTavern(edited);
    return differences([tavernPreset, tavernBook, whole], [out.preset, out.books[0]?.book, out.cards[0]?.card]);
  };
  const activation = (id: string, rules: object): object => ({
    activation: { ...preset.messageTemplates?.find((one) => one.id === id)?.activation, ...rules },
  });
  expect(changed(edit("p1", { content: "Bye" }))).toEqual(["/0/prompts/0/content"]);
  expect(changed(edit("heading", { content: "====" }))).toEqual(["/0/prompts/3/content"]);
  expect(changed(off("p1"))).toEqual(["/0/prompt_order/1/order/2/enabled"]);
  const swapped = withSteps((steps) => {
    const at = steps.findIndex((step) => step.messageId === "p1");
    return steps.toSpliced(at, 2, ...steps.slice(at, at + 2).toReversed());
  });
  expect(changed(swapped)).toEqual(["/0/prompt_order/1/order/2/identifier", "/0/prompt_order/1/order/3/identifier"]);
  expect(changed(edit("b/4", { content: "XX" }))).toEqual(["/1/entries/a/content"]);
  expect(changed(edit("b/4", activation("b/4", { order: 7 })))).toEqual(["/1/entries/a/order"]);
  expect(changed(off("b/2"))).toEqual(["/1/entries/2/disable"]);
  expect(changed(edit("charDescription", { content: "New." }))).toEqual(["/2/description", "/2/data/description"]);
  expect(changed(edit("charPersonality", { content: "[wild]" }))).toEqual(["/2/data/personality"]);
  expect(changed(edit("depth-prompt", { content: "Forget." }))).toEqual(["/2/data/extensions/depth_prompt/prompt"]);
  expect(changed(edit("lore/7", { content: "C" }))).toEqual(["/2/data/character_book/entries/1/content"]);
  expect(changed(off("lore/7"))).toEqual(["/2/data/character_book/entries/1/enabled"]);
  expect(changed(edit("lore/7", activation("lore/7", { order: 9, sticky: 2 })))).toEqual([
    "/2/data/character_book/entries/1/insertion_order",
    "/2/data/character_book/entries/1/extensions/sticky",
  ]);
  const said = exportTavern(edit("example/1-1", { content: "Hey" })).cards[0]?.card["data"];
  expect(said).toMatchObject({ mes_example: "<START>\n{{user}}: Hey\n{{char}}: Ho" });
  const deleted = withSteps((steps) => steps.filter((step) => step.messageId !== "p1"));
  expect(changed(deleted)).toContain("/0/prompt_order/1/order/4");
});

test("[X1b] a card goes out in either version, as JSON and in a picture; what a version cannot say is listed", () => {
  const { preset } = importTavern([tavernFile(whole)]);
  const second = exportTavern(preset, { cardVersion: "v2" });
  expect(second.notes.map(({ path }) => path)).toEqual(["card: assets"]);
  const third = exportTavern(preset, { cardVersion: "v3" }).cards[0]?.card ?? {};
  expect(third).toMatchObject({
    spec: "chara_card_v3",
    data: { assets: [{ type: "icon" }], group_only_greetings: [] },
  });
  const first = importTavern([tavernFile({ name: "Ada", description: "x", first_mes: "Hi" })]).preset;
  expect(exportTavern(first).cards[0]?.card).toEqual({ name: "Ada", description: "x", first_mes: "Hi" });
  expect(exportTavern(first, { cardVersion: "v2" }).cards[0]?.card).toMatchObject({
    spec: "chara_card_v2",
    data: { name: "Ada", description: "x", first_mes: "Hi", tags: [] },
  });
  const picture = cardPicture(third, png(cardChunk("chara", { name: "Old" }), { type: "tIME", data: utf8("1234567") }));
  const read = readTavernFile(picture, { name: "x" }, importReport());
  expect(read).toMatchObject({ kind: "card", name: "Ines", source: third });
  expect(latin1(picture).split("tEXtchara").length).toBe(2);
  expect(latin1(picture)).toContain("tIME1234567");
  expect(readTavernFile(cardPicture(whole), { name: "x" }, importReport())).toMatchObject({ name: "Ines" });
});

test("[X1b] a session that was not imported becomes a chat; what chats there cannot hold is listed", () => {
  const { preset } = importTavern([tavernFile({ name: "Ines", first_mes: "" })], { user: "Tom" });
  const message = (id: string, content: unknown, role = "user"): object => ({
    id,
    ts: 5,
    type: "message",
    message: { role, content },
  });
  const effects = { sticky: { "lore.1": { start: 1, end: 3 } }, cooldown: {} };
  const entries = [
    message("m1", "Hi"),
    { ...message("m2", "Ho", "assistant"), said: { by: "Ines" }, sillytavern: { swipes: ["Hm"] } },
    message("m3", "gone"),
    {
      ...message("m4", [
        { type: "text", text: "Look" },
        { type: "image", image: "AAAA" },
      ]),
      parentId: "m2",
    },
    { id: "a1", ts: 6, type: "activation", ...effects },
  ] as SessionEntry[];
  const { chat: out = "", notes } = exportTavern(preset, { entries });
  const written = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(written).toMatchObject([
    { user_name: "Tom", character_name: "Ines", chat_metadata: { timedWorldInfo: effects } },
    { name: "Tom", is_user: true, mes: "Hi" },
    { name: "Ines", is_user: false, mes: "Ho", swipes: ["Hm", "Ho"], swipe_id: 1 },
    { name: "Tom", mes: "Look" },
  ]);
  expect(notes).toMatchObject([{ fate: "unsupported", message: expect.stringContaining("image: 1") }]);
});
