import { expect, test } from "vitest";
import { importReport } from "../files/import-report.ts";
import { importTavern } from "./import-tavern.ts";
import { readTavernFile } from "./read/read-tavern-file.ts";
import { chatFile, sentBy, tavernFile, utf8 } from "../testing/tavern-fixture.ts";

test("[X1] keys that could take for ever, live macros and a format without a place are told", () => {
  const entry = { content: "e", constant: true, position: 0 };
  const entries = [
    { ...entry, uid: 0, key: ["/(?=(a+)+$)b/"], comment: "Lamp" },
    { ...entry, uid: 1, key: ["/(a+)+$/"] },
  ];
  const lore = tavernFile({ entries }, "lore");
  const report = importReport();
  const bytes = utf8(
    JSON.stringify({ prompts: [{ identifier: "main", content: "{{hasExtension}}" }], wi_format: "lore:" }),
  );
  const {
    preset: built,
    notes,
    entries: session,
  } = importTavern([readTavernFile(bytes, { name: "p" }, report), lore], { report });
  const told = notes.filter((note) => note.fate === "unsupported").map(({ path, message }) => `${path}: ${message}`);
  expect(told).toEqual([
    expect.stringContaining("wi_format: It has no {0}"),
    expect.stringContaining("Main Prompt: {{hasExtension}} is known only to a running SillyTavern"),
    expect.stringContaining("lore/0 Lamp: The key /(?=(a+)+$)b/ could take for ever"),
  ]);
  expect(sentBy({ preset: built, entries: session })).toContain("system: e\ne");
});

test("[X1] texts of the preset quote the chat that is built", () => {
  const prompts = [{ identifier: "last", system_prompt: false, content: "{{lastUserMessage}} {{lastCharMessage}}" }];
  const order = ["last", "chatHistory"].map((identifier) => ({ identifier, enabled: true }));
  const last = { prompts, prompt_order: [{ character_id: 100_001, order }] };
  const chat = chatFile({ name: "Tom", is_user: true, mes: "h2" }, { name: "Ines", is_user: false, mes: "h3" });
  const imported = importTavern([tavernFile(last), chat]);
  expect(sentBy(imported)[0]).toBe("system: h2 h3");
  expect(imported.notes.filter((note) => note.path === "last")).toEqual([]);
});

test("[X1] without a card, who speaks in the chat is the character", () => {
  const lines = chatFile(
    { user_name: "unused", character_name: "unused", chat_metadata: {} },
    { name: "Tom", mes: "joins", is_user: false },
    { name: "Mia", mes: "hi", is_user: false },
    { name: "Tom", mes: "hi", is_user: true },
  );
  expect(importTavern([lines]).preset.variables).toMatchObject({ char: "Mia" });
});

test("[P6] passwords in a preset do not come along", () => {
  const imported = importTavern([
    tavernFile({ prompts: [], proxy_password: "hunter2", custom_include_headers: "Authorization: x" }),
  ]);
  expect(JSON.stringify(imported.preset)).not.toMatch(/hunter2|Authorization/);
});

test("[X1c] fields of cards and of entries that have no effect are listed", () => {
  const report = importReport();
  const read = (value: object): unknown => readTavernFile(utf8(JSON.stringify(value)), { name: "x" }, report);
  read({
    spec: "chara_card_v2",
    zonk: 1,
    data: { name: "Ines", description: "kind", first_message: "Hello", nothing: "" },
  });
  const entry = { uid: 0, key: ["fog"], content: "Fog", position: 0, vectorized: false, extensions: {} };
  read({ entries: { 0: { ...entry, weird: 1 }, 1: { ...entry, uid: 1, weird: 2, automationId: "a" } } });
  expect(report.notes.filter(({ fate }) => fate === "unsupported")).toEqual([
    {
      fate: "unsupported",
      path: "fields",
      message: expect.stringMatching(/no effect: zonk, first_message\.$/) as string,
    },
    {
      fate: "unsupported",
      path: "entries",
      message: expect.stringMatching(/no effect: weird \(2\), automationId \(1\)\.$/) as string,
    },
  ]);
});
