import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(`${root}docs/security.md`, "utf8");
const testFile = /`((?:packages|scripts)\/[^`]+\.test\.ts)`/g;

/** The rows that promise something: those of the tables below "What holds". */
const rows = page
  .slice(page.indexOf("## What holds"), page.indexOf("## What does not hold"))
  .split("\n")
  .filter((line) => line.startsWith("| ") && !/^\| (?:threat|sink) \|/.test(line));

test("every promise of the page about security names tests that can break it", () => {
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => [...row.matchAll(testFile)].length === 0)).toEqual([]);
});

test("every test that the page names is there", () => {
  const named = [...page.matchAll(testFile)].map(([, file = ""]) => file);
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(root + file))).toEqual([]);
});
