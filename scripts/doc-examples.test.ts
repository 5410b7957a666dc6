import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as engine from "@galley/engine";
import * as logs from "@galley/engine/logs";
import * as proof from "@galley/engine/proof";
import * as sillytavern from "@galley/engine/sillytavern";
import * as wire from "@galley/engine/wire";
import { expect, test } from "vitest";

// Examples in the comments of the engine: JavaScript in which every public name of the root, of logs, proof, sillytavern and wire is known. `value; // → 3` says
// what a value is.
const root = fileURLToPath(new URL("../packages/engine/src/", import.meta.url));
const pattern = /\* @example\n((?: \*.*\n)+?) \*\/\nexport (?:async )?(?:function\*?|class) (\w+)/g;
const examples = globSync("**/*.ts", { cwd: root }).flatMap((file) =>
  [...readFileSync(root + file, "utf8").matchAll(pattern)].map(([, lines = "", name = ""]) => ({
    name,
    code: lines.replaceAll(/^ \* ?/gm, ""),
  })),
);

test("the most used names of the engine have an example", () => {
  const wanted = ["ContextManager", "build", "composePreset", "diff", "exportFor", "importTavern", "loadTokenizer"];
  const more = ["parsePreset", "parseSession", "tokenAccount"];
  expect(examples.map(({ name }) => name)).toEqual(expect.arrayContaining([...wanted, ...more]));
});

test.each(examples)("the example of $name runs, and gives what it says", async ({ code }) => {
  const checked = code.replaceAll(/^(.*); \/\/ → (.*)$/gm, "expect($1).toEqual($2);");
  expect(checked).toContain("expect(");
  const names = { ...engine, ...logs, ...proof, ...sillytavern, ...wire, expect };
  const { constructor } = Object.getPrototypeOf(async () => {}) as { constructor: FunctionConstructor };
  const run = constructor(...Object.keys(names), checked) as (...values: unknown[]) => Promise<void>;
  await run(...Object.values(names));
});
