import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writtenPages } from "./written-pages.ts";

// The compiler reads the whole project: on a busy machine that takes longer than a test usually may.
const timeout = 180_000;

test.for(Object.entries(writtenPages))("docs/%s is what the code says today", { timeout }, async ([name, write]) => {
  const written = readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
  expect(written, `docs/${name} is stale: npm run docs`).toBe(await write());
});
