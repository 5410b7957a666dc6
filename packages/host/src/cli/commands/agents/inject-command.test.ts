import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { smallAgent } from "../../../daemon/testing/temp-agent-host.ts";
import { openProject } from "../../input/agent-flags.ts";
import { file, folder, galley } from "../../testing/run-command.ts";
import type { InjectDocument } from "./inject-command.ts";
import { processTerminal } from "../../terminal/terminal.ts";

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
  const { code, out, err } = await galley(["inject", "show", "mara", "--config", folder]);
  expect([code, err]).toEqual([0, ""]);
  const text = out.replaceAll(folder, "FOLDER");
  expect(text).toMatchInlineSnapshot(`
    "mara: repo, generic, persistent workspace, managed

    System text (4), 686 tokens (estimated with other)
    from               tokens  text
    core-identity         129  ## Galley Agent Identity You are **mara**, an agent that Gal…
    rules                  13  ## Rules (AGENTS.md) Use tabs.
    skills                 42  ## Skills Before work that one of these skills is about, rea…
    tool instructions     502  ## Galley Internal Tools These tools belong to the platform.…

    Tools (6)
    name                       from    scope  does
    chat_context_new           chat    all    Put the present context away and start an empty one, wh…
    chat_context_load          chat    all    Put the present context away and go on in an earlier on…
    chat_context_list          chat    all    List the contexts that were put away, newest first.
    chat_context_clear_active  chat    all    Empty the present context without putting it away, when…
    context_recall             recall  all    Read what left your context, by handle (§12) or query.
    galley_skill_read          skills  all    Reads a skill: instructions for a kind of work, written…

    MCP servers (1)
    name    from    over  at                         secrets
    galley  galley  http  http://127.0.0.1:PORT/mcp  Authorization

    Hidden (2)
    what  name                  from    because
    tool  actant_canvas_update  canvas  it is for service agents and up; this one is repo
    tool  actant_canvas_clear   canvas  it is for service agents and up; this one is repo

    Providers
    name           state        why
    core-identity  ready
    chat           ready
    recall         ready
    handover       ready
    canvas         ready
    rules          ready
    skills         ready
    lost           unavailable  There is no file FOLDER/LOST.md.
    "
  `);
});

test("[I3] inject show --json is one document with texts, sizes and states", async () => {
  const { code, out } = await galley(["inject", "show", "noor", "--config", folder, "--json", "--model", "gpt-5"]);
  const shown = JSON.parse(out) as InjectDocument;
  expect(code).toBe(0);
  expect(shown.agent).toMatchObject({ name: "noor", archetype: "employee", backendType: "codex" });
  expect(shown.tools.map(({ name, from }) => [name, from])).toEqual([
    ["chat_context_new", "chat"],
    ["chat_context_load", "chat"],
    ["chat_context_list", "chat"],
    ["chat_context_clear_active", "chat"],
    ["context_recall", "recall"],
    ["actant_canvas_update", "canvas"],
    ["actant_canvas_clear", "canvas"],
  ]);
  expect(shown.mcpServers).toEqual([
    { from: "galley", name: "galley", type: "http", url: "http://127.0.0.1:PORT/mcp", headers: ["Authorization"] },
  ]);
  expect(shown.systemContext.at(-1)?.text).toContain("GALLEY_SESSION_TOKEN");
  expect(shown.systemContext.map(({ from }) => from)).toEqual([
    "core-identity",
    "canvas",
    "rules",
    "tool instructions",
  ]);
  expect(shown.systemContext.every(({ text, tokens }) => tokens > 2 && tokens < text.length)).toBe(true);
  expect(shown).toMatchObject({ exactness: "exact", tokenizer: "o200k_base", hidden: [] });
  expect(shown.totalTokens).toBe(shown.systemContext.reduce((sum, { tokens }) => sum + tokens, 0));
  expect(shown.providers.map(({ name, status }) => [name, status])).toEqual([
    ["core-identity", "ready"],
    ["chat", "ready"],
    ["recall", "ready"],
    ["handover", "ready"],
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
  const run = await galley(["inject", "show", name, "--config", folder, "--json"]);
  expect([run.code, run.out]).toEqual([1, ""]);
  expect(JSON.parse(run.err)).toMatchObject({ error: { code } });
  expect(run.err).toContain(text);
});

test("[I9] inject show says what a running session gets", async () => {
  const { command, args, env } = smallAgent();
  const mine = { name: "galley", command: "mine", args: [] };
  mkdirSync(join(folder, "real"));
  file("real/.mcp.json", { mcpServers: { galley: mine, other: { url: "http://127.0.0.1:9/" } } });
  file("real/galley.config.json", {
    agents: [{ name: "mara", command, args, env, permissions: "deny", providers: [{ type: "mcp" }] }],
  });
  const flags = { config: join(folder, "real"), data: join(folder, "real", "data") };
  const { out } = await galley(["inject", "show", "mara", "--config", flags.config, "--data", flags.data, "--json"]);
  const shown = JSON.parse(out) as InjectDocument;
  expect(shown.hidden.map(({ name, provider, rule }) => [name, provider, rule])).toEqual([
    ["galley", "mcp", "name-taken"],
  ]);
  const host = await openProject(flags, processTerminal());
  try {
    const { context, connection } = await host.manager.startAgent("mara");
    expect(shown.tools.map(({ name }) => name)).toEqual(context.tools.map(({ name }) => name));
    expect(shown.systemContext.map(({ text }) => text)).toEqual(context.systemContextAdditions);
    expect(shown.mcpServers.map(({ name }) => name)).toEqual(["galley", "other"]);
    expect(connection.session.leftServers).toEqual([]);
  } finally {
    await host.close();
  }
});
