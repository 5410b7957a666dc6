import { expect, test } from "vitest";
import { addProfile } from "../../galley/testing/temp-galley.ts";
import { startLlmServer, toolCallingModel } from "../../models/testing/llm-server.ts";
import { smallAgent } from "../testing/temp-agent-host.ts";
import { type TestDaemon, send, testDaemon } from "../testing/temp-daemon.ts";
import type { Galley } from "../../galley/galley.ts";
import { runTool, valueOf } from "../../tools/run-tool.ts";
import { placeHandover } from "../../turn/tools/place-handover.ts";
import { slowModel } from "../../models/testing/slow-model.ts";

const params = { name: "mara" };
const taskFor = (profile: string, instruction: string) => ({
  target_strategy: "new",
  target_ref: profile,
  instruction,
});

interface AgentCall {
  readonly agent?: string;
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onStarted?: (taskId: string) => void;
}

/** What an agent that comes over MCP gets from a tool of handover. */
async function callAs(galley: Galley, name: string, input: unknown, call: AgentCall = {}): Promise<unknown> {
  const { agent = "mara", patienceMs = 1000, signal = new AbortController().signal, onStarted = () => {} } = call;
  const handover = { ...galley.handover, watch: (ids: readonly string[]) => ids.forEach((id) => onStarted(id)) };
  const limits = { ...galley.limits, agentWaitMs: patienceMs };
  const services = { ...galley, limits, now: Date.now, handover, prompts: new Map() };
  const tools = await placeHandover(services, { kind: "agent", name: agent });
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const place = { kind: "agent", name: agent } as const;
  const outcome = await runTool(tool, input, { caller: `agent:${agent}`, place, callId: "1", signal });
  return outcome.kind === "result" ? valueOf(outcome.content) : outcome;
}

async function rpc({ url, token }: TestDaemon, method: string, args: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: args });
  return JSON.parse((await send(`${url}/rpc`, { method: "POST", headers, body })).text) as Record<string, unknown>;
}

test("[I10, H4] a program with the daemon's token delegates, forks and asks over JSON-RPC", async () => {
  const own = await testDaemon();
  await addProfile(own.daemon.galley, "writer", "You write.");
  const asked = await rpc(own, "handover.ask_expert", { profile_name: "writer", question: "How long is a poem?" });
  expect(asked["result"]).toMatchObject({ status: "succeeded", answer: expect.stringContaining("poem") as string });
  const forked = await rpc(own, "handover.fork_join", { tasks: [taskFor("writer", "one"), taskFor("writer", "two")] });
  expect(forked["result"]).toMatchObject({ status: "success", results: [{ task_index: 0 }, { task_index: 1 }] });
  const refused = await rpc(own, "handover.delegate_async", taskFor("nobody", "x"));
  expect(refused).toMatchObject({ error: { data: { code: "NotFound" } } });
});

test("[I10] an agent hands work over with the tools of its session, once there is somebody to give it to", async () => {
  const own = await daemonWithAgent("delegate_async", taskFor("writer", "Write a title."));
  const { galley } = own.daemon;
  const toolNames = async (): Promise<readonly string[]> =>
    (await own.call("agents.get", { params })).tools.map(({ name }) => name);
  expect(await toolNames()).not.toContain("delegate_async");
  await addProfile(galley, "writer", "You write.");
  expect(await toolNames()).toContain("delegate_async");
  await prompt(own);
  const [task] = await galley.store.tasks.list(galley.project);
  expect(task?.details).toMatchObject({ startedBy: "agent:mara" });
  await expect.poll(async () => (await galley.store.tasks.list(galley.project))[0]?.status).toBe("succeeded");
});

test("[H6] what a person has packed is closed to an agent", async () => {
  const own = await daemonWithAgent("delegate_async", {
    ...taskFor("writer", "Read it."),
    context_box_id: "box-writer",
  });
  const { galley } = own.daemon;
  await addProfile(galley, "writer", "You write.");
  await prompt(own);
  expect(await galley.store.tasks.list(galley.project)).toEqual([]);
});

test("[H6] an agent that is called like the owner's own programs is an agent all the same", async () => {
  const own = await testDaemon();
  const { galley } = own.daemon;
  await addProfile(galley, "writer", "You write.");
  const input = { ...taskFor("writer", "Read it."), context_box_id: "box-writer" };
  const asLocal = callAs(galley, "delegate_async", input, { agent: "local" });
  await expect(asLocal).rejects.toMatchObject({ code: "NotFound" });
  expect(await galley.store.tasks.list(galley.project)).toEqual([]);
  // A tool is a model's also with the daemon's own token; the person has the API, and may use every box.
  expect(await rpc(own, "handover.delegate_async", input)).toMatchObject({ error: { data: { code: "NotFound" } } });
  const body = { profile: "writer", instruction: "Read it.", boxes: ["box-writer"] };
  expect(await own.call("tasks.start", { body })).toHaveProperty("taskId");
});

test.each([
  { name: "ask_expert", input: { profile_name: "writer", question: "How long is a poem?" } },
  { name: "fork_join", input: { tasks: [taskFor("writer", "one"), taskFor("writer", "two")] } },
])("[I10] $name answers before its caller gives up, and the work goes on once", async ({ name, input }) => {
  const model = await slowModel();
  const own = await testDaemon({ galley: { config: model.config } });
  const { galley } = own.daemon;
  await addProfile(galley, "writer", "You write.");
  const list = () => galley.store.tasks.list(galley.project);
  const told: string[] = [];
  const call = (patienceMs: number, signal?: AbortSignal) =>
    callAs(galley, name, input, { patienceMs, signal, onStarted: (taskId) => void told.push(taskId) });
  const waited = await call(100);
  const tasks = await list();
  expect(waited).toMatchObject({ status: "running", note: expect.stringContaining("await_result") as string });
  const known = JSON.stringify(waited);
  expect(tasks.map(({ id }) => known.includes(id))).toEqual(tasks.map(() => true));
  expect(told.toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
  // A caller that has gone is waited for no longer either.
  const leaving = new AbortController();
  const left = call(600_000, leaving.signal);
  await expect.poll(async () => (await list()).length).toBe(2 * tasks.length);
  leaving.abort();
  expect(await left).toMatchObject({ status: "running" });
  model.release();
  await expect
    .poll(async () => (await list()).map(({ status }) => status))
    .toEqual(Array.from({ length: 2 * tasks.length }, () => "succeeded"));
});

const answered = { status: "succeeded", answer: expect.any(String) as string };
const joined = { status: "success", results: [{ task_index: 0 }, { task_index: 1 }] };

test.each([
  { name: "ask_expert", input: { profile_name: "writer", question: "How long is a poem?" }, end: answered },
  { name: "delegate_async", input: taskFor("writer", "How long is a poem?"), end: answered },
  { name: "fork_join", input: { tasks: [taskFor("writer", "one"), taskFor("writer", "two")] }, end: joined },
])("[I10, H6] what $name has started is waited for by its starter, and starts nothing", async (given) => {
  const model = await slowModel();
  const own = await testDaemon({ galley: { config: model.config } });
  const { galley } = own.daemon;
  await addProfile(galley, "writer", "You write.");
  const told: string[] = [];
  const call = async (name: string, input: unknown, agent: string, patienceMs: number) => {
    const onStarted = (taskId: string) => void told.push(taskId);
    return (await callAs(galley, name, input, { agent, patienceMs, onStarted })) as Record<string, unknown>;
  };
  const started = await call(given.name, given.input, "mara", 100);
  const { task_id: taskId, batch_id: batchId } = started;
  const asked = batchId === undefined ? { task_id: taskId } : { batch_id: batchId };
  const before = told.length;
  const early = await call("await_result", asked, "mara", 100);
  expect(early).toMatchObject({ ...asked, status: "running", note: expect.stringContaining("await_result") as string });
  await expect(call("await_result", asked, "nils", 100)).rejects.toMatchObject({ code: "NotFound" });
  model.release();
  const late = await call("await_result", asked, "mara", 60_000);
  expect(late).toMatchObject(given.end);
  expect(told.length).toBe(before);
  expect(await rpc(own, "handover.await_result", asked)).toMatchObject({ error: { data: { code: "NotFound" } } });
});

test.each([
  { args: { task_id: "t-nowhere" }, code: "NotFound", path: "args.task_id" },
  { args: { batch_id: "b-nowhere" }, code: "NotFound", path: "args.batch_id" },
  { args: {}, code: "ToolInputInvalid" },
  { args: { task_id: "t", batch_id: "b" }, code: "ToolInputInvalid" },
])("[I10] await_result refuses $args", async ({ args, ...error }) => {
  const own = await testDaemon();
  await addProfile(own.daemon.galley, "writer", "You write.");
  expect(await rpc(own, "handover.await_result", args)).toMatchObject({ error: { data: error } });
});

/** A daemon with an agent whose model calls this tool, then says something. */
async function daemonWithAgent(tool: string, input: Record<string, unknown>): Promise<TestDaemon> {
  const llm = await startLlmServer(toolCallingModel(tool, input));
  const agent = smallAgent("", { env: { SMALL_AGENT_LLM: llm.url }, permissions: { allow: ["*"] } });
  return testDaemon({ galley: { config: { agents: [agent] } } });
}

async function prompt(own: TestDaemon): Promise<void> {
  await own.call("agents.start", { params });
  const events = await own.events("agents.prompt", { params, body: { text: "Begin." } });
  expect(events.at(-1)?.data).toMatchObject({ type: "done", stopReason: "end_turn" });
}
