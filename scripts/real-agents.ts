// The programs that `npm run test:agents` runs, each in a folder of its own: they are large, and they are not needed in order
// to use or to test the rest.

/** Exact versions: what was seen to work stays what is tested. */
export const realPrograms = {
  "claude-agent-acp": "@agentclientprotocol/claude-agent-acp@0.99.1",
  "codex-acp": "@agentclientprotocol/codex-acp@2.6.0",
  opencode: "opencode-ai@1.18.33",
  gemini: "@google/gemini-cli@0.61.0",
  qwen: "@qwen-code/qwen-code@0.24.4",
  kimi: "@moonshot-ai/kimi-code@2.1.0",
  "codex-zed": "@zed-industries/codex-acp@0.16.0",
  copilot: "@github/copilot@1.0.102",
  claude: "@anthropic-ai/claude-code@2.1.325",
  codex: "@openai/codex@0.166.0",
  conformance: "@modelcontextprotocol/conformance@0.1.16",
  inspector: "@modelcontextprotocol/inspector@2.12.0",
} as const;
