import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { launcher } from "./launcher.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pages = ["docs/guide.md"].concat(readdirSync(join(root, "docs/recipes")).map((name) => `docs/recipes/${name}`));
const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

// What a reader has installed: our own packages as they are published, and all others.
const published = join(launcher, "../../..");
const installed = readdirSync(join(root, "node_modules"))
  .filter((name) => !name.startsWith("."))
  .map((name) => join(/^@?galley$/.test(name) ? published : join(root, "node_modules"), name));

/** A folder as a reader has it: the examples, the packages, and nothing of ours. */
function readersFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-docs-"));
  folders.push(folder);
  cpSync(join(root, "examples"), join(folder, "examples"), { recursive: true });
  mkdirSync(join(folder, "node_modules"));
  for (const target of installed) symlinkSync(target, join(folder, "node_modules", basename(target)));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  return folder;
}

/** The blocks of a page that can be run, as one script in their order. */
function scriptOf(text: string, folder: string): string {
  const blocks = [...text.matchAll(/^```(sh|ts)\n([\s\S]*?)^```$/gm)];
  const steps = blocks.map(([, language, text = ""], index) => {
    if (language === "sh") return text;
    writeFileSync(join(folder, `block-${index}.ts`), text);
    return `(cd "${folder}" && "${process.execPath}" block-${index}.ts)\n`;
  });
  return `set -e\ngalley() { "${process.execPath}" "${launcher}" "$@"; }\n${steps.join("\n")}`;
}

async function runPage(text: string): Promise<{ readonly status: number | null; readonly stderr: string }> {
  const folder = readersFolder();
  const page = spawn("bash", ["--norc", "-c", scriptOf(text, folder)], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 600_000,
  });
  const [stderr] = await Promise.all([readAll(page.stderr), once(page, "exit")]);
  return { status: page.exitCode, stderr };
}

// Each page has a folder of its own, so that all of them run at once.
test.concurrent.each(pages)(
  "what %s shows works as it stands there",
  async (page) => {
    const { status, stderr } = await runPage(readFileSync(join(root, page), "utf8"));
    expect(stderr).not.toMatch(/error|warning/i);
    expect(status).toBe(0);
  },
  600_000,
);

test.concurrent.each(["```sh\ngalley nonsense\ngalley --version\n```\n", "```ts\nthrow new TypeError();\n```\n"])(
  "a page whose example fails is noticed: %j",
  async (text) => expect((await runPage(text)).status).not.toBe(0),
);
