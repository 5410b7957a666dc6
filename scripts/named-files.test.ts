import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = [
  "CONTRIBUTING.md",
  ...globSync("docs/{architecture,security,reliability}.md", { cwd: root }),
  ...globSync("docs/decisions/*.md", { cwd: root }),
];
const files = [
  ...globSync("packages/*/{src,test,testing,faults,schemas,bin,api-page,prompts}/**/*", { cwd: root }),
  ...globSync("packages/*/*.{ts,js,json}", { cwd: root }),
  ...globSync("{bench,docs,examples,lint,scripts}/**/*", { cwd: root, exclude: ["**/node_modules/**"] }),
  ...globSync("*.{ts,json,md}", { cwd: root }),
].map((file) => `/${file}`);

/** A file of a user's own project. */
const elsewhere = "galley.config.ts";

/** The sources and folders that a text names in backticks, with or without the folders above; `*` stands for a part of a name. */
const named = (text: string): string[] =>
  [...text.matchAll(/`([\w*][\w./*-]*(?:\.(?:tsx?|js|mjs)|\/))`/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== elsewhere);

function isThere(name: string): boolean {
  const end = name
    .replace(/\/$/, "")
    .replaceAll(".", String.raw`\.`)
    .replaceAll("*", "[^/]*");
  const pattern = new RegExp(`/${end}${name.endsWith("/") ? "/" : "$"}`);
  return files.some((file) => pattern.test(file));
}

test.each(pages)("%s names files that are there", (page) => {
  expect(named(readFileSync(root + page, "utf8")).filter((name) => !isThere(name))).toEqual([]);
});

test("a file that is missing is noticed", () => {
  expect(named("`turn/run/loop.ts`, `no/such-file.ts`, `docs/`").filter((name) => !isThere(name))).toEqual([
    "no/such-file.ts",
  ]);
});
