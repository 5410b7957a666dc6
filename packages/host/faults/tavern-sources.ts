import { crc32 } from "node:zlib";
import { type Chance, macroText, spoilBytes, spoilJson } from "@galley/engine/testing";
import { type FuzzSource, jsonFile, linesFile } from "./fuzz-sources.ts";

const entry = (uid: number, more: object): object => ({
  uid,
  key: ["fog"],
  keysecondary: [],
  comment: `entry ${uid}`,
  content: "{{char}} knows the {{// hidden}}fog.",
  constant: true,
  disable: false,
  order: 100,
  position: 0,
  extensions: { unknown: [1, { deep: true }] },
  ...more,
});

const book = {
  name: "Harbour",
  scan_depth: 3,
  entries: {
    0: entry(0, {}),
    1: entry(1, { position: 4, depth: 2, role: 1 }),
    2: entry(2, { position: 5, content: "<START>\n{{user}}: Light?\n{{char}}: Lit." }),
    3: entry(3, { position: 7, outletName: "tide", content: "high" }),
    4: entry(4, { position: 2, content: "@@activate\nNear the note." }),
  },
};

const card = {
  spec: "chara_card_v2",
  spec_version: "2.0",
  data: {
    name: "Ines",
    description: "{{char}} keeps the light. {{personality}}",
    personality: "patient {{random::a::b}}",
    scenario: "A {{if tide}}wet{{else}}dry{{/if}} night.",
    first_mes: "Lit, {{user}}.{{trim}}\n",
    mes_example: "<START>\n{{user}}: Hello?\n{{char}}: Yes.\n<START>\n<BOT>: {{lastMessage}}",
    system_prompt: "{{original}} Be brief.",
    post_history_instructions: "{{setvar::a::1}}{{getvar::a}}",
    alternate_greetings: ["Dark."],
    character_book: { entries: [{ keys: ["x"], content: "inner", enabled: true, insertion_order: 5, extensions: {} }] },
    extensions: { depth_prompt: { prompt: "deep", depth: 4, role: "system" }, world: "Harbour", regex_scripts: [{}] },
  },
};

const preset = {
  temperature: 0.7,
  prompts: [
    { identifier: "main", name: "Main", role: "system", content: "Write {{char}}'s reply.", system_prompt: true },
    { identifier: "chatHistory", name: "Chat", marker: true },
    { identifier: "deep", name: "Deep", role: "user", content: "x", injection_position: 1, injection_depth: 2 },
    { identifier: "jailbreak", role: "assistant", content: "{{outlet::tide}}", injection_trigger: ["continue"] },
  ],
  prompt_order: [
    { character_id: 100_000, order: [{ identifier: "main", enabled: true }] },
    {
      character_id: 100_001,
      order: ["main", "chatHistory", "deep"].map((identifier) => ({ identifier, enabled: true })),
    },
  ],
  wi_format: "[{0}]",
  new_chat_prompt: "[New]",
  continue_nudge_prompt: "More: {{lastChatMessage}}",
  names_behavior: 0,
  squash_system_messages: true,
  of_another_program: { kept: [1, null, "as it is"] },
};

const chat = [
  { user_name: "Tom", character_name: "Ines", create_date: "2024-3-30@17h10m10s", chat_metadata: { note_prompt: "n" } },
  {
    name: "Ines",
    is_user: false,
    mes: "Lit, {{user}}.",
    send_date: "March 30, 2024 8:17pm",
    swipes: ["Lit.", "Dark."],
  },
  { name: "Tom", is_user: true, mes: "Good.", send_date: 1_711_800_000_000, extra: { type: "narrator" } },
  { name: "Ines", is_user: false, is_system: true, mes: "hidden", force_avatar: "x.png" },
];

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A picture with nothing but a card in it. */
function pictureWith(text: string): Uint8Array {
  const data = Buffer.from(`chara\0${Buffer.from(text).toString("base64")}`, "latin1");
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("tEXt", data), chunk("IEND", Buffer.alloc(0))]);
}

/** One of each kind of file that SillyTavern writes, all of our own. */
export const tavernSources: readonly FuzzSource[] = [
  jsonFile("card", card),
  jsonFile("old card", { name: "Old", description: "older", first_mes: "hi", personality: "", mes_example: "" }),
  jsonFile("book", book),
  jsonFile("preset", preset),
  linesFile("chat", ...chat),
  jsonFile("persona", {
    personas: { a: "Tom" },
    persona_descriptions: { a: { description: "p", position: 4, depth: 1 } },
  }),
  jsonFile("note", { note_prompt: "{{date}}", note_depth: 2, note_position: 1, note_interval: 1, note_role: 0 }),
  { name: "picture", bytes: pictureWith(JSON.stringify(card)) },
];

/** A picture whose card, and not only its bytes, has something wrong in it. */
export function spoilPicture(chance: Chance): Uint8Array {
  const text = spoilJson(card, chance);
  const bytes = pictureWith(text);
  return chance.oneIn(4) ? spoilBytes(bytes, chance) : bytes;
}

/** A card that says nothing but macros. */
export function macroCard(chance: Chance): Uint8Array {
  const text = (): string => macroText(chance);
  const data = { name: "N", description: text(), personality: text(), scenario: text(), first_mes: text() };
  return Buffer.from(JSON.stringify({ spec: "chara_card_v2", data: { ...data, mes_example: text() } }));
}
