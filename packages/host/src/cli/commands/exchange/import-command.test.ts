import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { BuildDocument } from "../../input/build-document.ts";
import { file, folder, galley } from "../../testing/run-command.ts";

const card = file("ines.json", {
  name: "Ines",
  description: "{{char}} keeps the light.",
  first_mes: "Lit, {{user}}.",
  mes_example: "",
});
const book = file("harbour.txt", {
  entries: {
    0: { uid: 0, content: "The harbour.", constant: true, position: 0 },
    1: { uid: 1, content: "Fog.", key: ["fog"], position: 0 },
  },
});
const preset = file("tide.data", {
  prompts: [{ identifier: "main", content: "Tell it." }],
  new_chat_prompt: "",
  temperature: 1,
});
const out = join(folder, "out.json");

test("[X1] import writes a preset and a session that build, and says what became of everything", async () => {
  const run = await galley(["import", card, book, preset, "--user", "Tom", "--persona", "a sailor", "--out", out]);
  expect([run.code, run.err]).toEqual([0, ""]);
  expect(run.out).toContain(`${card} (card)`);
  expect(run.out).toMatch(/kept \d+\n/);
  expect(run.out).toContain("book harbour  2 entries: 1 waiting for keys, 0 switched off.");
  const built = await galley([
    "build",
    "--preset",
    out,
    "--session",
    join(folder, "out.jsonl"),
    "--model",
    "gpt-5",
    "--json",
  ]);
  expect([built.code, built.err]).toEqual([0, ""]);
  expect((JSON.parse(built.out) as BuildDocument).messages.map((message) => message.content)).toEqual([
    "Tell it.",
    "The harbour.",
    "a sailor",
    "Ines keeps the light.",
    "Lit, Tom.",
  ]);
});

test("[E] import and export never replace a file unless they are told to", async () => {
  const before = readFileSync(out, "utf8");
  for (const args of [
    ["import", card, "--out", out],
    ["export", out, "--out", out],
  ]) {
    const run = await galley([...args, "--json"]);
    expect([run.code, run.out]).toEqual([1, ""]);
    expect(JSON.parse(run.err)).toMatchObject({ error: { code: "FileExists", path: out } });
  }
  expect(readFileSync(out, "utf8")).toBe(before);
  // The preset is new here and its session is not: neither is written.
  file("half.jsonl", "kept");
  expect((await galley(["import", card, "--out", join(folder, "half.json")])).code).toBe(1);
  expect(existsSync(join(folder, "half.json"))).toBe(false);
  expect((await galley(["import", card, "--out", out, "--force"])).code).toBe(0);
});

test("[K4] --json is one document on standard output, and entries come by their keys or as a list names them", async () => {
  const target = join(folder, "all.json");
  const run = await galley(["import", book, "--out", target, "--json"]);
  expect(JSON.parse(run.out)).toMatchObject({ preset: target, session: null, files: [{ kind: "world-info" }] });
  const textFor = async (preset: string, ...more: string[]): Promise<unknown> => {
    const built = await galley(["build", "--preset", preset, "--json", ...more]);
    return (JSON.parse(built.out) as BuildDocument).messages[1]?.content;
  };
  expect(await textFor(target)).toBe("The harbour.");
  expect(await textFor(target, "--input", "Fog!")).toBe("Fog.\nThe harbour.");
  const named = join(folder, "named.json");
  const list = file("activated.json", [{ world: "harbour", uid: 1 }]);
  expect((await galley(["import", book, "--out", named, "--activated", list])).code).toBe(0);
  expect(await textFor(named)).toBe("Fog.");
});

test("[K3] preset activate says which entries come and why, and why the others do not", async () => {
  const target = join(folder, "all.json");
  const run = await galley(["preset", "activate", target, "--input", "Is there fog?"]);
  expect(run.out).toMatch(/^There: 2 of 4, \d+ tokens\n/);
  expect(run.out).toMatch(/1\. harbour\/0, \d+ tokens: it is always there\n/);
  expect(run.out).toMatch(/2\. harbour\/1, \d+ tokens: key "fog" in message /);
  const json = await galley(["preset", "activate", target, "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({
    entries: expect.arrayContaining([expect.objectContaining({ id: "harbour/1", isActive: false, rule: "no-key" })]),
  });
});

test("[X1] a card can be talked to in one step, with the greeting that is chosen; a chat that exists is left alone", async () => {
  const data = join(folder, "talk");
  const two = file("two.json", {
    spec: "chara_card_v2",
    data: { name: "Ines", first_mes: "A", alternate_greetings: ["B"] },
  });
  const run = await galley(["import", two, "--chat", "ines", "--greeting", "1", "--data", data]);
  expect([run.code, run.err]).toEqual([0, ""]);
  const shown = await galley(["explain", "--chat", "ines", "--data", data]);
  expect(shown.out).toMatch(/assistant .* B\n/);
  const again = await galley(["import", two, "--chat", "ines", "--data", data]);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining("has messages already")]);
  expect((await galley(["import", two, "--chat", "other", "--greeting", "2", "--data", data])).err).toContain(
    "the card has 1 greeting beside its own",
  );
  await galley(["import", two, "--chat", "own", "--greeting", "0", "--data", data]);
  expect((await galley(["explain", "--chat", "own", "--data", data])).out).toMatch(/assistant .* A\n/);
});

test("[X1] export writes a preset and its books, whose names cannot leave the folder", async () => {
  const target = join(folder, "again.json");
  const odd = file("odd.json", { entries: { 0: { uid: 0, content: "x", constant: true, position: 0 } } });
  await galley(["import", odd, "--out", join(folder, "odd-in.json")]);
  const text = readFileSync(join(folder, "odd-in.json"), "utf8").replaceAll('"odd"', '"../../evil"');
  const run = await galley(["export", file("odd-out.json", text), "--out", target, "--json"]);
  expect([run.code, run.err]).toEqual([0, ""]);
  const { books } = JSON.parse(run.out) as { books: string[] };
  expect(books).toHaveLength(1);
  expect(dirname(books[0] ?? "")).toBe(folder);
  expect(JSON.parse(readFileSync(books[0] ?? "", "utf8"))).toMatchObject({ entries: { 0: { content: "x" } } });
});

test.each([
  [["import", "nothing.png", "--out", join(folder, "x.json")], 1, "FileNotFound"],
  [["import", file("odd.bin", "hello"), "--out", join(folder, "x.json")], 1, "is not recognised"],
  [["import", preset, preset, "--out", join(folder, "x.json")], 1, "ImportFailed"],
  [["import", card], 2, "--out says where"],
  [["import", card, "--as", "song", "--out", join(folder, "x.json")], 2, "Allowed choices"],
])("[E] %j ends with %i and says %s", async (args, code, message) => {
  const run = await galley(args);
  expect(run.code).toBe(code);
  expect(run.err).toContain(message);
  expect(existsSync(join(folder, "x.json"))).toBe(false);
});

test("[P1] explain calls imported prompts by their names, and a long merge by its first parts", async () => {
  const id = (index: number): string => `5d3c2e1f-0000-4000-8000-00000000000${index}`;
  const prompts = [1, 2, 3, 4, 5].map((index) => ({
    identifier: id(index),
    name: `Rule ${index}`,
    content: `r${index}`,
    system_prompt: false,
  }));
  const order = [...prompts, { identifier: "chatHistory" }].map(({ identifier }) => ({ identifier, enabled: true }));
  const named = file("named.json", {
    prompts,
    prompt_order: [{ character_id: 100_001, order }],
    squash_system_messages: true,
    new_chat_prompt: "",
    continue_nudge_prompt: "More.",
  });
  const target = join(folder, "named-out.json");
  await galley(["import", named, card, "--out", target]);
  const session = join(folder, "named-out.jsonl");
  const run = await galley(["explain", "--preset", target, "--session", session, "--reply", "continue"]);
  expect(run.out).toContain("Rule 1 + Rule 2 + Rule 3 + 3 more");
  expect(run.out).not.toContain(id(1));
  expect(run.out).toContain("The request to go on with the last message");
});

test("[X1b] a chat with narrators, hidden lines, names and other versions goes into a chat and out again", async () => {
  const data = join(folder, "tavern-chat");
  const lines = [
    { user_name: "Tom", character_name: "Ines", chat_metadata: { note_prompt: "Be brief.", tainted: true } },
    { name: "Ines", is_user: false, mes: "Lit, {{user}}.", swipes: ["Lit, {{user}}.", "Dark."], swipe_id: 0 },
    { name: "Tom", is_user: true, mes: "Who is there?", send_date: "March 30, 2024 8:17pm" },
    { name: "Ada", is_user: false, mes: "Me.", swipes: ["Nobody.", "Me."], swipe_id: 1, extra: { model: "x" } },
    { name: "Narrator", is_user: false, mes: "The fog comes.", extra: { type: "narrator" } },
    { name: "Tom", is_user: true, is_system: true, mes: "a secret thought" },
    { name: "Tom", is_user: true, mes: "" },
  ];
  const source = file("tavern-chat.jsonl", lines.map((line) => JSON.stringify(line)).join("\n"));
  const imported = await galley(["import", card, source, "--chat", "light", "--data", data]);
  expect([imported.code, imported.err]).toEqual([0, ""]);
  const shown = await galley(["chat", "show", "--chat", "light", "--data", data]);
  expect(shown.out).toMatch(/assistant Ada +Me\./);
  expect(shown.out).toMatch(/system +The fog comes\./);
  expect(shown.out).toMatch(/hidden +a secret thought/);
  const alternates = await galley(["chat", "alternates", "--chat", "light", "--data", data]);
  expect(alternates.out).toContain("Nobody.");
  const built = await galley(["build", "--chat", "light", "--data", data, "--model", "demo", "--json"]);
  const said = (JSON.parse(built.out) as BuildDocument).messages.map((message) => message.content);
  expect(said).toContain("The fog comes.");
  expect(said).not.toContain("a secret thought");
  const target = join(folder, "chat-out.json");
  const exported = await galley(["export", "--chat", "light", "--data", data, "--out", target]);
  expect([exported.code, exported.err]).toEqual([0, ""]);
  const written = readFileSync(join(folder, "chat-out.chat.jsonl"), "utf8");
  expect(
    written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(lines);
  expect(JSON.parse(readFileSync(join(folder, "chat-out.Ines.card.json"), "utf8"))).toEqual(
    JSON.parse(readFileSync(card, "utf8")),
  );
});

test("[X1b] a card goes into a picture and comes back; without a card that is said", async () => {
  const target = join(folder, "picture-out.json");
  const picture = join(folder, "ines-out.png");
  const own = join(folder, "picture-in.json");
  await galley(["import", card, "--out", own]);
  const run = await galley(["export", own, "--out", target, "--card", picture, "--card-version", "v3", "--json"]);
  expect(JSON.parse(run.out)).toMatchObject({ cards: [picture], chat: null });
  const again = await galley(["import", picture, "--out", join(folder, "picture-again.json"), "--json"]);
  expect(JSON.parse(again.out)).toMatchObject({ files: [{ kind: "card" }] });
  const plain = file("plain-preset.json", { presetMessages: [] });
  const without = await galley(["export", plain, "--out", join(folder, "x.json"), "--card", picture]);
  expect([without.code, without.err]).toEqual([2, expect.stringContaining("has no card")]);
  const nothing = await galley(["export", "--out", join(folder, "x.json")]);
  expect(nothing.err).toContain("nothing to export");
});
