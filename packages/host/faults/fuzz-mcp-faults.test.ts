import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chance, type FuzzRounds, fuzz, fuzzSeed, roundsOf, spoilBytes, spoilJson } from "@galley/engine/testing";
import { expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../scripts/launcher.ts";
import { claimFault } from "./claim-fault.ts";

const hello = {
  jsonrpc: "2.0",
  id: "hello",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } },
};
const call = (name: string, args: object): object => ({
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name, arguments: args },
});
const messages: readonly object[] = [
  hello,
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7, reason: "no" } },
  { jsonrpc: "2.0", id: 7, method: "tools/list", params: { cursor: "x" } },
  { jsonrpc: "2.0", id: 7, result: { tools: [] } },
  call("actant_canvas_update", { html: "<p>Hi</p>", title: "T" }),
  call("actant_canvas_clear", {}),
  call("chat_context_list", { limit: 5 }),
  call("chat_context_new", { title: "tea" }),
  call("chat_context_load", { query: "tea", mode: "full" }),
];

/** One line; a message in it is spoilt in what it says, or in its bytes. */
function oddLine(chance: Chance): Uint8Array {
  const message = chance.pick(messages);
  const text = chance.oneIn(10) ? JSON.stringify(message) : spoilJson(message, chance);
  const bytes = chance.oneIn(6) ? spoilBytes(Buffer.from(text), chance) : Buffer.from(text);
  return Buffer.concat([bytes, Buffer.from("\n")]);
}

interface Answer {
  readonly id?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
}

interface McpProcess {
  send(bytes: Uint8Array | string): Promise<void>;
  /** Waits for the answer to this request. */
  answer(id: string): Promise<Answer>;
  readonly faults: readonly string[];
  readonly errors: () => string;
  end(): Promise<number | null>;
}

/** `galley mcp` as a program starts it; what it prints must be the protocol and nothing else. */
function mcpProcess(): McpProcess {
  const folder = mkdtempSync(join(tmpdir(), "galley-fuzz-mcp-"));
  const child = spawn(process.execPath, [launcher, "mcp", "--data", join(folder, "data")], { cwd: folder });
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const faults: string[] = [];
  const waiting = new Map<unknown, (answer: Answer) => void>();
  let errors = "";
  child.stderr.on("data", (text) => (errors += String(text)));
  child.on("exit", () => waiting.forEach((answer) => answer({ error: { message: `It has ended. ${errors}` } })));
  // Only at line feeds: an id may hold what other readers take for the end of a line.
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(take);
  });
  const take = (line: string): void => {
    try {
      const answer = JSON.parse(line) as Answer;
      // The SDK has this code for greetings that its own schema does not take: what it says is a list.
      const isOurs = !String(answer.error?.message).startsWith("[\n");
      if (answer.error?.code === -32_603 && isOurs) faults.push(line);
      waiting.get(answer.id)?.(answer);
    } catch {
      faults.push(`no JSON: ${line.slice(0, 500)}`);
    }
  };
  return {
    async send(bytes) {
      if (!child.stdin.write(bytes)) await once(child.stdin, "drain");
    },
    answer: (id) => new Promise((resolve) => waiting.set(id, resolve)),
    faults,
    errors: () => errors,
    async end() {
      child.stdin.end();
      if (child.exitCode === null) await once(child, "exit");
      return child.exitCode;
    },
  };
}

const rounds: FuzzRounds = { few: 300, many: 10_000 };

test(
  `[I10] whatever stands in the lines that galley mcp reads, it answers the next request (seed ${fuzzSeed})`,
  { timeout: 1_800_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "malformed messages to galley mcp over standard input",
      holds: "every line it prints is the protocol's, no internal error, the next request is answered, it ends with 0",
      rounds: roundsOf(rounds),
      seed: fuzzSeed,
    });
    const mcp = mcpProcess();
    const greeted = mcp.answer("hello");
    await mcp.send(`${JSON.stringify(hello)}\n`);
    expect(await greeted).toMatchObject({ result: {} });
    await fuzz("mcp", rounds, async (chance, round) => {
      await mcp.send(oddLine(chance));
      if (round % 20 !== 19) return;
      const id = `ping ${round}`;
      const pong = mcp.answer(id);
      await mcp.send(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`);
      expect(await pong).toEqual({ jsonrpc: "2.0", id, result: {} });
      expect(mcp.faults).toEqual([]);
    });
    expect(await mcp.end()).toBe(0);
    expect(mcp.errors()).not.toMatch(/\n\s+at .*:\d+:\d+/);
  },
);
