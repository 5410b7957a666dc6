import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writtenPages } from "./written-pages.ts";

test("the pages that are made from the code are those of today", () => {
  for (const [name, text] of Object.entries(writtenPages())) {
    const written = readFileSync(new URL(`../docs/${name}`, import.meta.url), "utf8");
    expect(written, `docs/${name} is stale: npm run docs`).toBe(text);
  }
});
