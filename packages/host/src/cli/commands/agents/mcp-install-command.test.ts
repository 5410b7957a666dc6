import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { beforeEach, describe, expect, test } from "vitest";
import { readJson, valueOf } from "../../settings/json-document.ts";
import { homeOfAgents } from "../../testing/home-of-agents.ts";
import { galley } from "../../testing/run-command.ts";

let home = "";
let put: (file: string, text: string) => string = () => "";
beforeEach(() => {
  ({ home, put } = homeOfAgents());
});

const clients = [
  { client: "claude-code", file: ".claude.json", section: "mcpServers" },
  { client: "codex", file: ".codex/config.toml", section: "mcp_servers" },
  { client: "gemini-cli", file: ".gemini/settings.json", section: "mcpServers" },
  { client: "opencode", file: ".config/opencode/opencode.json", section: "mcp" },
  { client: "cursor", file: ".cursor/mcp.json", section: "mcpServers" },
  { client: "zed", file: ".config/zed/settings.json", section: "context_servers" },
] as const;

interface Entry {
  readonly command: string | readonly string[];
  readonly args?: readonly string[];
}

function serversIn(file: string, section: string): Record<string, Entry> {
  const text = readFileSync(file, "utf8");
  const node = file.endsWith(".toml") ? undefined : readJson(text);
  const document = (node ? valueOf(node) : parse(text)) as Record<string, Record<string, Entry>>;
  return document[section] ?? {};
}

const mcp = (verb: string, client: string, ...flags: readonly string[]) => galley(["mcp", verb, client, ...flags]);

test.each(clients)(
  "[A7] $client: install makes the settings, and uninstall leaves nothing behind",
  async ({ client, file, section }) => {
    const path = join(home, file);
    const installed = await mcp("install", client, "--yes");
    expect([installed.code, installed.err]).toEqual([0, ""]);
    expect(installed.out).toContain(path);
    const { galley: entry } = serversIn(path, section);
    const command = [entry?.command ?? [], entry?.args ?? []].flat();
    expect(command).toEqual([
      process.execPath,
      expect.stringMatching(/bin\/galley\.js$/),
      "mcp",
      "--data",
      join(process.cwd(), ".ship"),
    ]);
    expect((await mcp("install", client, "--yes")).out).toContain("has it already");
    expect((await mcp("uninstall", client, "--yes")).code).toBe(0);
    expect(existsSync(path)).toBe(false);
    expect(readdirSync(home, { recursive: true }).filter((name) => !String(name).startsWith("state"))).toEqual([]);
    expect((await mcp("uninstall", client, "--yes")).out).toContain("does not have it");
  },
);

const written: readonly {
  readonly what: string;
  readonly client: string;
  readonly file: string;
  readonly text: string;
}[] = [
  {
    what: "no servers",
    client: "claude-code",
    file: ".claude.json",
    text: '{\n  "numStartups": 7,\n  "projects": {}\n}\n',
  },
  {
    what: "other servers",
    client: "cursor",
    file: ".cursor/mcp.json",
    text: '{\n\t"mcpServers": {\n\t\t"a": { "command": "x" }\n\t}\n}',
  },
  { what: "an empty list", client: "gemini-cli", file: ".gemini/settings.json", text: '{ "mcpServers": {} }\n' },
  {
    what: "one line",
    client: "cursor",
    file: ".cursor/mcp.json",
    text: '{"mcpServers":{"a":{"command":"x"}},"b":[1,2]}',
  },
  {
    what: "comments and commas at the end",
    client: "zed",
    file: ".config/zed/settings.json",
    text: '// Zed settings\n{\n  "theme": "One Dark", // dark\n  "context_servers": {\n    /* mine */\n    "a": { "command": "x", "args": ["//", "{"], },\n    // "b": {},\n  },\n}\n',
  },
  { what: "comments only", client: "zed", file: ".config/zed/settings.json", text: "// nothing yet\n" },
  {
    what: "a comment in an empty list",
    client: "opencode",
    file: ".config/opencode/opencode.json",
    text: '{\r\n  "mcp": {\r\n    // none\r\n  }\r\n}\r\n',
  },
  { what: "a mark of byte order", client: "cursor", file: ".cursor/mcp.json", text: '\uFEFF{ "mcpServers": { } }' },
  {
    what: "a commented file",
    client: "opencode",
    file: ".config/opencode/opencode.jsonc",
    text: '{\n  // "mcp": {}\n  "theme": "x",\n}\n',
  },
  {
    what: "other tables",
    client: "codex",
    file: ".codex/config.toml",
    text: 'model = "x" # mine\n\n[mcp_servers.a]\ncommand = "y"\n\n[tui]\ntheme = """\n[mcp_servers.no]\n"""\n',
  },
  { what: "no line end", client: "codex", file: ".codex/config.toml", text: 'model = "x"' },
  {
    what: "an entry of one's own",
    client: "codex",
    file: ".codex/config.toml",
    text: '[mcp_servers.galley]\ncommand = "mine"\nenv = { A = "b" }\n\n[mcp_servers.galley.tools]\nx = 1\n\n[tui]\n',
  },
  {
    what: "an entry of one's own",
    client: "claude-code",
    file: ".claude.json",
    text: '{"mcpServers": {"galley": {"command": "mine"}, "z": {}}}',
  },
];

test.each(written)(
  "[A7] $client with $what: everything else stays, and uninstall brings back every byte",
  async ({ client, file, text }) => {
    const path = put(file, text);
    const { section = "" } = clients.find((one) => one.client === client) ?? {};
    const before = text === "// nothing yet\n" ? {} : serversIn(path, section);
    expect((await mcp("install", client, "--yes", "--json")).code).toBe(0);
    const after = serversIn(path, section);
    expect(after).toEqual({ ...before, galley: after["galley"] });
    expect(JSON.stringify(after["galley"])).toContain("galley.js");
    // Another chat, in the place of the first entry.
    expect((await galley(["mcp", "--chat", "trip", "install", client, "--yes"])).code).toBe(0);
    expect(JSON.stringify(serversIn(path, section)["galley"])).toContain('"--chat","trip"');
    expect((await mcp("uninstall", client, "--yes")).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(text);
  },
);

test("[A7] without its record, the entry is taken out by its name and the rest stays", async () => {
  const text = '{\n  "mcpServers": {\n    "a": {}, // first\n    "b": {}\n  }\n}\n';
  for (const record of [true, false]) {
    const path = put(".cursor/mcp.json", text);
    await mcp("install", "cursor", "--yes");
    if (record) rmSync(join(home, "state"), { recursive: true });
    // Written by the client since then.
    else writeFileSync(path, readFileSync(path, "utf8").replace('"mcp"', ' "mcp" '));
    expect((await mcp("uninstall", "cursor", "--yes")).code).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(text);
  }
  const mine = put(".codex/config.toml", "a = 1\n\n[tui]\nb = 2\n");
  await mcp("install", "codex", "--yes");
  writeFileSync(mine, `${readFileSync(mine, "utf8")}required = true\n`);
  expect((await mcp("uninstall", "codex", "--yes")).code).toBe(0);
  expect(readFileSync(mine, "utf8").trimEnd()).toBe("a = 1\n\n[tui]\nb = 2");
  const toml = put(".codex/config.toml", 'a = 1\n\n[mcp_servers.galley]\ncommand = "x"\n\n[tui]\nb = 2\n');
  expect((await mcp("uninstall", "codex", "--yes")).code).toBe(0);
  expect(readFileSync(toml, "utf8")).toBe("a = 1\n\n[tui]\nb = 2\n");
});

test("[A7] nothing is written without consent", async () => {
  const path = put(".cursor/mcp.json", "{}");
  const asked = await mcp("install", "cursor");
  expect(asked).toMatchObject({ code: 2, out: expect.stringContaining('+   "mcpServers": {') as string });
  expect(asked.err).toContain("--yes");
  expect(readFileSync(path, "utf8")).toBe("{}");
});

describe("[A7] what cannot be changed is said, and stays as it is", () => {
  test.each([
    { client: "cursor", file: ".cursor/mcp.json", text: '{ "mcpServers": {', what: "line 1" },
    { client: "cursor", file: ".cursor/mcp.json", text: '{\n "a": 1\n "b": 2 }', what: "line 3: a comma or }" },
    { client: "cursor", file: ".cursor/mcp.json", text: '{ "mcpServers": [] }', what: "mcpServers is not an object" },
    { client: "cursor", file: ".cursor/mcp.json", text: "[]", what: "the document is not an object" },
    { client: "cursor", file: ".cursor/mcp.json", text: "[".repeat(5000), what: "too deeply" },
    { client: "cursor", file: ".cursor/mcp.json", text: "\u0000", what: "was not expected" },
    { client: "codex", file: ".codex/config.toml", text: "a = ", what: "not TOML" },
    { client: "codex", file: ".codex/config.toml", text: "mcp_servers = { a = { command = 'x' } }", what: "not TOML" },
    { client: "codex", file: ".codex/config.toml", text: "mcp_servers = 1", what: "not TOML" },
    { client: "codex", file: ".codex/config.toml", text: "[mcp_servers]\ngalley.command = 'x'", what: "not TOML" },
  ])("$client: $text", async ({ client, file, text, what }) => {
    const path = put(file, text);
    const refused = await mcp("install", client, "--yes");
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(what) as string });
    expect(refused.err).toContain("Nothing was written");
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("a link, a folder, a file that is read-only or not text", async () => {
    const real = put("dotfiles/mcp.json", "{}");
    mkdirSync(join(home, ".cursor"));
    symlinkSync(real, join(home, ".cursor/mcp.json"));
    expect((await mcp("install", "cursor", "--yes")).err).toContain(`--file ${real}`);
    expect((await mcp("install", "cursor", "--yes", "--file", real)).code).toBe(0);
    chmodSync(real, 0o444);
    expect((await mcp("uninstall", "cursor", "--yes", "--file", real)).err).toContain("is read-only");
    mkdirSync(join(home, ".codex/config.toml"), { recursive: true });
    expect((await mcp("install", "codex", "--yes")).err).toContain("is not a file");
    const binary = put(".gemini/settings.json", "");
    writeFileSync(binary, Buffer.from([0xff, 0xfe, 0x7b]));
    expect((await mcp("install", "gemini-cli", "--yes")).err).toContain("not text in UTF-8");
    expect(readFileSync(binary)).toEqual(Buffer.from([0xff, 0xfe, 0x7b]));
    put("plain", "");
    expect((await mcp("install", "zed", "--yes", "--file", join(home, "plain/settings.json"))).code).toBe(1);
    expect((await mcp("install", "emacs", "--yes")).code).toBe(2);
  });
});
