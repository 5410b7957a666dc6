import { exportTavern } from "@galley/engine/sillytavern";
import { expect, test } from "vitest";
import recipes from "../../../../../examples/recipes.json" with { type: "json" };
import card from "../../../../../examples/sillytavern-card.json" with { type: "json" };
import { countLines, nameFor, readImport } from "./read-import.ts";

const line = { id: "m1", ts: 1, type: "message", message: { role: "user", content: "Hello" } };
const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const choices = { user: "", greeting: 1, useEmbeddedBook: true } as const;

test("[X1] a card becomes a preset, its greeting a message", () => {
  const { files, preset, entries, notes } = readImport([{ name: "mara.json", bytes: bytes(card) }], choices);
  expect(files).toEqual([{ name: "mara.json", kind: "card" }]);
  expect(nameFor(preset, files)).toBe("Mara");
  expect(countLines(entries)).toEqual({ messages: 1, others: 0 });
  expect(notes.length).toBeGreaterThan(0);
});

test("Galley's own files are taken as they are", () => {
  const made = readImport(
    [
      { name: "recipes.json", bytes: bytes(recipes) },
      { name: "session.jsonl", bytes: bytes(line) },
    ],
    choices,
  );
  expect(made.files.map(({ kind }) => kind)).toEqual(["galley-preset", "galley-session"]);
  expect(made.preset?.contextRecipes?.length).toBeGreaterThan(0);
  expect(made.entries.length).toBeGreaterThan(0);
});

test("a file that cannot be read says why and spoils nothing", () => {
  const made = readImport(
    [
      { name: "noise.bin", bytes: new Uint8Array([1, 2, 3]) },
      { name: "mara.json", bytes: bytes(card) },
    ],
    choices,
  );
  expect(made.files[0]).toMatchObject({ error: { hint: expect.stringContaining("Claude Code") }, canBeNamed: false });
  expect(made.preset?.name).toBe("Mara");
  const text = new TextEncoder().encode("# aider chat started at 2026-01-01\n");
  expect(readImport([{ name: "chat.md", bytes: text }], choices).files[0]?.error?.message).toContain("aider");
  const canBeNamed = (value: object): boolean | undefined =>
    readImport([{ name: "odd.json", bytes: bytes(value) }], choices).files[0]?.canBeNamed;
  expect([canBeNamed({ a: 1 }), canBeNamed({ scriptName: "Trim", findRegex: "/a/" })]).toEqual([true, false]);
});

test("two presets do not go together, and that is said", () => {
  const first = { name: "a.json", bytes: bytes({ prompts: [] }) };
  expect(readImport([first, { ...first, name: "b.json" }], choices).error?.message).toContain("preset");
});

test("[X1] what was exported comes back as an equal document", () => {
  const first = readImport([{ name: "mara.json", bytes: bytes(card) }], choices);
  const { preset, books } = exportTavern(first.preset ?? {});
  const files = [
    { name: "mara.json", bytes: bytes(preset) },
    ...books.map(({ name, book }) => ({ name: `${name}.json`, bytes: bytes(book) })),
  ];
  const second = readImport(files, choices);
  const again = exportTavern(second.preset ?? {});
  expect(again.preset).toEqual(preset);
  expect(again.books).toEqual(books);
});

test("[X1c] of several personas one is chosen, and the file's own choice speaks otherwise", () => {
  const personas = {
    personas: { a: "Ada", b: "Bob" },
    persona_descriptions: { a: { description: "A captain" }, b: { description: "A cook" } },
    default_persona: "b",
  };
  const given = [
    { name: "personas.json", bytes: bytes(personas) },
    { name: "mara.json", bytes: bytes(card) },
  ];
  const texts = (made: ReturnType<typeof readImport>): string => JSON.stringify(made.preset);
  const plain = readImport(given, choices);
  expect(plain.personas).toEqual(["Bob", "Ada"]);
  expect(texts(plain)).toContain("A cook");
  expect(texts(readImport(given, { ...choices, persona: "Ada" }))).toContain("A captain");
  expect(readImport(given, { ...choices, persona: "Zed" }).error).toBeUndefined();
});
