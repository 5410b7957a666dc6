import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundledWorkspace } from "../scripts/bundle.ts";

// The packages as they are published, in the programs that people run them with.

const installed = fileURLToPath(new URL("node_modules/", import.meta.url));
const isWindows = process.platform === "win32";
const [bunKind, denoKind] = [
  `bun-${isWindows ? "windows" : process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`,
  `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`,
];
const suffix = isWindows ? ".exe" : "";

const runtimes = {
  "Node 20": [`${installed}node-20/bin/node`],
  "Node 22": [`${installed}node-22/bin/node`],
  "Node 24": [process.execPath],
  Bun: [`${installed}@oven/${bunKind}/bin/bun${suffix}`],
  Deno: [`${installed}@deno/${denoKind}/deno${suffix}`, "run", "--allow-all"],
} as const;
type Runtime = keyof typeof runtimes;

let folder = "";
let bin = "";
beforeAll(async () => {
  const workspace = await bundledWorkspace();
  folder = mkdtempSync(join(workspace, "runtimes-"));
  // Away from the checkout, which brings a Node that the command would go on with.
  const outside = mkdtempSync(join(tmpdir(), "galley-bin-"));
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(workspace, "node_modules/galley", part), join(outside, part), { recursive: true });
  bin = join(outside, "bin/galley.js");
}, 120_000);
afterAll(() => {
  for (const place of [folder, join(bin, "../..")]) rmSync(place, { recursive: true, force: true });
});

function runFile(name: Runtime, file: string, ...args: readonly string[]): { text: string; status: number | null } {
  const [program, ...flags] = runtimes[name];
  // Only the binaries of Node 20 and 22 are for one system: npm has no package that brings those of each.
  if (!existsSync(program)) throw new Error(`${name} is not installed: ${program}`);
  const run = spawnSync(program, [...flags, file, ...args], { cwd: folder, encoding: "utf8" });
  return { text: `${run.stdout}${run.stderr}`.trim(), status: run.status };
}

function write(name: string, code: string): string {
  const file = join(folder, name);
  writeFileSync(file, code);
  return file;
}

const loop = `import { fit } from "@galley/engine";
import { describeLedger } from "@galley/engine/proof";
const list = [{ role: "system", content: "Be brief." }];
for (let n = 0; n < 60; n += 1) list.push({ role: n % 2 ? "assistant" : "user", content: n + ": " + "word ".repeat(40) });
list.push({ role: "user", content: "And now? 现在呢？" });
const first = await fit(list, { budget: 800, model: "gpt-6-luna" });
list.push({ role: "assistant", content: "So." }, { role: "user", content: "More." });
const memory = JSON.parse(JSON.stringify(first.memory));
const second = await fit(list, { budget: 800, model: "gpt-6-luna", memory });
console.log(JSON.stringify([first.messages, first.stats, second.messages, second.memory, describeLedger(second)]));
`;

const isCovered = process.platform === "linux" && process.arch === "x64";
const others = (Object.keys(runtimes) as Runtime[]).filter((name) => isCovered || !/Node 2[02]/.test(name));

test.each(others)("[J4] the engine fits a list in %s as it does in Node 24", { timeout: 60_000 }, (name) => {
  const file = write("loop.mjs", loop);
  const wanted = runFile("Node 24", file);
  expect(wanted.text).toContain('"version":1');
  expect(runFile(name, file)).toEqual({ text: wanted.text, status: 0 });
});

test.each(others.filter((name) => name !== "Node 24"))(
  "[J4] the command says in %s which Node it needs",
  { timeout: 60_000 },
  (name) => {
    const { text, status } = runFile(name, bin, "--version");
    expect(text).toMatch(/^galley needs Node 24\.16 or newer; this is (?:Node 2[02]|Bun 1|Deno 2)\S*\.\n/);
    expect(status).toBe(1);
  },
);

test.each(others)("[J4] the library keeps all text in %s, or says which Node it needs", { timeout: 60_000 }, (name) => {
  const file = write(
    "library.mjs",
    `import { openGalley } from "galley";
const galley = await openGalley({ data: ${JSON.stringify(join(folder, `data ${name}`))}, config: false });
const turn = await galley.turn({ session: "a", model: "demo", input: "before\\0behind" });
await turn.commit({ assistant: "Yes." });
const kept = await galley.store.sessions.read({ projectId: galley.project, sessionId: "a" });
console.log(kept.some(({ message }) => message?.content === "before\\0behind") ? "kept" : "lost");
await galley.close();
`,
  );
  const { text } = runFile(name, file);
  const isTold = /GalleyError: galley needs Node 24\.16 or newer(?:; this is Node 2[02]|: the SQLite of Deno)/.test(
    text,
  );
  expect(isTold ? "told" : text.split("\n").at(0), text).toBe(name === "Node 24" || name === "Bun" ? "kept" : "told");
});
