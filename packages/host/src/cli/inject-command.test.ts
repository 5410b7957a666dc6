import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { file, folder, galley } from "./cli.test-support.ts";
import type { InjectDocument } from "./inject-text.ts";

mkdirSync(join(folder, "skills"));
file("skills/forms.md", "---\ndescription: How forms are filled in\n---\n");
file("AGENTS.md", "Use tabs.");
file("galley.config.json", {
  agents: [
    { name: "mara", command: "x", archetype: "repo" },
    { name: "noor", command: "x", archetype: "employee", backendType: "codex", withoutProviders: ["skills"] },
    { name: "odd", command: "x", providers: [{ type: "mcp", file: "none.json", required: true }] },
  ],
  providers: [
    { type: "rules", file: "AGENTS.md" },
    { type: "skills", folders: ["skills"] },
    { type: "rules", name: "lost", file: "LOST.md" },
  ],
});

test("[I3] inject show tells a person what a session gets, what is hidden and what is missing", async () => {
  const { code, out, err } = await galley(["inject", "show", "mara", "--dir", folder]);
  expect([code, err]).toEqual([0, ""]);
  // How many tokens the session token makes up differs from one to the next.
  const text = out.replaceAll(folder, "FOLDER").replace(/(instructions +|\(4\), )\d{3}/g, "$1nnn");
  expect(text).toMatchInlineSnapshot(`
    "mara: repo, generic, persistent workspace, managed

    System text (4), nnn tokens (estimated with other)
    from               tokens  text
    core-identity         129  ## Galley Agent Identity You are **mara**, an agent that Gal…
    rules                  13  ## Rules (AGENTS.md) Use tabs.
    skills                 42  ## Skills Before work that one of these skills is about, rea…
    tool instructions     nnn  ## Galley Internal Tools These tools belong to the platform.…

    Tools (1)
    name               from    scope  does
    galley_skill_read  skills  all    Reads a skill: instructions for a kind of work, written for …

    MCP servers (0)
    none

    Hidden (2)
    what  name                  from    because
    tool  actant_canvas_update  canvas  it is for service agents and up; this one is repo
    tool  actant_canvas_clear   canvas  it is for service agents and up; this one is repo

    Providers
    name           state        why
    core-identity  ready
    canvas         ready
    rules          ready
    skills         ready
    lost           unavailable  There is no file FOLDER/LOST.md.
    "
  `);
});

test("[I3] inject show --json is one document with texts, sizes and states", async () => {
  const { code, out } = await galley(["inject", "show", "noor", "--dir", folder, "--json", "--model", "gpt-5"]);
  const shown = JSON.parse(out) as InjectDocument;
  expect(code).toBe(0);
  expect(shown.agent).toMatchObject({ name: "noor", archetype: "employee", backendType: "codex" });
  expect(shown.tools.map(({ name, from }) => [name, from])).toEqual([
    ["actant_canvas_update", "canvas"],
    ["actant_canvas_clear", "canvas"],
  ]);
  expect(shown.systemContext.map(({ from }) => from)).toEqual([
    "core-identity",
    "canvas",
    "rules",
    "tool instructions",
  ]);
  expect(shown.systemContext.every(({ text, tokens }) => tokens > 2 && tokens < text.length)).toBe(true);
  expect(shown).toMatchObject({ exactness: "exact", tokenizer: "o200k_base", hidden: [], mcpServers: [] });
  expect(shown.totalTokens).toBe(shown.systemContext.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(shown.providers.map(({ name, status }) => [name, status])).toEqual([
    ["core-identity", "ready"],
    ["canvas", "ready"],
    ["rules", "ready"],
    ["lost", "unavailable"],
  ]);
  expect(out).not.toMatch(/[0-9a-f]{64}/);
});

test.each([
  ["nobody", "NotFound", "mara, noor, odd"],
  ["odd", "ProviderFailed", "none.json"],
])("[I4] inject show %s fails with %s", async (name, code, text) => {
  const run = await galley(["inject", "show", name, "--dir", folder, "--json"]);
  expect([run.code, run.out]).toEqual([1, ""]);
  expect(JSON.parse(run.err)).toMatchObject({ error: { code } });
  expect(run.err).toContain(text);
});
