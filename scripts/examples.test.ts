import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
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
  expect(lines).toHaveLength(20);
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

test("no file names a registry host, and the lockfile is complete without one", () => {
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
    packages: Record<string, { resolved?: string }>;
  };
  const resolved = Object.values(lock.packages).flatMap((entry) => entry.resolved ?? []);
  expect(resolved.filter((address) => address.includes("//"))).toEqual([]);
});
