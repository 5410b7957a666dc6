import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { isGroupAlive } from "../src/agents/process-group.ts";
import { declared, smallAgent, testHost } from "../src/daemon/testing/temp-agent-host.ts";

/** Waits for something that another process does; a loaded machine has time. */
async function until(isTrue: () => boolean): Promise<void> {
  await vi.waitUntil(isTrue, { timeout: 60_000, interval: 10 });
}

describe("[I9] an agent is stopped with everything that it has started", () => {
  test.for([
    { name: "one that leaves a process behind", does: "leave-child" },
    { name: "one that leaves one that heeds no signal", does: "leave-stubborn-child" },
    { name: "one that heeds neither the end of its input nor a signal", does: "ignore-end" },
    { name: "one that does both", does: "leave-stubborn-child ignore-end" },
  ])("$name", async ({ name, does }, { task }) => {
    const holds = "everything that it has started is gone, and its token";
    claimFault(task, { area: "agents", fault: `an agent is stopped: ${name}`, holds, rounds: 1 });
    const { manager, tokenStore } = await testHost([smallAgent(does)], { limits: { agentGraceMs: 200 } });
    const { connection } = await manager.startAgent("mara");
    expect(isGroupAlive(connection.pid)).toBe(true);
    expect(tokenStore.size).toBe(2);
    await manager.stopAgent("mara");
    expect(isGroupAlive(connection.pid)).toBe(false);
    expect(tokenStore.size).toBe(0);
    expect(manager.statusOf("mara")).toEqual({ name: "mara", state: "stopped", restarts: 0, isBusy: false });
  });

  test("stopping twice, or what does not run, does nothing", async () => {
    const { manager } = await testHost([smallAgent()]);
    await manager.stopAgent("mara");
    await manager.startAgent("mara");
    const { pid } = manager.statusOf("mara");
    const [, second] = [manager.stopAgent("mara"), manager.stopAgent("mara")];
    await second;
    expect(isGroupAlive(pid ?? 0)).toBe(false);
    await expect(manager.prompt("mara", "x")).rejects.toMatchObject({ code: "AgentFailed" });
    await expect(manager.startAgent("nobody")).rejects.toMatchObject({ code: "NotFound" });
  });

  test("one that hangs while it starts is stopped at once, without a failure to tell of", async () => {
    // The start alone would take ten minutes.
    const { manager, events, tempFolder } = await testHost([smallAgent("hang-at-start")], {
      limits: { agentStartMs: 600_000 },
    });
    const starting = manager.startAgent("mara").catch((error: unknown) => error);
    await until(() => events.some(({ event }) => event === "session:context-ready"));
    await manager.stopAgent("mara");
    expect(await starting).toMatchObject({ code: "AgentFailed" });
    expect(events.map(({ event }) => event)).not.toContain("agent:failed");
    expect(manager.statusOf("mara").state).toBe("stopped");
    expect(readdirSync(tempFolder)).toEqual([]);
  });

  test("one that is stopped while it starts does not stay", async () => {
    const { manager, tokenStore } = await testHost([smallAgent("slow-tools")]);
    const starting = manager.startAgent("mara").catch((error: unknown) => error);
    await sleep(100);
    await manager.stopAgent("mara");
    await starting;
    expect(manager.statusOf("mara").state).toBe("stopped");
    expect(tokenStore.size).toBe(0);
  });
});

describe("[I9] an agent that breaks the protocol", () => {
  test("by lines that are none of it is understood all the same", async () => {
    const { manager } = await testHost([smallAgent("chatter")]);
    await manager.startAgent("mara");
    expect(await manager.prompt("mara", "hello there")).toMatchObject({ stopReason: "end_turn" });
  });

  test.for([
    { name: "by an output that it closes", does: "close-output ignore-end" },
    { name: "by a line without an end", does: "flood ignore-end" },
  ])("$name is ended, and started again", async ({ name, does }, { task }) => {
    const holds = "it is ended with its processes, the caller is told, and it is started again";
    claimFault(task, { area: "agents", fault: `an agent breaks the protocol ${name}`, holds, rounds: 1 });
    const { manager, events } = await testHost([smallAgent(does)], {
      limits: { agentGraceMs: 200 },
      restart: { firstDelayMs: 20 },
    });
    const { connection } = await manager.startAgent("mara");
    await expect(manager.prompt("mara", "x")).rejects.toMatchObject({ code: "AgentFailed" });
    await until(() => events.filter(({ event }) => event === "agent:started").length === 2);
    expect(isGroupAlive(connection.pid)).toBe(false);
  });
});

test("[I9] two starts at once after a stop are one start", async () => {
  const { manager, events } = await testHost([smallAgent()]);
  await manager.startAgent("mara");
  await manager.stopAgent("mara");
  const sessions = await Promise.all([manager.startAgent("mara"), manager.startAgent("mara")]);
  expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(1);
  expect(events.filter(({ event }) => event === "agent:started")).toHaveLength(2);
});

test("[I9] files that cannot be removed are said, and do not keep an agent from its end", async () => {
  const { manager, events, tempFolder, tokenStore } = await testHost([smallAgent()]);
  await manager.startAgent("mara");
  // Works for root too, whom no permission stops.
  const moved = `${tempFolder}-moved`;
  renameSync(tempFolder, moved);
  onTestFinished(() => rmSync(moved, { recursive: true }));
  writeFileSync(tempFolder, "");
  await manager.stopAgent("mara");
  expect(tokenStore.size).toBe(0);
  expect(events.map(({ event }) => event).slice(-2)).toEqual(["session:files-left", "agent:stopped"]);
});

describe("[I9] a start that fails leaves nothing", () => {
  test.for([
    {
      name: "no such program",
      agent: declared({ name: "mara", command: "galley-no-such-program" }),
      says: /no such program/,
    },
    { name: "one that ends at once", agent: smallAgent("exit-at-once"), says: /ended with code 3/ },
    {
      name: "one that speaks no ACP",
      agent: declared({ name: "mara", command: process.execPath, args: ["-e", "console.log('hi')"] }),
      says: /ended with code 0/,
    },
    { name: "one that hangs", agent: smallAgent("hang-at-start"), says: /took longer than 1500 ms/ },
  ])("$name", async ({ name, agent, says }, { task }) => {
    const holds = "a clear error; no token and no file is left";
    claimFault(task, { area: "agents", fault: `an agent that does not start: ${name}`, holds, rounds: 1 });
    // Only the one that hangs comes to its limit; the others have the time of a loaded machine.
    const agentStartMs = name === "one that hangs" ? 1500 : 60_000;
    const { manager, tokenStore, events, tempFolder } = await testHost([agent], {
      limits: { agentStartMs, agentGraceMs: 200 },
    });
    await expect(manager.startAgent("mara")).rejects.toMatchObject({
      code: "AgentFailed",
      message: expect.stringMatching(says) as string,
    });
    expect(tokenStore.size).toBe(0);
    expect(manager.statusOf("mara").state).toBe("failed");
    expect(events.at(-1)).toMatchObject({ event: "agent:failed", agentName: "mara" });
    expect(readdirSync(tempFolder)).toEqual([]);
  });
});

describe("[I9] an agent that ends by itself is started again", () => {
  test("with growing delays, so often and no more; its token ends each time", async ({ task }) => {
    claimFault(task, {
      area: "agents",
      fault: "an agent dies at every prompt",
      holds: "it is started again with growing delays, so often and no more; its token ends each time",
      rounds: 3,
    });
    const { manager, events, tokenStore } = await testHost([smallAgent("die-on-prompt")], {
      restart: { firstDelayMs: 20, maxRestarts: 2 },
    });
    const tokens = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      await until(() => manager.statusOf("mara").state === "running" || round === 0);
      tokens.add((await manager.startAgent("mara")).context.token);
      await expect(manager.prompt("mara", "x")).rejects.toMatchObject({
        code: "AgentFailed",
        message: expect.stringContaining("ended with code 7") as string,
      });
      await until(() => events.filter(({ event }) => event === "agent:exited").length === round + 1);
    }
    await until(() => manager.statusOf("mara").state === "failed");
    expect(tokens.size).toBe(3);
    expect(tokenStore.size).toBe(0);
    const restarts = events.filter(({ event }) => event === "agent:restarting").map(({ data }) => data);
    expect(restarts).toEqual([
      { restart: 1, maxRestarts: 2, delayMs: 20 },
      { restart: 2, maxRestarts: 2, delayMs: 40 },
    ]);
    expect(events.at(-1)).toMatchObject({ event: "agent:given-up", data: { restarts: 2 } });
  });

  test("so often and no more also when the time of day is set ahead: that is not having run well", async () => {
    const { manager, events } = await testHost([smallAgent("die-on-prompt")], {
      restart: { firstDelayMs: 20, maxRestarts: 1 },
    });
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    for (let round = 0; round < 2; round += 1) {
      await until(() => manager.statusOf("mara").state === "running" || round === 0);
      await manager.startAgent("mara");
      vi.setSystemTime(Date.now() + 86_400_000);
      await manager.prompt("mara", "x").catch(() => {});
      await until(() => events.filter(({ event }) => event === "agent:exited").length === round + 1);
    }
    await until(() => manager.statusOf("mara").state !== "restarting");
    expect(manager.statusOf("mara").state).toBe("failed");
  });

  test("but not when nobody manages it, nor after it was stopped", async () => {
    const direct = smallAgent("die-on-prompt", { launchMode: "direct" });
    const { manager, events } = await testHost([direct], { restart: { firstDelayMs: 1 } });
    await manager.startAgent("mara");
    await manager.prompt("mara", "x").catch(() => {});
    await until(() => manager.statusOf("mara").state === "failed");
    expect(events.some(({ event }) => event === "agent:restarting")).toBe(false);
    expect(events.at(-1)).toMatchObject({ event: "agent:given-up", data: { restarts: 0 } });
    await manager.stopAgent("mara");
    expect(manager.statusOf("mara").state).toBe("stopped");
  });
});

describe("[I9] one prompt at a time", () => {
  test("a second one is refused, and a prompt can be ended", async () => {
    const { manager } = await testHost([smallAgent("slow-tools")], { limits: { agentListingMs: 1 } });
    await manager.startAgent("mara");
    const first = manager.prompt("mara", "one two");
    await expect(manager.prompt("mara", "three")).rejects.toMatchObject({ code: "AgentBusy", retryable: true });
    expect(await first).toEqual({ stopReason: "end_turn", text: "one two" });
  });
});

/** Open files, sockets and pipes of this process. */
function openHandles(): number {
  return existsSync("/proc/self/fd") ? readdirSync("/proc/self/fd").length : 0;
}

const cycles = isThorough ? 1000 : 10;
// Two at a time: agents that come and go at the same moment must not get in each other's way.
const names = ["mara", "nils"];
// The agent of the examples, which needs no library, starts in a fraction of the time of the small one.
const lightAgent = fileURLToPath(new URL("../../../examples/agent/echo-agent.ts", import.meta.url));
const leaveChild = 'sleep 1000 & exec "$0" "$1"';

test(
  `[I9] ${cycles} starts and stops leave no process, token, handle, file or listener`,
  { timeout: cycles * 10_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "agents",
      fault: "agents that leave a process behind are started and stopped, two at a time",
      holds: "no process, token, handle, file or listener is left",
      rounds: cycles,
    });
    const args = ["-c", leaveChild, process.execPath, lightAgent];
    const agents = names.map((name) => declared({ name, command: "sh", args, permissions: "deny" }));
    const { manager, tokenStore, eventBus, dataFolder, tempFolder } = await testHost(agents);
    const run = async (name: string): Promise<number> => {
      const { connection, hasListedTools } = await manager.startAgent(name);
      expect(hasListedTools).toBe(true);
      await manager.stopAgent(name);
      return connection.pid;
    };
    const runAll = (): Promise<number[]> => Promise.all(names.map(run));
    // The first round opens what stays open.
    await runAll();
    const before = { handles: openHandles(), listeners: eventBus.listenerCount() };
    const processListeners = process.eventNames().map((name) => process.listenerCount(name));
    const pids: number[] = [];
    while (pids.length < cycles) pids.push(...(await runAll()));
    expect(pids.filter((pid) => isGroupAlive(pid))).toEqual([]);
    expect(tokenStore.size).toBe(0);
    expect(eventBus.listenerCount()).toBe(before.listeners);
    expect(process.eventNames().map((name) => process.listenerCount(name))).toEqual(processListeners);
    expect(readdirSync(tempFolder)).toEqual([]);
    // Connections that agents have left are closed by the server a moment later.
    await until(() => openHandles() <= before.handles + 2);
    expect(readdirSync(dataFolder)).toEqual(["agents"]);
    expect(childrenLeft()).toEqual([]);
  },
);

/** Processes that still run and whose parent is this one, where the system tells. */
function childrenLeft(): readonly string[] {
  if (!existsSync("/proc")) return [];
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const text = readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return Number(parent) === process.pid && state !== "Z";
    } catch {
      return false;
    }
  });
}
