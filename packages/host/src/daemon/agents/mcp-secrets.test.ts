import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { RouteName } from "../../api/index.ts";
import { galley } from "../../cli/testing/run-command.ts";
import { Redactor } from "../../secrets/redactor.ts";
import { readArguments, secretsInAddress, shownAddress } from "../../secrets/secret-parts.ts";
import { addServerSecrets } from "../../secrets/secret-values.ts";
import { testDaemon, testFolder } from "../testing/temp-daemon.ts";

/** A key for each place of a configuration in which one can stand. */
const keys = {
  user: "usr9f8e7d6c5b4a",
  password: "pw-Zx81qLm02",
  query: "q5d41402abc4b",
  shortQuery: "hunter2!",
  fragment: "fr77aa88bb99cc",
  path: "AbC1dEf2GhI3jKl4MnO5",
  bearer: "brr0a1b2c3d4e5",
  basic: "basic-pa55word",
  cookie: "cke1234abcd5678",
  serverEnv: "env00ff11ee22dd",
  flag: "flg3a4b5c6d7e8f",
  equals: "eql9z8y7x6w5v4",
  pair: "pai1q2w3e4r5t6",
  headerArg: "hdr6y5t4r3e2w1",
  bare: "sk-bare-a1b2c3d4e5f6a7",
  argAddress: "adr0p9o8i7u6y5",
  agentFlag: "agf1z2x3c4v5b6",
  agentAddress: "aga7n8m9k0j1h2",
  agentEnv: "age5g6f7d8s9a0",
} as const;

const mcpServers = {
  web: {
    type: "sse",
    url: `https://${keys.user}@mcp.example/s/${keys.path}/v1?api_key=${keys.query}&k=${keys.shortQuery}#access=${keys.fragment}`,
    headers: {
      Authorization: `Bearer ${keys.bearer}`,
      "X-Other": `Basic ${Buffer.from(`ines:${keys.basic}`).toString("base64")}`,
      Cookie: `theme=dark; session=${keys.cookie}`,
    },
  },
  other: { type: "sse", url: `https://ines:${keys.password}@mcp.example/tools`, headers: {} },
  // Its variable is not set: what stands in the others is masked all the same.
  unset: { type: "sse", url: "https://mcp.example/${NOT_SET_ANYWHERE:-}", headers: {} },
  local: {
    command: "npx",
    args: ["mcp-remote", `https://mcp.example/x?token=${keys.argAddress}`, "--api-key", keys.flag]
      .concat(`--auth-token=${keys.equals}`, "-e", `GITHUB_TOKEN=${keys.pair}`)
      .concat("--header", `Authorization: Bearer ${keys.headerArg}`, keys.bare),
    env: { SERVICE_TOKEN: keys.serverEnv },
  },
};

/** An agent that says every key, each by itself, when a session is opened, and fails. */
const gossip = `
const keys = ${JSON.stringify(Object.values(keys))};
const answer = (id, rest) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...rest }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (method === "initialize") return answer(id, { result: { protocolVersion: 1, agentCapabilities: {} } });
  process.stderr.write("cannot use " + keys.join("\\n") + "\\n");
  answer(id, { error: { code: -32603, message: "refused: " + keys.join(" ") } });
});`;

/** A project whose configuration holds all keys. */
function project(): { readonly folder: string; readonly data: string; readonly flags: readonly string[] } {
  const folder = testFolder();
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(join(folder, "gossip.cjs"), gossip);
  const args = [join(folder, "gossip.cjs"), "--key", keys.agentFlag, `wss://host.example/?t=${keys.agentAddress}`];
  const mara = { name: "mara", command: process.execPath, args, env: { AGENT_TOKEN: keys.agentEnv } };
  const config = { agents: [{ ...mara, launchMode: "direct", providers: [{ type: "mcp" }] }] };
  writeFileSync(join(folder, "galley.config.json"), JSON.stringify(config));
  writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers }));
  return { folder, data, flags: ["--config", folder, "--data", data] };
}

/** The places in which a key can be read. */
function leaks(written: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(written).flatMap(([where, text]) =>
    Object.entries(keys).flatMap(([name, key]) => (text.includes(key) ? [`${name} in ${where}`] : [])),
  );
}

function filesBelow(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "latin1")] as const),
  );
}

test("[P6] keys in addresses, arguments, headers and variables of MCP servers and agents are printed by no command", async () => {
  const { flags, data } = project();
  const written: Record<string, string> = {};
  const run = async (...args: readonly string[]): Promise<string> => {
    const { out, err } = await galley([...args, ...flags]);
    return (written[args.join(" ")] = out + err);
  };
  expect(await run("inject", "show", "mara")).toContain("https://mcp.example/tools");
  await run("inject", "show", "mara", "--json");
  await run("agent", "list");
  expect(await run("agent", "list", "--json")).toContain("--key");
  expect(await run("agent", "start", "mara")).toContain("failed while starting: refused");
  await run("agent", "start", "mara", "--json");
  const said = { role: "user", content: `I use ${Object.values(keys).join(" and ")}.` };
  expect(await galley(["chat", "add", "--chat", "talk", "--data", data], JSON.stringify(said))).toMatchObject({
    code: 0,
  });
  expect(filesBelow(data)["history.jsonl"]).toContain("secret:web.url");
  expect(leaks({ ...written, ...filesBelow(data) })).toEqual([]);
});

test("[P6] nor are they in answers of the daemon, its log, chats, builds or files, also before an agent was started", async () => {
  const { folder, data } = project();
  const own = await testDaemon({ galley: { config: folder, data } });
  const written: Record<string, string> = {};
  const ask = async (name: RouteName, input: object = {}): Promise<void> => {
    written[name] = JSON.stringify(await own.answer(name, input));
  };
  const said = `I use ${Object.values(keys).join(" and ")}.`;
  const params = { key: "talk" };
  const events = await own.events("runs.start", { body: { chat: "talk", input: said, model: "demo" } });
  written["events"] = JSON.stringify(events);
  await ask("chats.add", { params, body: { messages: [{ role: "user", content: said }] } });
  for (const name of ["chats.active", "chats.transcript"] as const) await ask(name, { params });
  await ask("turns.preview", { query: { chat: params.key } });
  await ask("agents.list");
  await ask("agents.get", { params: { name: "mara" } });
  await ask("agents.start", { params: { name: "mara" } });
  expect(written["agents.start"]).toContain("failed while starting");
  await ask("runs.list");
  await ask("sessions.call", { params: { id: "chat:talk", n: 1 } });
  expect(written["sessions.call"]).toContain("I use ‹secret:");
  await ask("info.get");
  expect(Object.keys(filesBelow(data))).toEqual(expect.arrayContaining(["daemon.log", "galley.sqlite"]));
  expect(leaks({ ...written, ...filesBelow(data) })).toEqual([]);
});

describe("[P6] what is secret in an address and on a command line", () => {
  test.each([
    ["https://mcp.example/a/b", "https://mcp.example/a/b"],
    ["https://u:p@mcp.example:8080/a?x=1#y", "https://mcp.example:8080/a"],
    ["https://mcp.example/s/0b5f3c9e-1d2a-4c6b-9e8f-7a6b5c4d3e2f/mcp", "https://mcp.example/s/…/mcp"],
    [
      "https://mcp.example/model-context-protocol/v1.2/streamable-http",
      "https://mcp.example/model-context-protocol/v1.2/streamable-http",
    ],
    ["https://mcp.example/key-value-store-v2/token-bucket-2", "https://mcp.example/key-value-store-v2/token-bucket-2"],
    ["no address at all", "no address at all"],
  ])("%s is shown as %s", (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });

  test.each([
    { words: ["npx", "-y", "@modelcontextprotocol/server-filesystem@2025.11.25", "/home/ines/work"], shown: undefined },
    { words: ["--key-file", "/home/ines/.ssh/id_ed25519", "--tokens", "4096", "--no-auth"], shown: undefined },
    { words: ["--tokenizer", "o200k_base", "--max-output-tokens=32k", "--keyboard", "qwerty-2"], shown: undefined },
    { words: ["--password", "open"], shown: "--password …" },
    { words: ["--token=abc123", "X_API_KEY=a1"], shown: "--token=… X_API_KEY=…" },
    { words: ["-H", "Authorization: Bearer abc123"], shown: "-H Authorization: …" },
  ])("$words", ({ words, shown }) => {
    const read = readArguments(words).map((word) => word.shown);
    expect(read.join(" ")).toBe(shown ?? words.join(" "));
  });

  test("plain words and switches are never masked by themselves", () => {
    const redactor = new Redactor();
    const url = "https://ines@mcp.example/?profile=work&debug=true&api_key=demo";
    addServerSecrets(redactor, [
      { name: "a", url, args: ["--password", "open"], headers: [{ name: "accept", value: "text/html" }] },
    ]);
    const text = "the work is open: debug=true, demo, ines, text/html";
    expect(redactor.redact(text)).toBe(text);
    expect(redactor.redact(url)).not.toMatch(/profile=work|api_key=demo|\/\/ines@/);
    expect(secretsInAddress("a sentence with a ? and an @")).toEqual([]);
    redactor.add("PROMPT", "You answer briefly, and in the language of the question.");
    expect(redactor.redact("answer briefly, and in the language")).toBe("answer briefly, and in the language");
  });
});
