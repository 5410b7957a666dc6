import { join } from "node:path";
import type { LlmServer } from "../../models/testing/llm-server.ts";

/** What the user has told the agent: it must not get lost. */
export const ownMemory = "The user likes short sentences.";

export interface RealAgent {
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

/** Agents from npm, as they are set up to ask a model server of ours. */
export const realAgents: readonly RealAgent[] = [
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
