import { existsSync, mkdirSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startLlmServer, toolCallingModel } from "../../models/testing/llm-server.ts";
import { smallAgent, systemSentence, testHost } from "../testing/temp-agent-host.ts";

describe("[I9] an agent is started, told and given its tools", () => {
  test.each([
    { name: "HTTP and the session field", does: "", way: "session" },
    { name: "HTTP and the first prompt", does: "no-system-prompt", way: "first-prompt" },
    { name: "stdio and the session field", does: "no-http", way: "session" },
  ])("over $name", async ({ does, way }) => {
    const llm = await startLlmServer(toolCallingModel("galley_echo", { text: "hello" }));
    try {
      const agent = smallAgent(does, { env: { SMALL_AGENT_LLM: llm.url } });
      const { manager, calls, events, tokenStore } = await testHost([agent]);
      const session = await manager.startAgent("mara");
      expect(session.hasListedTools).toBe(true);
      expect(session.connection.session.systemTextWay).toBe(way);
      const outcome = await manager.prompt("mara", "Please say hello.");
      expect(outcome).toEqual({ stopReason: "end_turn", text: 'The tool said: {"echo":"hello","agent":"mara"}' });
      const [first] = llm.requests;
      expect(first?.tools.map(({ name }) => name)).toEqual(["mcp__galley__galley_echo"]);
      const told = way === "session" ? first?.system : first?.userTexts[0];
      expect(told).toContain(systemSentence);
      expect(told).toContain("GALLEY_SESSION_TOKEN");
      expect(told).not.toContain(session.context.token);
      expect(calls).toEqual([{ agent: "mara", session: session.sessionId, id: "agent:mara" }]);
      await manager.stopAgent("mara");
      expect(tokenStore.size).toBe(0);
      expect(events.map(({ event }) => event)).toEqual([
        "agent:starting",
        "session:preparing",
        "session:context-ready",
        "agent:started",
        "permission:decided",
        "tool:called",
        "agent:stopped",
      ]);
    } finally {
      await llm.close();
    }
  });
});

describe("[I9] where an agent works", () => {
  test.each([
    { name: "the project", given: {}, expected: "." },
    { name: "a folder of the project", given: { cwd: "part" }, expected: "part" },
  ])("$name, which stays", async ({ given, expected }) => {
    const { manager, dataFolder } = await testHost([smallAgent("", given)]);
    mkdirSync(join(dataFolder, "part"));
    expect((await manager.startAgent("mara")).cwd).toBe(join(dataFolder, expected));
    await manager.stopAgent("mara");
    expect(existsSync(join(dataFolder, expected))).toBe(true);
  });

  test("a folder of its own, which goes with it", async () => {
    const { manager, dataFolder } = await testHost([smallAgent("", { workspacePolicy: "ephemeral" })]);
    const { cwd } = await manager.startAgent("mara");
    expect(existsSync(cwd)).toBe(true);
    expect(cwd.startsWith(dataFolder + sep)).toBe(false);
    await manager.stopAgent("mara");
    expect(existsSync(cwd)).toBe(false);
  });
});

test("[I5] a token lasts as long as its session, however long that is, and ends with it", async () => {
  // Renewed after a third of its time, so that a loaded machine has the rest.
  const { manager, tokenStore } = await testHost([smallAgent()], { limits: { agentTokenMs: 9000 } });
  const { context } = await manager.startAgent("mara");
  const first = tokenStore.validate(context.token);
  const renewed = (): boolean => (tokenStore.validate(context.token)?.expiresAt ?? 0) > (first?.expiresAt ?? Infinity);
  await vi.waitUntil(renewed, { timeout: 60_000, interval: 100 });
  expect(tokenStore.validate(context.token)).toMatchObject({ agentName: "mara", createdAt: first?.createdAt });
  await manager.stopAgent("mara");
  expect(tokenStore.validate(context.token)).toBeUndefined();
});
