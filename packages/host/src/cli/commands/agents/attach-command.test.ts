import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { homeOfAgents } from "../../testing/home-of-agents.ts";
import { galley } from "../../testing/run-command.ts";

let home = "";
let put: (file: string, text: string) => string = () => "";
beforeEach(() => {
  ({ home, put } = homeOfAgents());
});

const read = (file: string): string => readFileSync(join(home, file), "utf8");
const attach = (agent: string) => galley(["attach", agent, "--yes", "--data", join(home, "data")]);
const detach = (agent: string) => galley(["detach", agent, "--yes"]);

const agents = [
  {
    agent: "claude-code",
    hooks: ".claude/settings.json",
    servers: ".claude.json",
    events: ["SessionStart", "PreCompact"],
  },
  { agent: "codex", hooks: ".codex/hooks.json", servers: ".codex/config.toml", events: ["SessionStart"] },
] as const;

test.each(agents)("[L7] $agent: attach makes the settings, and detach leaves nothing behind", async (one) => {
  const { code, err, out } = await attach(one.agent);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain(join(home, one.hooks));
  expect(out.includes("Galley does not trust it for you")).toBe(one.agent === "codex");
  const { hooks } = JSON.parse(read(one.hooks)) as { hooks: Record<string, unknown> };
  expect(Object.keys(hooks)).toEqual(one.events);
  expect(hooks["SessionStart"]).toMatchObject([
    { matcher: "compact", hooks: [{ type: "command", command: expect.stringContaining("|| true") as string }] },
  ]);
  expect(read(one.servers)).toContain('"mcp"');
  expect((await attach(one.agent)).out).toContain("is attached.");
  expect((await detach(one.agent)).out).toContain("is as before");
  expect(readdirSync(home).filter((name) => name !== "state")).toEqual([]);
  expect((await detach(one.agent)).out).toContain("is not attached");
});

const others = '{ "type": "command", "command": "mine" }';
test.each([
  ["no hooks", '{\n\t"model": "opus"\n}'],
  ["hooks of other events", `{"hooks":{"Stop":[{"hooks":[${others}]}]},"a":[1, 2]}`],
  [
    "hooks of the same event, with comments",
    `{\r\n  // mine\r\n  "hooks": {\r\n    "SessionStart": [\r\n      { "matcher": "startup", "hooks": [${others}] }, // first\r\n    ],\r\n  }\r\n}\r\n`,
  ],
  ["empty lists", '{ "hooks": { "SessionStart": [], "PreCompact": [] } }\n'],
  ["an empty object", "{}"],
  ["an empty file", ""],
])(
  "[L7] with %s, detach gives back the very bytes, and leaves what was changed elsewhere meanwhile",
  async (_, text) => {
    put(".claude/settings.json", text);
    put(".claude.json", '{ "numStartups": 3 }');
    expect((await attach("claude-code")).code).toBe(0);
    const attached = read(".claude/settings.json");
    expect(attached).toContain("hook claude-code");
    expect((await detach("claude-code")).code).toBe(0);
    expect(read(".claude/settings.json")).toBe(text);
    expect(read(".claude.json")).toBe('{ "numStartups": 3 }');
    if (text === "") return;
    await attach("claude-code");
    const at = attached.indexOf("{") + 1;
    const added = attached.slice(at).trim() === "}" ? '"x": 1' : '"x": 1,';
    writeFileSync(join(home, ".claude/settings.json"), `${attached.slice(0, at)}${added}${attached.slice(at)}`);
    await detach("claude-code");
    expect(read(".claude/settings.json")).toBe(`${text.slice(0, at)}${added}${text.slice(at)}`);
  },
);

test("[L7] without a record, hooks go by their command, and what stands beside them stays", async () => {
  put(".claude/settings.json", `{ "hooks": { "SessionStart": [{ "matcher": "startup", "hooks": [${others}] }] } }`);
  await attach("claude-code");
  rmSync(join(home, "state"), { recursive: true });
  const document = JSON.parse(read(".claude/settings.json")) as { hooks: { SessionStart: { hooks: object[] }[] } };
  // Another program puts its own hook into the same group, and writes the file in its own manner.
  document.hooks.SessionStart[1]?.hooks.push({ type: "command", command: "theirs" });
  put(".claude/settings.json", JSON.stringify(document));
  expect((await detach("claude-code")).code).toBe(0);
  expect(JSON.parse(read(".claude/settings.json"))).toEqual({
    hooks: {
      SessionStart: [
        { matcher: "startup", hooks: [{ type: "command", command: "mine" }] },
        { matcher: "compact", hooks: [{ type: "command", command: "theirs" }] },
      ],
    },
  });
  // It cannot be known that it was not put in by `galley mcp install`.
  expect(read(".claude.json")).toContain('"mcp"');
});

test("[L7] a server that `galley mcp install` has put in stays as it is, also after detach", async () => {
  await galley(["mcp", "--data", join(home, "other"), "install", "codex", "--yes"]);
  const before = read(".codex/config.toml");
  await attach("codex");
  await detach("codex");
  expect(read(".codex/config.toml")).toBe(before);
  expect(before).toContain(join(home, "other"));
});

test("[L7] what cannot be changed is refused, and then nothing is", async () => {
  put(".claude/settings.json", '{ "hooks": [] }');
  const { code, err } = await attach("claude-code");
  expect([code, err]).toEqual([1, expect.stringContaining("FileUnreadable")]);
  expect(existsSync(join(home, ".claude.json"))).toBe(false);
  const asked = await galley(["attach", "codex"]);
  expect([asked.code, asked.err]).toEqual([2, expect.stringContaining("--yes writes it")]);
  expect(existsSync(join(home, ".codex"))).toBe(false);
  const inside = await galley(["attach", "codex", "--yes", "--data", home]);
  expect(inside.err).toContain("is inside of the data folder");
});

test.each([
  ["gemini", "Gemini CLI has no hook"],
  ["gemini-cli", "Gemini CLI has no hook"],
  ["opencode", "OpenCode runs plugins"],
  ["qwen", "breaks the cached prefix"],
  ["cursor", "Cursor has no hook"],
  ["zed", "Zed has no hook"],
  ["copilot", "Copilot CLI has no hook"],
  ["copilot-cli", "Copilot CLI has no hook"],
  ["nobody", 'There is no agent "nobody" that can be attached'],
])("[L7] %s: attach says what is not possible", async (agent, why) => {
  const { code, err } = await attach(agent);
  expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  expect(err).toContain("claude-code and codex can be.");
});
