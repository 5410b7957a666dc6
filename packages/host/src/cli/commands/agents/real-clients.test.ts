import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../../../../scripts/launcher.ts";
import { type LlmServer, startLlmServer, toolCallingModel } from "../../../models/testing/llm-server.ts";

/** Where `npm run test:agents` has installed them. */
const installed = process.env["GALLEY_AGENTS"];

interface RealClient {
  readonly client: string;
  readonly bin: string;
  readonly args: readonly string[];
  readonly settings: string;
  /** What the person has written there before. */
  readonly before?: (llm: LlmServer) => string;
  /** It writes into the file itself. */
  readonly isWriting?: boolean;
  /** What the person adds afterwards. */
  readonly after?: string;
  readonly env: (llm: LlmServer, home: string) => Readonly<Record<string, string>>;
}

const claude: RealClient = {
  client: "claude-code",
  bin: "claude",
  args: ["-p", "Go.", "--allowedTools", "mcp__galley__chat_context_new"],
  settings: ".claude.json",
  isWriting: true,
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-local",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ENABLE_TOOL_SEARCH: "false",
    // It would otherwise ask the model before its servers are there.
    MCP_CONNECTION_NONBLOCKING: "0",
  }),
};
const codex: RealClient = {
  client: "codex",
  bin: "codex",
  args: ["exec", "--skip-git-repo-check", "Go."],
  settings: ".codex/config.toml",
  before: ({ url }) =>
    `model = "local-1"\nmodel_provider = "local"\n\n[model_providers.local] # mine\nname = "local"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "OPENAI_API_KEY"\n`,
  // Without it, `codex exec` asks the model before its servers are there.
  after: "required = true\n",
  env: (_, home) => ({ OPENAI_API_KEY: "sk-local", CODEX_HOME: join(home, ".codex") }),
};
const opencode: RealClient = {
  client: "opencode",
  bin: "opencode",
  args: ["run", "Go."],
  settings: ".config/opencode/opencode.json",
  isWriting: true,
  before: ({ url }) =>
    JSON.stringify({
      model: "local/local-1",
      small_model: "local/local-1",
      provider: {
        local: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${url}/v1`, apiKey: "sk-local" },
          models: { "local-1": {} },
        },
      },
    }),
  env: () => ({}),
};
const gemini: RealClient = {
  client: "gemini-cli",
  bin: "gemini",
  args: ["-p", "Go.", "--yolo"],
  settings: ".gemini/settings.json",
  before: () => '{\n  // mine\n  "security": { "auth": { "selectedType": "gemini-api-key" } }\n}\n',
  env: ({ url }) => ({
    GEMINI_API_KEY: "sk-local",
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_MODEL: "gemini-2.5-flash",
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  }),
};

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<string> {
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: 240_000 });
  const [out, err] = await Promise.all([readAll(child.stdout), readAll(child.stderr), once(child, "exit")]);
  return `${out}\n${err}`;
}

/** What a client's model gets when it calls a tool, in a client that has Galley in its settings for as long as that takes. */
async function callIn(real: RealClient, data: string, tool: string, input: object): Promise<string> {
  const llm = await startLlmServer(toolCallingModel(tool, { ...input }));
  const home = mkdtempSync(join(tmpdir(), "galley-client-"));
  onTestFinished(async () => {
    await llm.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const settings = join(home, real.settings);
  mkdirSync(dirname(settings), { recursive: true });
  const before = real.before?.(llm);
  if (before !== undefined) writeFileSync(settings, before);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    ...real.env(llm, home),
  };
  const galley = (verb: string): Promise<string> =>
    run(process.execPath, [launcher, "mcp", "--data", data, verb, real.client, "--yes"], home, env);
  expect(await galley("install")).toContain("Done.");
  if (real.after !== undefined) writeFileSync(settings, readFileSync(settings, "utf8") + real.after);
  const results = (): readonly string[] => llm.requests.flatMap(({ toolResults }) => toolResults);
  // On a busy machine, a client may ask its model before its servers are there.
  for (let attempt = 0; attempt < 3 && results().length === 0; attempt += 1) {
    await run(join(installed ?? "", real.bin, "node_modules", ".bin", real.bin), real.args, home, env);
  }
  expect(await galley("uninstall")).toContain("Done.");
  const after = readFileSync(settings, "utf8");
  expect(after).not.toContain("galley.js");
  expect(real.isWriting ? before : after.trim()).toBe(real.isWriting ? before : before?.trim());
  return results().join("\n").replaceAll("\\", "");
}

describe.skipIf(installed === undefined)("[A7] real coding agents as clients", { timeout: 600_000 }, () => {
  test("a topic goes from Claude Code over Codex and OpenCode to Gemini CLI", async () => {
    const data = mkdtempSync(join(tmpdir(), "galley-topics-"));
    onTestFinished(() => rmSync(data, { recursive: true, force: true, maxRetries: 5 }));
    const put = await callIn(claude, data, "chat_context_new", { title: "Taxes", note: "Form A is done." });
    const [contextId = ""] = /c_\d{8}_[0-9a-f]+/.exec(put) ?? [];
    expect(put).toContain("Your own conversation is unchanged");
    expect(await callIn(codex, data, "chat_context_load", { query: "form A" })).toContain('"note":"Form A is done."');
    const renewed = await callIn(opencode, data, "chat_context_new", { contextId, note: "Form B is done too." });
    expect(renewed).toContain(`Put away as ${contextId}`);
    expect(await callIn(gemini, data, "chat_context_load", { contextId })).toContain('"note":"Form B is done too."');
  });
});
