import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentDeclaration } from "../../config/config-schema.ts";
import { galleyIn } from "../../galley/testing/temp-galley.ts";
import { type LlmServer, obedientModel, startLlmServer, toolCallingModel } from "../../models/testing/llm-server.ts";
import { isGroupAlive } from "../../agents/process-group.ts";
import { openGalleyAgents } from "./agent-host.ts";
import { declared, systemSentence, testHost } from "../testing/temp-agent-host.ts";

/** Where `npm run test:agents` has installed the agents, each in a folder of its own. */
const installed = process.env["GALLEY_AGENTS"];

/** What the user has told the agent: it must not get lost. */
const ownMemory = "The user likes short sentences.";

interface RealAgent {
  readonly name: string;
  readonly backendType: string;
  readonly bin: string;
  readonly args?: readonly string[];
  /** How the system text is expected to go. */
  readonly way: string;
  readonly env: (llm: LlmServer, home: string) => Readonly<Record<string, string>>;
  /** Files below its home. */
  readonly files?: (llm: LlmServer) => Readonly<Record<string, string>>;
}

const agents: readonly RealAgent[] = [
  {
    name: "claude-agent-acp",
    backendType: "claude-code",
    bin: "claude-agent-acp",
    way: "session",
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-local",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // It would otherwise show the model a search for tools, and the tools only when they are looked for.
      ENABLE_TOOL_SEARCH: "false",
    }),
  },
  {
    name: "codex-acp",
    backendType: "codex",
    bin: "codex-acp",
    way: "session",
    // In its default mode a second model decides on permissions.
    env: (_, home) => ({
      OPENAI_API_KEY: "sk-local",
      CODEX_HOME: join(home, ".codex"),
      INITIAL_AGENT_MODE: "workspace-write",
    }),
    files: ({ url }) => ({ ".codex/config.toml": codexConfig(url) }),
  },
  {
    name: "opencode",
    backendType: "opencode",
    bin: "opencode",
    args: ["acp"],
    way: "environment",
    env: ({ url }) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
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
    }),
  },
  {
    name: "gemini",
    backendType: "gemini",
    bin: "gemini",
    args: ["--acp"],
    way: "home",
    env: ({ url }) => ({
      GEMINI_API_KEY: "sk-local",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_MODEL: "gemini-2.5-flash",
      // It gives folders that it does not trust no MCP servers.
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    files: () => ({ ".gemini/GEMINI.md": ownMemory }),
  },
  {
    name: "qwen",
    backendType: "qwen",
    bin: "qwen",
    args: ["--acp"],
    way: "argument",
    env: ({ url }) => ({ OPENAI_API_KEY: "sk-local", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "local-1" }),
    files: () => ({ ".qwen/settings.json": JSON.stringify({ tools: { toolSearch: { enabled: false } } }) }),
  },
  {
    name: "codex-zed",
    backendType: "codex-zed",
    bin: "codex-acp",
    way: "argument",
    env: (_, home) => ({ OPENAI_API_KEY: "sk-local", CODEX_HOME: join(home, ".codex") }),
    files: ({ url }) => ({ ".codex/config.toml": codexConfig(url) }),
  },
  {
    name: "kimi",
    backendType: "kimi",
    bin: "kimi",
    args: ["acp"],
    way: "home",
    env: () => ({}),
    files: ({ url }) => ({
      ".kimi-code/config.toml": kimiConfig(url),
      ".kimi-code/AGENTS.md": ownMemory,
    }),
  },
  {
    name: "copilot",
    backendType: "copilot",
    bin: "copilot",
    args: ["--acp"],
    way: "home",
    env: ({ url }) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "sk-local",
      COPILOT_MODEL: "local-1",
    }),
    files: () => ({ ".copilot/copilot-instructions.md": ownMemory }),
  },
];

function kimiConfig(url: string): string {
  return [
    'default_model = "local"',
    "[models.local]",
    'provider = "local"',
    'model = "local-1"',
    "max_context_size = 100000",
    "[providers.local]",
    'type = "openai"',
    `base_url = "${url}/v1"`,
    'api_key = "sk-local"',
  ].join("\n");
}

function codexConfig(url: string): string {
  return [
    'model = "local-1"',
    'model_provider = "local"',
    "[model_providers.local]",
    'name = "local"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'env_key = "OPENAI_API_KEY"',
  ].join("\n");
}

function homeWith(files: Readonly<Record<string, string>>): string {
  const home = mkdtempSync(join(tmpdir(), "galley-home-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return home;
}

/** The agent as a configuration would declare it, in a home of its own. */
function declaredFor({ name, backendType, bin, args = [], env, files }: RealAgent, llm: LlmServer): AgentDeclaration {
  const home = homeWith(files?.(llm) ?? {});
  return declared({
    name,
    backendType,
    command: join(installed ?? "", name, "node_modules", ".bin", bin),
    args,
    env: { ...env(llm, home), HOME: home },
    permissions: "deny",
  });
}

/** Those that are installed: one alone can be tried as well. */
const present = agents.filter(({ name }) => existsSync(join(installed ?? "", name, "node_modules")));

describe.skipIf(installed === undefined)("[A6] context tools switch real agents", () => {
  test.each(present)("$name", { timeout: 300_000 }, async (real) => {
    const { name } = real;
    const llm = await startLlmServer(obedientModel());
    onTestFinished(() => llm.close());
    const agent = declaredFor(real, llm);
    const data = mkdtempSync(join(tmpdir(), "galley-real-"));
    const opened = async () => {
      const galley = await galleyIn(data, { config: { agents: [agent] } });
      const { PATH, HOME } = process.env;
      const host = await openGalleyAgents(galley, { folder: data, environment: { PATH, HOME } });
      onTestFinished(() => host.close());
      await host.manager.startAgent(name);
      return { galley, host };
    };
    let { galley, host } = await opened();
    /** What the model was sent with this prompt in it. An agent may send more on its own, also for a session that it has left. */
    const sentFor = async (text: string): Promise<string> => {
      const before = llm.requests.length;
      await host.manager.prompt(name, text);
      const sent = llm.requests.slice(before).filter(({ userTexts }) => userTexts.some((one) => one.includes(text)));
      expect(sent.length).toBeGreaterThan(0);
      return JSON.stringify(sent);
    };
    const knows = async (text: string): Promise<boolean> => (await sentFor(text)).includes("4711");
    await sentFor("The harbour code is 4711.");
    const { pid } = host.manager.sessionOf(name)?.connection ?? {};
    const put = await sentFor('CALL#1 chat_context_new {"title":"Harbour"}');
    expect(put.includes("takes effect with the next message")).toBe(true);
    expect(await knows("What is the harbour code?")).toBe(false);
    const isSameProcess = host.manager.sessionOf(name)?.connection.pid === pid;
    process.stdout.write(`${name}: a new session in ${isSameProcess ? "the same" : "another"} process\n`);
    await sentFor('CALL#2 chat_context_load {"query":"harbour"}');
    expect(await knows("And now?")).toBe(true);
    const chat = await galley.chats.open(`agent:${name}`);
    const said = JSON.stringify(chat.transcript().messages);
    for (const text of ["4711", "CALL#1", "What is the harbour code?", "CALL#2", "And now?"])
      expect(said).toContain(text);
    await host.close();
    await galley.close();
    ({ galley, host } = await opened());
    expect(await knows("Go on.")).toBe(true);
  });
});

describe.skipIf(installed === undefined)("[A1, A3] what real agents hand over comes back to them", () => {
  test.each(present)("$name", { timeout: 300_000 }, async (real) => {
    const { name } = real;
    const llm = await startLlmServer(obedientModel());
    onTestFinished(() => llm.close());
    const agent = declaredFor(real, llm);
    const profiles = [{ name: "writer", text: "You write.", model: "demo" }];
    const galley = await galleyIn(undefined, { config: { agents: [agent], profiles } });
    const { PATH, HOME } = process.env;
    const host = await openGalleyAgents(galley, { folder: galley.data, environment: { PATH, HOME } });
    onTestFinished(() => host.close());
    await host.manager.startAgent(name);
    const task = { target_strategy: "new", target_ref: "writer", instruction: "Describe a lighthouse." };
    await host.manager.prompt(name, `CALL#1 delegate_async ${JSON.stringify(task)}`);
    const [started] = await galley.store.tasks.list(galley.project);
    const id = started?.id ?? "";
    expect(started?.origin).toMatchObject({ place: `agent:${name}`, anchor: expect.any(String) as string });
    await galley.handover.waitFor(id);
    await host.manager.prompt(name, "Anything new?");
    const told = llm.requests.flatMap(({ userTexts }) => userTexts).find((text) => text.includes("Anything new?"));
    expect(told).toMatch(/written by another agent, not by the user.*Describe a lighthouse/s);
    const question = { profile_name: "writer", question: "How high is it?", include_history: true };
    await host.manager.prompt(name, `CALL#2 ask_expert ${JSON.stringify(question)}`);
    const tasks = await galley.store.tasks.list(galley.project);
    const asked = tasks.find((one) => one.id !== id);
    expect(asked?.status).toBe("succeeded");
    expect(asked?.returnedAt).not.toBeNull();
    const session = { projectId: galley.project, sessionId: `task:${asked?.id}` };
    const read = JSON.stringify((await galley.store.builds.read(session, 1))?.messages);
    expect(read).toMatch(/was said in agent:.*Anything new\?.*How high is it\?/s);
  });
});

describe.skipIf(installed === undefined)("[I9] real agents get our tools and our text", () => {
  test.each(present)("$name", { timeout: 180_000 }, async (real) => {
    const { name, way } = real;
    const llm = await startLlmServer(toolCallingModel("galley_echo", { text: "hello" }));
    onTestFinished(() => llm.close());
    const agent = declaredFor(real, llm);
    const { manager, calls, tokenStore, events } = await testHost([agent]);
    const session = await manager.startAgent(name);
    expect(session.connection.session.systemTextWay).toBe(way);
    const outcome = await manager.prompt(name, "Please say hello with the tool.");
    expect(outcome.stopReason).toBe("end_turn");
    expect(outcome.text).toContain("hello");
    expect(outcome.text).toContain("The tool said:");
    expect(calls).toEqual([{ agent: name, id: `agent:${name}` }]);
    const asked = llm.requests.find(({ tools }) => tools.some((tool) => tool.name.endsWith("galley_echo")));
    for (const text of [systemSentence, ...(way === "home" ? [ownMemory] : [])]) expect(asked?.system).toContain(text);
    expect(JSON.stringify(llm.requests)).not.toContain(session.context.token);
    const results = llm.requests
      .flatMap(({ toolResults }) => toolResults)
      .join()
      .replaceAll("\\", "");
    expect(results).toContain(`{"echo":"hello","agent":"${name}"}`);
    const { pid } = session.connection;
    await manager.stopAgent(name);
    expect(isGroupAlive(pid)).toBe(false);
    expect(tokenStore.size).toBe(0);
    expect(events.filter(({ event }) => event === "agent:tools-unseen")).toEqual([]);
  });
});
