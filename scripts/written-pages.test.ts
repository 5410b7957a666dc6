import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writtenPages } from "./written-pages.ts";

test.each(Object.entries(writtenPages))("docs/%s is what the code says today", (name, write) => {
  const written = readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
  expect(written, `docs/${name} is stale: npm run docs`).toBe(write());
});
