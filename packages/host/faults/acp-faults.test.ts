import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GalleyError } from "@galley/engine";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentUpdate } from "../src/agents/acp-prompt.ts";
import { isGroupAlive } from "../src/agents/process-group.ts";
import { type TestHost, type TestHostOptions, declared, testHost } from "../src/daemon/testing/temp-agent-host.ts";
import { claimFault, isThorough } from "./claim-fault.ts";
import { until } from "./lied-to.ts";

const area = "agents";
const program = fileURLToPath(new URL("lying-agent.ts", import.meta.url));
const rounds = isThorough ? 5 : 1;

async function liar(
  lie: string,
  limits: TestHostOptions["limits"] = {},
): Promise<TestHost & { readonly file: string }> {
  const folder = mkdtempSync(join(tmpdir(), "galley-liar-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "private.txt");
  writeFileSync(file, "mine");
  const agent = declared({
    name: "mara",
    command: process.execPath,
    args: [program],
    env: { LYING_AGENT: lie, LYING_AGENT_FILE: file },
    permissions: "deny",
    launchMode: "direct",
  });
  const host = await testHost([agent], { limits: { agentGraceMs: 200, agentListingMs: 1, ...limits } });
  return { ...host, file };
}

/** Nothing of the agent is left: neither its processes nor its token. */
async function checkGone({ manager, tokenStore }: TestHost, pid: number): Promise<void> {
  await until(() => !isGroupAlive(pid));
  await until(() => tokenStore.size === 0);
  await until(() => ["failed", "stopped"].includes(manager.statusOf("mara").state));
}

const failed = (says: RegExp): object => ({
  code: "AgentFailed",
  message: expect.stringMatching(says) as string,
  hint: expect.stringMatching(/\w/u) as string,
  retryable: true,
});

describe("[I9] an agent that lies while it starts", () => {
  test.for([
    { name: "says nothing", lie: "silent-start", says: /took longer than/u },
    { name: "speaks another version", lie: "other-version", says: /version 99 of ACP/u },
    { name: "answers with nothing", lie: "null-start", says: /speaks no ACP/u },
    { name: "opens no session", lie: "no-session", says: /no session/u },
  ])("one that $name is not started, and is gone", async ({ lie, says }, { task }) => {
    claimFault(task, {
      area,
      fault: "agents that do not answer, answer with nothing, or speak another version while they start",
      holds: "AgentFailed with a hint within the limit for starts; no process, token or file is left",
      rounds: 1,
    });
    // Only the one that is silent comes to its limit, which may be over before it has begun: then it gets more time.
    for (const agentStartMs of lie === "silent-start" ? [1500, 15_000, 60_000] : [60_000]) {
      const host = await liar(lie, { agentStartMs });
      await expect(host.manager.startAgent("mara")).rejects.toMatchObject(failed(says));
      const note = `${host.file}.pid`;
      if (!existsSync(note) && agentStartMs < 60_000) continue;
      await checkGone(host, Number(readFileSync(note, "utf8")));
      break;
    }
  });
});

interface Case {
  readonly name: string;
  readonly lie: string;
  readonly says: RegExp;
  readonly limits?: TestHostOptions["limits"];
}

const broken: readonly Case[] = [
  { name: "half a line, and ends", lie: "half-line-exit", says: /ended with code 9/u },
  { name: "a request, and ends", lie: "exit-pending", says: /ended with code 9/u },
  { name: "nothing for an answer", lie: "answer-null", says: /does not say why it stopped/u },
  { name: "a number for a reason", lie: "answer-number", says: /does not say why it stopped/u },
  { name: "an error of a megabyte", lie: "answer-error", says: /no luck x{900,1000}…\.$/u },
  { name: "an update of 100 MB", lie: "big-update", says: /33554432 byte limit/u },
  { name: "words without end", lie: "endless-text", says: /more than 8000000 characters/u },
  { name: "requests for permission without end", lie: "permission-flood", says: /more than 5000 permissions|unread/u },
  { name: "requests without end, and reads no answer", lie: "deaf-flood", says: /unread/u },
  {
    name: "nonsense without end, and reads no complaint",
    lie: "deaf-nonsense",
    says: /unread/u,
    limits: { agentPromptMs: 5000 },
  },
  { name: "no answer", lie: "never-answer", says: /gave no answer within 1500 ms/u, limits: { agentPromptMs: 1500 } },
  {
    name: "half a line, and waits",
    lie: "half-line",
    says: /gave no answer within 1500 ms/u,
    limits: { agentPromptMs: 1500 },
  },
];

describe("[I9] an agent that is prompted and gives", () => {
  test.for(broken)(
    "$name fails the prompt and leaves nothing",
    { timeout: 120_000 },
    async ({ lie, says, limits }, { task }) => {
      claimFault(task, {
        area,
        fault:
          "half lines, no answer, answers that are none, updates of 100 MB, floods of words and requests, exits with open requests",
        holds:
          "AgentFailed with a hint within the limits; the agent's processes and token are gone, or it can be stopped",
        rounds,
      });
      for (let round = 0; round < rounds; round += 1) {
        const host = await liar(lie, limits);
        const { connection } = await host.manager.startAgent("mara");
        await expect(host.manager.prompt("mara", "Go.")).rejects.toMatchObject(failed(says));
        // One whose answer cannot be read may be asked again.
        if (lie.startsWith("answer-")) await host.manager.stopAgent("mara");
        await checkGone(host, connection.pid);
      }
    },
  );

  test("its token where its words are cut short does not give half of it away [P6]", async () => {
    const host = await liar("answer-secret");
    await host.manager.startAgent("mara");
    const [{ token } = { token: "" }] = host.tokenStore.known();
    const failure = await host.manager.prompt("mara", "Go.").catch((error: unknown) => error as GalleyError);
    const { message, hint } = failure as GalleyError;
    expect([message, hint]).toEqual([expect.stringContaining("xxx"), expect.stringContaining("xxx")]);
    const decided = JSON.stringify(host.events.filter(({ event }) => event === "permission:decided"));
    expect(decided).toContain("xxx");
    const halves = [token.slice(0, 12), token.slice(-12)];
    expect(halves.filter((half) => half === "" || `${message}${hint}${decided}`.includes(half))).toEqual([]);
    await host.manager.stopAgent("mara");
  });

  test("no heed to a wish to stop is ended", async ({ task }) => {
    claimFault(task, {
      area,
      fault: "an agent that ignores session/cancel, the end of its input and SIGTERM",
      holds: "the prompt ends with AgentFailed after the grace; no process is left",
      rounds: 1,
    });
    const host = await liar("never-answer", { agentCancelMs: 300 });
    const { connection } = await host.manager.startAgent("mara");
    const leaving = new AbortController();
    const prompted = host.manager.prompt("mara", "Go.", { signal: leaving.signal });
    leaving.abort();
    await expect(prompted).rejects.toMatchObject(failed(/did not stop within 300 ms/u));
    // It still runs for a moment, and would take another prompt with it.
    await expect(connection.prompt("Again.")).rejects.toMatchObject(failed(/is being ended/u));
    await checkGone(host, connection.pid);
  });
});

const odd: readonly { readonly name: string; readonly lie: string; readonly text: string }[] = [
  { name: "answers twice, and to nobody", lie: "answer-twice", text: "Once." },
  { name: "speaks for another session", lie: "other-session", text: "Mine." },
  { name: "prints what is not ACP", lie: "garbage", text: "Understood." },
  { name: "wants files and terminals", lie: "files", text: "[-32601,-32601,-32601,-32601]" },
  { name: "gives updates of 2 MB, forty of them", lie: "big-updates", text: "That was all." },
  { name: "floods its standard error", lie: "stderr-flood", text: "Said." },
];

describe("[I9] an agent that", () => {
  test.for(odd)(
    "$name is understood as far as it goes, and no further",
    { timeout: 120_000 },
    async ({ lie, text }, { task }) => {
      claimFault(task, {
        area,
        fault:
          "answers twice or to nobody, updates for other sessions, garbage between the lines, requests for files and terminals, floods",
        holds:
          "the prompt is answered with the agent's own words; nothing outside is read, written or started; it stops when told to",
        rounds: 1,
      });
      const host = await liar(lie);
      const { connection } = await host.manager.startAgent("mara");
      const printed = vi.spyOn(console, "error").mockReturnValue();
      onTestFinished(() => printed.mockRestore());
      const updates: AgentUpdate[] = [];
      const outcome = await host.manager.prompt("mara", "Go.", { onUpdate: (update) => updates.push(update) });
      expect(outcome).toEqual({ stopReason: "end_turn", text });
      expect(JSON.stringify(updates)).not.toContain("Not mine.");
      expect(readFileSync(host.file, "utf8")).toBe("mine");
      expect(
        host.events.filter(({ event, data }) => event === "permission:decided" && data?.["isAllowed"] === true),
      ).toEqual([]);
      await host.manager.stopAgent("mara");
      await checkGone(host, connection.pid);
      // A terminal would take it for what it is, and a log would keep it.
      expect(JSON.stringify(printed.mock.calls)).not.toContain("nobody");
    },
  );
});
