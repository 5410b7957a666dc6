import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { realPrograms } from "./real-agents.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Every file that starts a program which can fetch something and run it, and what keeps that in bounds. */
const known: Readonly<Record<string, string>> = {
  "scripts/install.mjs":
    "npm ci: the bytes of package-lock.json and of node-binary.mjs, and scripts of allowScripts only",
  "bench/install.ts": "npm ci: the bytes of the package-lock.json in bench or plugs, no scripts",
  "bench/estimates.ts": "npm install of exact versions, no scripts",
  "scripts/write-models.ts": "npm pack of one exact version, by hand; only its data is read",
  "scripts/test-agents.ts": "npm install of exact versions with their scripts, by hand, in a folder of its own",
  "scripts/pack.test.ts": "npm install of our own tarballs with the versions of package-lock.json, no scripts",
  "scripts/pack.ts": "npm pack of our own packages: fetches nothing",
  "scripts/test.ts": "npm run static: types, lint and format; fetches nothing",
  "scripts/start.test.ts": "npm start: fetches nothing that install.mjs does not",
};

const fetchers = "npm|npx|pnpm|yarn|bunx?|deno|git|curl|wget|pip3?|uvx?|docker|gh";
const started = new RegExp(String.raw`\b(?:\w*[eE]xec\w*|spawn(?:Sync)?|run\w*)\(\s*["'\`](?:${fetchers})["'\`]`);
const fetched = /\bfetch\(\s*["'`]https?:\/\/(?!127\.|localhost|\[|\$)/;
const inShell = new RegExp(String.raw`^\s*(?:\$ )?(?:sudo )?(?:${fetchers}) `, "m");

function fetches(file: string, text: string): boolean {
  // Of a page, the blocks that the tests run.
  if (file.endsWith(".md"))
    return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].some(([, block = ""]) => inShell.test(block));
  return started.test(text) || fetched.test(text);
}

const sources = [
  "{packages,scripts,bench,lint,examples,plugs}/**/*.{ts,tsx,js,mjs}",
  "*.ts",
  "docs/{guide,recipes/*}.md",
];

test("nothing in the project fetches programs or data but what is named here", () => {
  const files = globSync(sources, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] });
  expect(files.length).toBeGreaterThan(1000);
  const found = files.filter(
    (file) => file !== "scripts/downloads.test.ts" && fetches(file, readFileSync(join(root, file), "utf8")),
  );
  expect(found.toSorted()).toEqual(Object.keys(known).toSorted());
});

test.each([
  ["a.ts", 'execFileSync("npm", ["install", "left-pad"]);'],
  ["a.ts", 'await runProgram(\n  "git", ["clone", url]);'],
  ["a.test.ts", 'const page = await fetch("https://example.org/data.json");'],
  ["a.md", "```sh\nnpx --yes left-pad\n```\n"],
])("one that is not named would be noticed: %s %j", (file, text) => {
  expect(fetches(file, text)).toBe(true);
});

test("what is fetched by name is fetched in an exact version, and without scripts where none are needed", () => {
  for (const spec of Object.values(realPrograms)) expect(spec).toMatch(/@\d+\.\d+\.\d+[\w.-]*$/);
  for (const file of ["bench/install.ts", "bench/estimates.ts", "scripts/pack.test.ts"]) {
    expect(readFileSync(join(root, file), "utf8")).toContain('"--ignore-scripts"');
  }
  expect(readFileSync(join(root, "scripts/write-models.ts"), "utf8")).toMatch(/const source = "[^"]+@\d+\.\d+\.\d+"/);
  expect(readFileSync(join(root, "bench/estimates.ts"), "utf8")).not.toMatch(/"[@\w/-]+@(?:latest|[\^~*])/);
});
