import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { BuildDocument } from "../input/build-document.ts";
import { file, folder, galley } from "../testing/run-command.ts";

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
  expect(run.out).toMatch(/not supported 2\n/);
  expect(run.out).toContain("harbour/1  It waits for its keywords (fog)");
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

test("[X1] --json is one document on standard output, and --entries all switches everything on", async () => {
  const target = join(folder, "all.json");
  const run = await galley(["import", book, "--out", target, "--entries", "all", "--json"]);
  expect(JSON.parse(run.out)).toMatchObject({ preset: target, session: null, files: [{ kind: "world-info" }] });
  const built = await galley(["build", "--preset", target, "--json"]);
  expect((JSON.parse(built.out) as BuildDocument).messages[1]?.content).toBe("Fog.\nThe harbour.");
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
  [
    ["import", file("odd.bin", "hello"), "--out", join(folder, "x.json")],
    1,
    "neither a PNG, nor a CharX archive, nor JSON",
  ],
  [["import", card, card, "--out", join(folder, "x.json")], 1, "ImportFailed"],
  [["import", card], 2, "Required option"],
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
  await galley(["import", named, card, "--continue", "--out", target]);
  const run = await galley(["explain", "--preset", target, "--session", join(folder, "named-out.jsonl")]);
  expect(run.out).toContain("Rule 1 + Rule 2 + Rule 3 + 3 more");
  expect(run.out).not.toContain(id(1));
  expect(run.out).toContain("The request to go on with the last message");
});
