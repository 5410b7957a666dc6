import type { PermissionOption } from "@agentclientprotocol/sdk/unstable";
import { describe, expect, test } from "vitest";
import { type PermissionRequest, isPermitted, permissionAnswer, readPermissionRequest } from "./permission-policy.ts";

const options = [
  { optionId: "a", name: "Always", kind: "allow_always" },
  { optionId: "y", name: "Yes", kind: "allow_once" },
  { optionId: "n", name: "No", kind: "reject_once" },
] satisfies PermissionOption[];
const policy = { allow: ["read", "git status"], own: ["galley_echo"], otherwise: "deny" } as const;

function asked(
  toolCall: Readonly<Record<string, unknown>>,
  facts?: Readonly<Record<string, unknown>>,
): PermissionRequest {
  return readPermissionRequest(
    "mara",
    "galley",
    { sessionId: "s", options, toolCall: { toolCallId: "1", ...toolCall } },
    facts,
  );
}

describe("[I9] permissions go by the policy", () => {
  // As these agents were seen to ask.
  test.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>> | undefined]>([
    [
      "claude-agent-acp",
      { name: "mcp__galley__galley_echo", title: "mcp__galley__galley_echo", kind: "other" },
      undefined,
    ],
    ["gemini", { title: "galley_echo (galley MCP Server)", kind: "other" }, undefined],
    ["opencode", { title: "galley_galley_echo", kind: "other" }, undefined],
    ["qwen", { title: '{"text":"hello"}', _meta: { toolName: "mcp__galley__galley_echo" } }, undefined],
    [
      "codex",
      { kind: "execute" },
      {
        title: "mcp.galley.galley_echo",
        kind: "execute",
        rawInput: { server: "galley", tool: "galley_echo", arguments: {} },
      },
    ],
    [
      "copilot, which asks with the title that the tool has",
      { title: "Say it back", kind: "other", rawInput: { text: "x" } },
      { title: "galley-galley_echo", kind: "other", rawInput: { text: "x" } },
    ],
    ["kimi", { title: "mcp__galley__galley_echo" }, { title: "mcp__galley__galley_echo", kind: "other" }],
    [
      "codex of Zed",
      { title: "Approve MCP tool call", rawInput: { server_name: "galley", request: {} } },
      { title: "Tool: galley/galley_echo", rawInput: { server: "galley", tool: "galley_echo", arguments: {} } },
    ],
    ["a kind", { title: "cat notes.md", kind: "read" }, undefined],
  ])("%s is recognised", async (_, toolCall, facts) => {
    expect(await isPermitted(asked(toolCall, facts), policy, undefined)).toBe(true);
  });

  test.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>?]>([
    [
      // As Copilot asks: the title of a command is the description that the model wrote.
      "a command that a model described like a tool of ours",
      { title: "galley_echo", kind: "execute", rawInput: { command: "touch x", commands: ["touch x"] } },
      { title: "galley_echo", kind: "execute", rawInput: { command: "touch x", description: "galley_echo" } },
    ],
    [
      "a command that a model described like a kind",
      { title: "read", kind: "execute", rawInput: { command: "touch x" } },
      { title: "read", kind: "execute", rawInput: { command: "touch x", description: "read" } },
    ],
    [
      "a command that a model described like something that is allowed",
      { title: "git status", kind: "execute", rawInput: { command: "touch x" } },
      { title: "git status", kind: "execute", rawInput: { command: "touch x", description: " git status" } },
    ],
    [
      "a task that a model described like a tool of ours",
      { title: "galley-galley_echo", kind: "other" },
      { title: "galley-galley_echo", kind: "other", rawInput: { prompt: "x", description: "galley-galley_echo" } },
    ],
    [
      "an input that says which tool it is of",
      { title: "Touch", kind: "execute" },
      { title: "Touch", kind: "execute", rawInput: { command: "touch x", server: "galley", tool: "galley_echo" } },
    ],
    [
      "a tool of another server that has the title of ours",
      { title: "galley_echo", kind: "other" },
      { title: "evil-run", kind: "other", rawInput: {} },
    ],
    ["another tool", { title: "Bash", kind: "execute" }],
    ["a command that names an allowed tool", { title: "rm -rf / # galley_echo", kind: "execute" }],
    [
      "a tool of another server with the same name",
      { rawInput: { server: "evil", tool: "galley_echo" }, kind: "execute" },
    ],
    [
      "a task that a model called like a tool of ours",
      { title: "galley_echo", kind: "think", _meta: { claudeCode: { toolName: "Task" } } },
    ],
    ["the same, by the name of the tool", { name: "Task", title: "mcp__galley__galley_echo", kind: "think" }],
    ["a prefix of another server", { title: "mcp__evil__galley_echo" }],
    ["nothing at all", {}],
  ])("%s is not", async (_, toolCall, facts) => {
    expect(await isPermitted(asked(toolCall, facts), policy, () => true)).toBe(false);
  });

  test("who is asked decides what the list does not; nobody there means no", async () => {
    const request = asked({ title: "Bash", kind: "execute", rawInput: { command: "ls" } });
    const ask = { allow: [], otherwise: "ask" } as const;
    const seen: PermissionRequest[] = [];
    expect(await isPermitted(request, ask, (question) => (seen.push(question), true))).toBe(true);
    expect(seen).toMatchObject([{ agentName: "mara", title: "Bash", kind: "execute", input: { command: "ls" } }]);
    expect(await isPermitted(request, ask, () => false)).toBe(false);
    expect(await isPermitted(request, ask, undefined)).toBe(false);
  });

  test("a yes is for this once; a no takes what is offered; without either the request is cancelled", () => {
    const request = { sessionId: "s", options, toolCall: { toolCallId: "1" } };
    expect(permissionAnswer(request, true)).toEqual({ outcome: { outcome: "selected", optionId: "y" } });
    expect(permissionAnswer(request, false)).toEqual({ outcome: { outcome: "selected", optionId: "n" } });
    const always = { ...request, options: options.slice(0, 1) };
    expect(permissionAnswer(always, true)).toEqual({ outcome: { outcome: "cancelled" } });
  });
});
