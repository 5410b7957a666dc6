import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { declarations } from "./declarations.ts";
import { launcher } from "./launcher.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = (...args: string[]): string => execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });

test("the engine's example runs", () => {
  const out = run("examples/compose.ts");
  expect(out.trim().split("\n")).toEqual([
    "system from system_prompt",
    "system from world_info",
    "user from m1",
    "assistant from m2",
    "tool from m3",
    "assistant from m4",
    "user from m5",
    "system from gpt_cot",
  ]);
});

test("the example session stays under its budget, day by day", () => {
  const lines = run("examples/session.ts").trim().split("\n");
  expect(lines).toHaveLength(24);
  for (const line of lines) expect(Number(/: (\d+) tokens/.exec(line)?.[1])).toBeLessThanOrEqual(600);
  expect(lines.filter((line) => line.includes("compacted")).length).toBeGreaterThan(1);
});

test("the example agent says what it was given", () => {
  const data = mkdtempSync(join(tmpdir(), "galley-example-"));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const flags = ["--config", "examples/agent", "--data", data];
  const [said, told, tools] = run(launcher, "agent", "prompt", "echo", "Hello", ...flags).split("\n");
  expect(said).toBe("You said: Hello");
  expect(told).toContain("## Rules (AGENTS.md), ## Skills");
  expect(tools).toContain("galley_skill_read");
  const shown = run(launcher, "inject", "show", "mara", ...flags);
  expect(shown).toContain("actant_canvas_update");
});

test("the README shows what its command prints", () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const [, command = "", shown = ""] = /\$ galley (explain .*)\n([^]*?)```/.exec(readme) ?? [];
  const printed = run(launcher, ...command.split(" "));
  const lines = (text: string): string[] =>
    text
      .trim()
      .split("\n")
      .map((line) => line.slice(0, 60).trimEnd());
  expect(lines(shown)).toEqual(lines(printed));
});

test("every @example of the package galley type-checks and runs as it stands there", async () => {
  const folder = mkdtempSync(join(tmpdir(), "galley-example-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const blocks = globSync("packages/host/src/**/*.ts", { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const marked = text.split("@example").length - 1;
    const found = [...text.matchAll(/@example\n *\* ```ts\n([^]*?) *\* ```/g)].map(([, block = ""]) => block);
    // One without a fence would be taken for none.
    expect([file, found.length]).toEqual([file, marked]);
    return found.map((block) => block.replaceAll(/^ *\* ?/gm, ""));
  });
  expect(blocks.length).toBeGreaterThanOrEqual(10);
  const files = blocks.map((block, index) => {
    writeFileSync(join(folder, `example-${index}.ts`), block);
    return `example-${index}.ts`;
  });
  // Checked with the types that are published, which a program has instead of the sources.
  const types = await declarations();
  const paths = Object.fromEntries(
    [
      ["galley", "host"],
      ["@galley/engine", "engine"],
    ].flatMap(([name = "", part = ""]) => [
      [name, [join(types, part, "index.d.ts")]],
      [`${name}/*`, [join(types, part, "*.d.ts")]],
    ]),
  );
  const config = { extends: join(root, "tsconfig.json"), compilerOptions: { noEmit: true, paths }, include: files };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const checked = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], { cwd: folder, encoding: "utf8" });
  expect(checked.stdout).toBe("");
  // One after the other in one process, which loads the sources once.
  writeFileSync(join(folder, "all.ts"), files.map((file) => `await import("./${file}");\n`).join(""));
  execFileSync(process.execPath, ["all.ts"], { cwd: folder, stdio: "pipe" });
});

test("no file names a registry host, and the lockfile is complete without one", () => {
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
    packages: Record<string, { resolved?: string }>;
  };
  const resolved = Object.values(lock.packages).flatMap((entry) => entry.resolved ?? []);
  expect(resolved.filter((address) => address.includes("//"))).toEqual([]);
});
