import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isGroupAlive } from "../src/agents/process-group.ts";
import { daemonProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { claimFault } from "./claim-fault.ts";
import { until } from "./lied-to.ts";
import { peakMemory } from "./peak-memory.ts";

const program = fileURLToPath(new URL("lying-agent.ts", import.meta.url));
/** What a flood adds to a daemon at most, in MiB. */
const room = 500;

const floods: readonly { readonly name: string; readonly lie: string; readonly end: object }[] = [
  { name: "forty updates of 2 MB", lie: "big-updates", end: { type: "done", text: "That was all." } },
  { name: "one update of 100 MB", lie: "big-update", end: { type: "failed", error: { code: "AgentFailed" } } },
  { name: "words without end", lie: "endless-text", end: { type: "failed", error: { code: "AgentFailed" } } },
  { name: "requests without end", lie: "deaf-flood", end: { type: "failed", error: { code: "AgentFailed" } } },
];

test.for(floods)(
  "[I9] $name from an agent: the daemon keeps its size and serves others",
  { timeout: 240_000 },
  async ({ lie, end }, { task }) => {
    claimFault(task, {
      area: "agents",
      fault: "a daemon whose agent floods it: updates of 2 MB and of 100 MB, words and requests without end",
      holds: `the prompt ends; the daemon's peak memory grows by less than ${room} MiB; chats are answered meanwhile; no process is left`,
      rounds: 1,
    });
    const folder = testFolder();
    const agent = {
      name: "mara",
      command: process.execPath,
      args: [program],
      env: { LYING_AGENT: lie },
      permissions: "deny",
      launchMode: "direct",
    };
    // It never lists its tools, and it is not what this is about.
    const config = { agents: [agent], limits: { agentListingMs: 100 } };
    writeFileSync(join(folder, "galley.config.json"), JSON.stringify(config));
    const daemon = await daemonProcess({ args: ["--config", folder] });
    const chat = async (): Promise<void> => {
      const body = { chat: "other", input: "Go." };
      const events = await daemon.events(
        "runs.start",
        { body },
        { isEnough: ({ type }) => /run:(?!started)/u.test(type) },
      );
      expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
    };
    await chat();
    const { pid = 0 } = await daemon.call("agents.start", { params: { name: "mara" } });
    const before = peakMemory(daemon.child.pid) ?? 0;
    const over = new AbortController();
    const flooded = daemon
      .events("agents.prompt", { params: { name: "mara" }, body: { text: "Go." } })
      .finally(() => over.abort());
    // Some are enough: more would only take the time in which the flood is read.
    for (let chats = 0; chats < 5 && !over.signal.aborted; chats++) await chat();
    expect((await flooded).at(-1)?.data).toMatchObject(end);
    expect((peakMemory(daemon.child.pid) ?? 0) - before).toBeLessThan(room);
    await daemon.call("agents.stop", { params: { name: "mara" } });
    await until(() => !isGroupAlive(pid));
    expect(await daemon.end("SIGTERM")).toBe(0);
  },
);
