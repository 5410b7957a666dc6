import { expect, test } from "vitest";
import { GalleyError } from "../../../model/check/errors.ts";
import { importReport } from "../../files/import-report.ts";
import { importTavern } from "../import-tavern.ts";
import { readTavernFile } from "./read-tavern-file.ts";
import { cardChunk, chatFile, png, tavernFile, utf8 } from "../../testing/tavern-fixture.ts";

function refused(value: unknown): GalleyError {
  try {
    readTavernFile(
      typeof value === "string" ? utf8(value) : utf8(JSON.stringify(value)),
      { name: "x" },
      importReport(),
    );
  } catch (error) {
    if (error instanceof GalleyError) return error;
  }
  throw new Error("It was read.");
}

test.each([
  ["an instruct template", { name: "Alpaca", input_sequence: "### Input:", output_sequence: "### Response:" }],
  ["a context template", { name: "Default", story_string: "{{description}}", chat_start: "***" }],
  ["a system prompt of SillyTavern", { name: "Roleplay", content: "Write one reply.", post_history: "" }],
  ["master settings", { instruct: {}, context: {}, sysprompt: {}, preset: {} }],
  ["a regex script", { id: "1", scriptName: "Trim", findRegex: "/a/", replaceString: "" }],
  ["a regex script", [{ id: "1", scriptName: "Trim", findRegex: "/a/", replaceString: "" }]],
  ["quick replies", { version: 2, name: "mine", qrList: [] }],
  ["a theme", { name: "Dark", blur_strength: 10, main_text_color: "rgb(0,0,0)", chat_display: 0 }],
  ["a text-completion preset", { temp: 0.7, top_p: 0.9, rep_pen: 1.1 }],
  ["agents of AIO Hub", { version: 1, type: "AIO_Agent_Export", agents: [{ name: "A", presetMessages: [] }] }],
  ["a module of RisuAI", { type: "risuModule", module: { name: "M" } }],
  ["a preset of RisuAI", { name: "P", mainPrompt: "", formatingOrder: ["main"] }],
  ["a chat of RisuAI", { type: "risuChat", ver: 1, data: {} }],
  ["a story of NovelAI", { storyContainerVersion: 1, metadata: {} }],
  ["a preset of NovelAI", { presetVersion: 3, name: "P", parameters: {} }],
  ["a character of Agnai", { kind: "character", name: "A", persona: { kind: "text" }, greeting: "Hi" }],
  ["a chat of Agnai", { name: "c", greeting: "", messages: [{ handle: "A", msg: "hi" }] }],
  ["(ooba)", { internal: [["a", "b"]], visible: [["a", "b"]] }],
  ["(ooba)", "name: Aqua\ncontext: |-\n  She is kind.\n"],
  ["Character.AI", { histories: { histories: [{ msgs: [] }] } }],
  ["Character.AI", { histories: [{ msgs: [{ text: "Hi" }] }] }],
  ["an agent of AIO Hub", { id: "a", name: "A", profileId: "p", modelId: "m", presetMessages: [] }],
  ["a group of SillyTavern", { id: "1", members: ["a.png"], activation_strategy: 0, chats: [] }],
  ["passwords", { api_key_openai: "sk-1" }],
  ["panels", { name: "m", movingUIState: {} }],
  ["regex scripts of RisuAI", { type: "regex", data: [] }],
  ["null", null],
])("[X1c] %s is called by its name, with what works and no wrong kind", (name, value) => {
  const { code, message, hint } = refused(value);
  expect(code).toBe("ImportFailed");
  expect(message).toContain(name);
  expect(hint).toBeTruthy();
  expect(hint).not.toContain("--as");
});

const entriesOf = (value: unknown): unknown => {
  const file = tavernFile(value, "book");
  return file.kind === "world-info"
    ? file.entries.map(({ keys, content, order, isConstant, isDisabled }) => [
        keys,
        content,
        order,
        isConstant,
        isDisabled,
      ])
    : file.kind;
};

test("[X1c] lorebooks of NovelAI, Agnai and RisuAI come in as world info", () => {
  const novel = { text: "A fox.", displayName: "fox", keys: ["fox", "den"], enabled: true, forceActivation: true };
  expect(entriesOf({ lorebookVersion: 5, entries: [{ ...novel, contextConfig: { budgetPriority: 400 } }] })).toEqual([
    [["fox", "den"], "A fox.", 400, true, false],
  ]);
  const memory = { name: "fox", entry: "A fox.", keywords: ["fox"], weight: 3, enabled: false };
  expect(entriesOf({ kind: "memory", name: "m", entries: [memory] })).toEqual([[["fox"], "A fox.", 3, false, true]]);
  const risu = {
    key: "fox, den",
    secondkey: "",
    insertorder: 7,
    comment: "fox",
    content: "A fox.",
    alwaysActive: false,
  };
  expect(entriesOf({ type: "risu", ver: 1, data: [risu] })).toEqual([[["fox", "den"], "A fox.", 7, false, false]]);
});

test("[X1c] why a picture holds no card is said: chunks that are not read, and a file that ends early", () => {
  const other = { ...cardChunk("chara", { name: "A" }), type: "iTXt" };
  const failure = (bytes: Uint8Array): string => {
    try {
      readTavernFile(bytes, { name: "x" }, importReport());
    } catch (error) {
      return error instanceof Error ? error.message : "";
    }
    return "it was read";
  };
  expect(failure(png(other))).toContain("iTXt or zTXt");
  const whole = png(cardChunk("chara", { name: "A", description: "x".repeat(500) }));
  expect(failure(whole.subarray(0, 300))).toContain("longer than the file");
});

test("[X1c] of several personas one is chosen by its name; the others are named", () => {
  const file = tavernFile({
    personas: { "a.png": "Ann", "b.png": "Bob" },
    default_persona: "b.png",
    persona_descriptions: { "a.png": { description: "calm" }, "b.png": { description: "wild" } },
  });
  const { preset, notes } = importTavern([file]);
  expect(preset.variables).toMatchObject({ user: "Bob", persona: "wild" });
  expect(notes.find(({ path }) => path === "persona")?.message).toContain("another one: Ann");
  expect(importTavern([file], { persona: "Ann" }).preset.variables).toMatchObject({ user: "Ann", persona: "calm" });
  expect(() => importTavern([file], { persona: "Cid" })).toThrow("no persona");
});

test("[X1c] a chat of Chub has its texts one level deeper, and is read and written back", () => {
  const lines = [
    { user_name: "Tom", character_name: "Ines" },
    { name: "Ines", is_user: false, mes: { message: "Hello" }, swipes: [{ message: "Hello" }, { message: "Ho" }] },
  ];
  const { entries } = importTavern([chatFile(...lines)]);
  expect(entries[0]).toMatchObject({
    message: { role: "assistant", content: "Hello" },
    sillytavern: { swipes: ["Ho"] },
  });
});

test("[X1c] an import lists what it does not take, and never calls a field that changes the input a setting of the call", () => {
  const card = tavernFile({
    spec: "chara_card_v2",
    data: { name: "Ines", tags: ["sea"], creator: "me", extensions: { fav: true, chub: { id: 1 } }, first_mes: "Hi" },
  });
  const preset = tavernFile({ prompts: [], temperature: 1, assistant_prefill: "Sure:", use_sysprompt: false });
  const book = tavernFile({
    entries: { 0: { uid: 0, key: ["a"], content: "@@depth 3\n@@activate\nFog.", position: 0 } },
  });
  const chat = chatFile({ name: "Ines", is_user: false, mes: "Hi", extra: { model: "x", type: "" } });
  const report = importReport();
  const files = [card, preset, book, chat];
  const { notes } = importTavern(files, { report });
  const said = notes.map(({ path, message }) => `${path}: ${message}`).join("\n");
  expect(said).toContain("change what SillyTavern sends, and nothing here: assistant_prefill.");
  expect(said).toMatch(/Settings of the model call[^\n]*: temperature\./);
  expect(said).toContain("extra.model (1)");
  expect(said).toContain("@@depth");
  const own = importReport();
  readTavernFile(utf8(JSON.stringify(card.kind === "card" ? card.source : {})), { name: "x" }, own);
  expect(own.notes.map(({ path }) => path)).toEqual(["creator", "tags", "extensions"]);
});

test("[X1c] a preset is called after its card, its file or its book, and never after nobody", () => {
  const named = (...files: Parameters<typeof importTavern>[0]): string | undefined => importTavern(files).preset.name;
  expect(named(tavernFile({ name: "Ines", first_mes: "" }))).toBe("Ines");
  expect(named(tavernFile({ prompts: [] }, "Tide"))).toBe("Tide");
  expect(named(tavernFile({ entries: {} }, "Harbour"))).toBe("Harbour");
  expect(named(tavernFile({ note_prompt: "x" }))).toBeUndefined();
});
