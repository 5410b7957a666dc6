import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const isPredictable = (line: string): boolean =>
  /join\([^()]*tmpdir\(\)/.test(line) && !/mkdtemp(?:Sync)?\(/.test(line);

test("nothing in the folder for everybody's temporary files has a name that another user could have taken before", () => {
  const planted = ["join(tmp", "dir(), 'vocabularies')"].join("");
  expect([planted, `mkdtempSync(${planted})`].filter(isPredictable)).toEqual([planted]);
  const files = globSync("{packages,scripts,bench,examples,lint}/**/*.{ts,tsx,js,mjs}", {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**"],
  });
  expect(files.length).toBeGreaterThan(500);
  const lines = files.flatMap((file) =>
    readFileSync(root + file, "utf8")
      .split("\n")
      .map((line, index) => ({ line, at: `${file}:${index + 1}` })),
  );
  expect(lines.filter(({ line }) => isPredictable(line)).map(({ at }) => at)).toEqual([]);
});
