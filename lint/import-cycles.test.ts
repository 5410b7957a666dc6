import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { importCycles } from "./import-cycles.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("sources import each other in no circle, types included", () => {
  expect(importCycles(root, "packages/*/src/**/*.{ts,tsx}")).toEqual([]);
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
