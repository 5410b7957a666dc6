import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { importCycles } from "./import-cycles.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

// Circles of types that are still there: each stage of the engine keeps its types in the file that first needed them. They
// go when each stage has a file of types; until then the list may only become shorter.
const known: readonly (readonly string[])[] = [
  [
    "compose/arrange",
    "compose/merge-injected",
    "compose/output-slots",
    "compose/place-items",
    "compose/resolve-preset",
  ],
  ["exchange/export-books", "exchange/export-prompts", "exchange/export-tavern"],
  ["fit/apply-decision", "fit/build", "fit/decision-entries", "fit/ledger-rows", "fit/plan"].concat([
    "fit/prepare",
    "fit/extend-build",
    "fit/window",
    "fit/window-memory",
  ]),
  ["tokens/bpe-tokenizer", "tokens/estimated-tokenizer", "tokens/load-tokenizer", "tokens/media-rule"].concat([
    "tokens/tokenizer",
    "tokens/tokenizer-family",
  ]),
];

test("sources import each other in no circle, types included", () => {
  const expected = known.map((group) => group.map((name) => `packages/engine/src/${name}.ts`).toSorted());
  expect(importCycles(root, "packages/*/src/**/*.{ts,tsx}")).toEqual(expected);
});

test("a circle of types is found", () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-cycles-"));
  try {
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/a.ts"), 'import type { B } from "./b.ts"; export type A = B;');
    writeFileSync(join(folder, "src/b.ts"), 'export type { C as B } from "./c.ts";');
    writeFileSync(join(folder, "src/c.ts"), 'import { type A } from "./a.ts"; export type C = A | 1;');
    writeFileSync(join(folder, "src/d.ts"), 'import "./a.ts";');
    expect(importCycles(folder, "src/*.ts")).toEqual([["src/a.ts", "src/b.ts", "src/c.ts"]]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
