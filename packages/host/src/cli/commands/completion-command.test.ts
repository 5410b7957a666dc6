import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { galley } from "../testing/run-command.ts";
import { shells } from "./completion-command.ts";

/** What a real bash would offer for the words so far. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await galley(["completion", "bash"]);
  const line = ["galley", ...words].map((word) => `'${word}'`).join(" ");
  const script = `${out}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _galley; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

test("bash completes commands, their commands, options and choices", async () => {
  expect(await complete("expl")).toEqual(["explain"]);
  expect(await complete("chat", "ne")).toEqual(["new"]);
  expect(await complete("chat", "--data", "folder", "lo")).toEqual(["load"]);
  expect(await complete("chat", "new", "--ti")).toEqual(["--title"]);
  expect(await complete("completion", "f")).toEqual(["fish"]);
  expect(await complete("chat", "load", "--mode", "re")).toEqual(["recent"]);
  expect(await complete("build", "ch")).toEqual(["chat:"]);
  expect(await complete("lost", "agen")).toEqual(["agent:"]);
});

test.each(shells)("the script for %s knows every command", async (shell) => {
  const { out, code } = await galley(["completion", shell]);
  expect(code).toBe(0);
  for (const command of ["build", "explain", "chat", "worker", "completion", "redact"]) expect(out).toContain(command);
});

test("a shell that nobody knows is bad usage", async () => {
  const { code, err } = await galley(["completion", "tcsh"]);
  expect(code).toBe(2);
  expect(err).toContain("bash, zsh, fish, powershell");
});
