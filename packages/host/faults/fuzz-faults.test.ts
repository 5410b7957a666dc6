import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { addProfiles } from "../src/daemon/testing/add-profiles.ts";
import { type DaemonProcess, daemonProcess, send, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { apiRequests } from "./fuzz-api.ts";
import { mcpRequests, rpcRequests } from "./fuzz-calls.ts";
import type { FuzzRequest, FuzzSources, OpenApi, Tool } from "./fuzz-requests.ts";
import { pathForLog } from "../src/daemon/http/daemon-log.ts";
import { type FuzzAnswer, sendBytes } from "./fuzz-send.ts";

const count = isThorough ? 10_000 : 150;
// The same requests each time, unless one asks for others: a change is judged by what it does, not by lot.
const seed = Number(process.env["GALLEY_FUZZ_SEED"] ?? (isThorough ? Math.floor(Math.random() * 2 ** 31) : 1));
const atOnce = 8;
const limits = { beginMs: 30_000, silenceMs: 150 };

const planted = { OPENAI_API_KEY: "sk-planted-0a1b2c3d4e5f", ANTHROPIC_API_KEY: "planted/key+with=signs 77" };

/** A daemon with keys, some data, and everything that requests are made of. */
async function fuzzedDaemon(): Promise<{ daemon: DaemonProcess; sources: FuzzSources; secrets: readonly string[] }> {
  const folder = testFolder();
  writeFileSync(join(folder, "galley.config.json"), JSON.stringify({ agents: [{ name: "mara", command: "true" }] }));
  const data = join(testFolder(), "data");
  await addProfiles(data, ["demo"]);
  const daemon = await daemonProcess({ data, args: ["--config", folder], env: planted });
  const { token, url } = daemon;
  const headers = { authorization: `Bearer ${token}` };
  const messages = [
    { role: "user", content: "Where is the tea?" },
    { role: "assistant", content: "In the pantry." },
  ] as const;
  const { ids } = await daemon.call("chats.add", { params: { key: "demo" }, body: { messages: [...messages] } });
  const { archived } = await daemon.call("chats.new", { params: { key: "demo" }, body: {} });
  await daemon.events("runs.start", { body: { chat: "demo", input: "hello", runId: "first" } });
  const task = await daemon.call("tasks.start", { body: { profile: "demo", instruction: "Say a word." } });
  const turn = await daemon.call("turns.build", { body: { chat: "demo", input: "hello" } });
  const preset = { v: 1, mode: "simple", systemPrompt: "Be brief." };
  await daemon.answer("presets.save", { params: { id: "brief" }, body: { preset, expectedVersion: 0 } });
  const openapi = JSON.parse((await daemon.get("/openapi.json")).text) as OpenApi;
  const { tools } = JSON.parse((await daemon.get("/tools")).text) as { readonly tools: readonly Tool[] };
  const { link } = JSON.parse((await send(`${url}/control/link`, { method: "POST", headers })).text) as {
    link: string;
  };
  const { headers: entered } = await send(link);
  const cookie = /=([^;]+)/.exec(entered["set-cookie"]?.[0] ?? "")?.[1] ?? "";
  // A client may name a secret by mistake, wherever a name is asked for.
  const secrets = [...Object.values(planted), token];
  const names = {
    key: ["demo", "tea", "demo ", ...secrets],
    chat: ["demo", "tea", ...secrets],
    session: ["plain", "chat:demo", ...secrets],
    agent: ["mara", "nobody"],
    id: ["first", "brief", "chat:demo", "plain", task.taskId, task.contextBoxId, turn.id, ...ids, ...secrets],
    contextId: [archived?.contextId ?? "", ...secrets],
    confirm: ["demo ", archived?.contextId ?? ""],
    runId: ["first", "again", ...secrets],
    messageId: [...ids, ...secrets],
    model: ["demo", "openai/gpt-5", "nobody/x", ...secrets],
    name: ["mara", "nobody", ...secrets],
    preset: ["brief", "none"],
    input: ["hello", "new topic: tea", "list contexts", "say 20 words", ...secrets],
    profile: ["demo", "writer"],
    query: ["tea", ...secrets],
    q: ["tea", ...secrets],
  };
  return {
    daemon,
    sources: { openapi, tools, names, tokens: [token, "x".repeat(64), cookie] },
    secrets: [...secrets, cookie],
  };
}

interface Finding {
  readonly request: string;
  readonly what: string;
}

/** What is wrong with an answer, if something is. */
function judge({ status, text }: FuzzAnswer, secrets: readonly string[]): string | undefined {
  const leaked = secrets.find((secret) => text.includes(secret) || pathForLog(text).includes(secret));
  if (leaked !== undefined) return `the answer holds ${leaked}: ${text.slice(-1000)}`;
  if (status >= 500) return `status ${status}: ${text.slice(-500)}`;
  // Inside of JSON-RPC and MCP an error of ours has this code. The MCP SDK has it too for greetings that its own schema
  // does not take: what it says then is a list of what is wrong.
  if (/"code":-32603,"message":"(?!\[\\n)/.test(text)) return `an internal error: ${text.slice(-500)}`;
  if (text.includes('"code":"Unexpected"') || text.includes('"The tool failed."'))
    return `an unexpected error: ${text.slice(-500)}`;
  return undefined;
}

const shown = ({ method, target, headers, body }: FuzzRequest): string =>
  `${method} ${target.slice(0, 500)} ${JSON.stringify(headers).slice(0, 500)} ${body.toString("utf8").slice(0, 1500)}`;

async function fuzz(
  daemon: DaemonProcess,
  requests: readonly FuzzRequest[],
  secrets: readonly string[],
): Promise<Finding[]> {
  const port = Number(new URL(daemon.url).port);
  const findings: Finding[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let request = requests[next++]; request && findings.length < 10; request = requests[next++]) {
      try {
        const answer = await sendBytes(port, request, limits);
        const what = judge(answer, secrets);
        if (what !== undefined) findings.push({ request: shown(request), what });
      } catch (error) {
        findings.push({ request: shown(request), what: String(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return findings;
}

const faces = [apiRequests, rpcRequests, mcpRequests];

test(
  `[P6] ${count} malformed requests at each of /api, /rpc and /mcp: no 5xx, no crash, no secret (seed ${seed})`,
  { timeout: isThorough ? 3_600_000 : 300_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "malformed input",
      fault: "malformed requests at /api, /rpc and /mcp",
      holds: "no 5xx, no crash, no secret in an answer or a log, no run that goes on for ever",
      rounds: count * faces.length,
      seed: seed,
    });
    const { daemon, sources, secrets } = await fuzzedDaemon();
    for (const make of faces) {
      const requests = make(sources);
      // In pieces: some of the bodies are large.
      for (let done = 0; done < count; done += 500) {
        const next = fc.sample(requests, { numRuns: Math.min(500, count - done), seed: seed + done });
        expect(await fuzz(daemon, next, secrets)).toEqual([]);
      }
    }
    // It is still there, and nothing that a request began goes on for ever.
    expect((await daemon.call("info.get")).pid).toBe(daemon.child.pid);
    await expect.poll(async () => (await daemon.call("runs.list", { query: { status: "running" } })).runs).toEqual([]);
    expect(await daemon.end("SIGTERM")).toBe(0);
    const logs = readdirSync(daemon.data).filter((name) => name.startsWith("daemon.log"));
    const log = logs.map((name) => readFileSync(join(daemon.data, name), "utf8")).join("") + daemon.printed();
    for (const secret of secrets) for (const text of [log, pathForLog(log)]) expect(text).not.toContain(secret);
    expect(log.split("\n").filter((line) => line.includes('"event":"error"'))).toEqual([]);
  },
);
