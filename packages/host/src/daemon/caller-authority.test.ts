import { Client, InMemoryTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { eventsOf } from "../galley/testing/temp-galley.ts";
import { type LlmServer, startLlmServer } from "../models/testing/llm-server.ts";
import { type ToolCaller, echoTool, smallAgent } from "./testing/temp-agent-host.ts";
import { type TestDaemon, send, testDaemon } from "./testing/temp-daemon.ts";
import { mcpServer } from "./mcp/mcp-server.ts";
import { localSession } from "./tools/tool-session.ts";

interface Started {
  readonly task_id: string;
  readonly agent_id: string;
  readonly output_box_id: string;
}

/** Calls a tool as one caller, and gives what the tool gave or the code of its error. */
type Call = (tool: string, input: object) => Promise<Record<string, unknown>>;

const secret = "My secret is 4711.";
const task = (more: object = {}): object => ({
  target_strategy: "new",
  target_ref: "writer",
  instruction: "Keep it.",
  ...more,
});

/** A daemon whose model calls the tool that it is told to call, and otherwise says its secret. */
async function scene(): Promise<{ readonly own: TestDaemon; readonly llm: LlmServer }> {
  const served = new Set<string>();
  const llm = await startLlmServer(({ userTexts }) => {
    const told = userTexts.at(-1) ?? "";
    if (!told.startsWith("{") || served.has(told)) return { text: secret };
    served.add(told);
    const { tool, input } = JSON.parse(told) as { readonly tool: string; readonly input: Record<string, unknown> };
    return { tool: { name: tool }, input };
  });
  onTestFinished(() => llm.close());
  const provider = { name: "local", type: "openai-compatible" as const, baseUrl: `${llm.url}/v1`, apiKey: "sk-0123" };
  const models = {
    default: "local/tiny-1",
    providers: [{ ...provider, models: [{ id: "tiny-1", window: 20_000, output: 500 }] }],
  };
  const own = await testDaemon({ galley: { config: { models, agents: [smallAgent()] } } });
  await own.daemon.galley.handover.saveProfile("writer", "You write.");
  return { own, llm };
}

let count = 0;

function chat(
  { daemon: { galley } }: TestDaemon,
  place: { readonly chat: string } | { readonly session: string },
): Call {
  return async (tool, input) => {
    const run = galley.run({ ...place, input: JSON.stringify({ tool, input, number: (count += 1) }) });
    const result = (await eventsOf(run)).find(({ type }) => type === "tool:result");
    return (result?.type === "tool:result" ? result.output : {}) as Record<string, unknown>;
  };
}

async function mcp({ url }: TestDaemon, token: string, name: string, mode: "legacy" | "auto"): Promise<Call> {
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }));
  onTestFinished(() => client.close());
  return async (tool, input) => {
    const { structuredContent } = await client.callTool({ name: tool, arguments: { ...input } });
    const given = structuredContent as { readonly error?: Record<string, unknown> };
    return given.error ?? given;
  };
}

function rpc({ url }: TestDaemon, token: string): Call {
  return async (tool, params) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: `handover.${tool}`, params });
    const { result, error } = JSON.parse((await send(`${url}/rpc`, { method: "POST", headers, body })).text) as {
      readonly result?: Record<string, unknown>;
      readonly error?: { readonly data: Record<string, unknown> };
    };
    return result ?? error?.data ?? {};
  };
}

async function agentToken(own: TestDaemon): Promise<string> {
  await own.call("agents.start", { params: { name: "mara" } });
  const secrets = Object.entries(own.daemon.galley.redactor.secrets());
  return secrets.find(([key]) => key.startsWith("token:mara"))?.[1] ?? "";
}

/** Everybody who can call tools, by the name under which what they start is kept. */
async function callers(own: TestDaemon): Promise<Readonly<Record<string, Call>>> {
  const token = await agentToken(own);
  return {
    "chat:one": chat(own, { chat: "one" }),
    "chat:two": chat(own, { chat: "two" }),
    "session:log": chat(own, { session: "log" }),
    "mcp:old client": await mcp(own, own.token, "old client", "legacy"),
    "mcp:new": await mcp(own, own.token, "new", "auto"),
    "mcp:rpc": rpc(own, own.token),
    "agent:mara": await mcp(own, token, "mara's client", "auto"),
  };
}

test("[A4] a caller reads, clones and uses again what it started, and nothing of any other caller", async () => {
  const { own, llm } = await scene();
  const { galley } = own.daemon;
  const all = await callers(own);
  const started = new Map<string, Started>();
  for (const [name, call] of Object.entries(all)) {
    const given = (await call("delegate_async", task())) as unknown as Started;
    started.set(name, given);
    const { status, details } = await galley.handover.waitFor(given.task_id);
    expect([name, status, details["startedBy"]]).toEqual([name, "succeeded", name]);
  }
  const asked = llm.bodies.length;
  for (const [name, call] of Object.entries(all)) {
    for (const [other, { agent_id, output_box_id, task_id }] of started) {
      if (other === name) continue;
      const attempts = [
        await call("delegate_async", task({ target_strategy: "clone", target_ref: agent_id })),
        await call("delegate_async", task({ target_strategy: "reuse", target_ref: agent_id })),
        await call("delegate_async", task({ context_box_id: output_box_id })),
        await call("delegate_async", task({ agent_refs: [agent_id] })),
        await call("await_result", { task_id }),
      ];
      expect([name, other, ...new Set(attempts.map(({ code }) => code))]).toEqual([name, other, "NotFound"]);
    }
  }
  // Only the chats' own calls reached the model: no secret was sent anywhere.
  expect(llm.bodies.slice(asked).filter((body) => body.includes("You write."))).toEqual([]);
  expect(await galley.store.tasks.list(galley.project)).toHaveLength(started.size);
  for (const [name, call] of Object.entries(all)) {
    const { agent_id, output_box_id } = started.get(name) as Started;
    for (const more of [
      { target_strategy: "clone", target_ref: agent_id },
      { target_strategy: "reuse", target_ref: agent_id },
      { context_box_id: output_box_id, agent_refs: [agent_id] },
    ]) {
      expect([name, await call("delegate_async", task(more))]).toMatchObject([name, { status: "queued" }]);
    }
  }
});

test("[H6] what chats, sessions and programs have started is the person's to see, over REST and as a library", async () => {
  const { own } = await scene();
  for (const [name, call] of Object.entries(await callers(own))) {
    const { task_id, output_box_id } = (await call("delegate_async", task())) as unknown as Started;
    await own.daemon.galley.handover.waitFor(task_id);
    const { tasks } = await own.call("tasks.list", {});
    expect(tasks.find((each) => each.taskId === task_id)).toMatchObject({ startedBy: name });
    const params = { id: task_id };
    expect(await own.call("tasks.get", { params })).toMatchObject({ taskId: task_id, startedBy: name });
    const box = await own.call("boxes.get", { params: { id: output_box_id } });
    expect(box.cards.map(({ text }) => text)).toContain(secret);
    const boxes = [output_box_id];
    expect(await own.call("tasks.start", { body: { profile: "writer", instruction: "Read.", boxes } })).toHaveProperty(
      "taskId",
    );
  }
});

test("[A4] a model is told who gave it its task", async () => {
  const { own, llm } = await scene();
  const told: Record<string, string> = {};
  const words = async (taskId: string): Promise<string> => {
    await own.daemon.galley.handover.waitFor(taskId);
    // A chat that has started a task is itself called once more, maybe after it.
    const words = llm.requests.map(({ system }) => /You work for [^.]*\./.exec(system ?? "")?.[0]);
    return words.findLast((found) => found !== undefined) ?? "";
  };
  for (const [name, call] of Object.entries(await callers(own))) {
    const { task_id } = (await call("delegate_async", task())) as unknown as Started;
    told[name] = await words(task_id);
  }
  const { taskId } = await own.call("tasks.start", { body: { profile: "writer", instruction: "Read." } });
  told["person"] = await words(taskId);
  const handed = "which has handed you this task and gets your result.";
  expect(told).toEqual({
    "chat:one": `You work for the chat one, ${handed}`,
    "chat:two": `You work for the chat two, ${handed}`,
    "session:log": `You work for the session log, ${handed}`,
    "mcp:old client": `You work for the MCP client old client, ${handed}`,
    "mcp:new": `You work for the MCP client new, ${handed}`,
    "mcp:rpc": `You work for the MCP client rpc, ${handed}`,
    "agent:mara": `You work for the agent mara, ${handed}`,
    person: "You work for a person, who has handed you this task and gets your result.",
  });
});

test("[A4] what galley mcp alone serves is called in the name of its client, on the chat that all of them share", async () => {
  const calls: ToolCaller[] = [];
  const session = localSession([echoTool(calls)]);
  for (const name of ["claude-code", "cursor"]) {
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name, version: "1" });
    await Promise.all([mcpServer(session).connect(there), client.connect(here)]);
    await client.callTool({ name: "galley_echo", arguments: { text: "x" } });
    await client.close();
  }
  expect(calls.map(({ id, agent }) => [id, agent])).toEqual([
    ["mcp:claude-code", "local"],
    ["mcp:cursor", "local"],
  ]);
});
