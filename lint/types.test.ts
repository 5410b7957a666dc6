import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const planted = mkdtempSync(join(tmpdir(), "galley-types-"));
afterAll(() => rmSync(planted, { recursive: true }));

const wrong = 'export const a: number = "1";\n';
const files: Readonly<Record<string, string>> = {
  "packages/engine/src/model/a.ts": "export const a: unknown = process.argv;\n",
  "packages/engine/src/wire/sdk-types.test.ts": wrong,
  "packages/host/src/cli/a.ts": wrong,
  "packages/host/bin/a.js": '/** @type {number} */\nexport const a = "1";\n',
  "packages/studio/src/frame/a.tsx": wrong,
  "packages/studio/test/a.ts": wrong,
  "packages/studio/vite.config.ts": wrong,
  "scripts/a.ts": wrong,
  "bench/a.ts": wrong,
};

function plant(path: string, write: (target: string) => void): void {
  const target = join(planted, path);
  mkdirSync(dirname(target), { recursive: true });
  write(target);
}

let said: string;
beforeAll(() => {
  const settings = ["packages/engine", "packages/host", "packages/studio", "packages/studio/test", "."]
    .map((folder) => join(folder, "tsconfig.json"))
    .concat("tsconfig.base.json", "package.json", ".oxlintrc.json", "lint/layers.js");
  for (const file of settings) plant(file, (target) => cpSync(join(root, file), target));
  for (const [file, text] of Object.entries(files)) plant(file, (target) => writeFileSync(target, text));
  symlinkSync(join(root, "node_modules"), join(planted, "node_modules"));
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { lint: string } };
  const [oxlint = ""] = scripts.lint.split(" && ");
  const args = [...oxlint.split(" ").slice(1), "--format=unix", ...Object.keys(files)];
  const options = { cwd: planted, encoding: "utf8" } as const;
  said = spawnSync(process.execPath, [join(root, "node_modules/oxlint/bin/oxlint"), ...args], options).stdout;
}, 60_000);

test.each(Object.keys(files))("lint is red when a type is wrong in %s", (file) => {
  const lines = said.split("\n").filter((line) => line.startsWith(`${file}:`));
  expect(lines.join("\n")).toMatch(/typescript\(TS(?:2322|2591|2580)\)/);
});
