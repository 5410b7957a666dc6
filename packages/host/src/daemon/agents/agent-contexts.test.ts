import { expect, onTestFinished, test } from "vitest";
import type { Galley } from "../../galley/galley.ts";
import { galleyIn } from "../../galley/testing/temp-galley.ts";
import { type LlmServer, obedientModel, startLlmServer } from "../../models/testing/llm-server.ts";
import { recallIn } from "../../turn/testing/handed-over.ts";
import { smallAgent, systemSentence } from "../testing/temp-agent-host.ts";
import { type AgentHost, openGalleyAgents } from "./agent-host.ts";

interface Stage {
  readonly galley: Galley;
  readonly host: AgentHost;
  readonly llm: LlmServer;
  readonly events: string[];
  readonly say: (text: string) => Promise<string>;
  /** What the model was last sent. */
  readonly sent: () => string;
}

async function stageFor(does = "", data?: string): Promise<Stage> {
  const llm = await startLlmServer(obedientModel());
  onTestFinished(() => llm.close());
  const agent = smallAgent(does, { env: { SMALL_AGENT_LLM: llm.url }, permissions: { allow: ["*"] } });
  const rules = { name: "rules", getSystemContext: () => systemSentence };
  const galley = await galleyIn(data, { config: { agents: [agent], providers: [rules] } });
  const host = await openGalleyAgents(galley, { folder: galley.data });
  onTestFinished(() => host.close());
  await galley.handover.saveProfile("writer", "You write.");
  await host.manager.startAgent("mara");
  const events: string[] = [];
  host.eventBus.on("*", ({ event }) => void events.push(event));
  return {
    galley,
    host,
    llm,
    events,
    say: async (text) => (await host.manager.prompt("mara", text)).text,
    sent: () => JSON.stringify(llm.requests.at(-1)),
  };
}

const secret = "The harbour code is 4711.";

test("[A6] what an agent over ACP is asked and answers is written to its chat", async () => {
  const { galley, say } = await stageFor();
  const reply = await say(secret);
  const chat = await galley.chats.open("agent:mara");
  const said = [secret, reply];
  expect(chat.window().messages.map(({ content }) => content)).toEqual(said);
  expect(chat.transcript().messages.map(({ content }) => content)).toEqual(said);
});

test.each([
  { name: "with the session field", does: "" },
  { name: "with the text in the first prompt", does: "no-system-prompt" },
])("[A6] new and load really switch, $name", async ({ does }) => {
  const { galley, host, llm, say, sent, events } = await stageFor(does);
  await say(`${secret} ACT`);
  const before = host.manager.sessionOf("mara");
  const [token, pid] = [before?.context.token ?? "", before?.connection.pid];
  await say('CALL#1 chat_context_new {"title":"Harbour"}');
  expect(llm.requests.at(-1)?.toolResults.at(-1)).toContain("takes effect with the next message");
  // The prompt ends in the session in which it began.
  expect(sent()).toContain("4711");
  expect(host.manager.sessionOf("mara")?.context.token).toBe(token);

  await say("What is the harbour code?");
  expect(sent()).not.toContain("4711");
  expect(sent()).toContain(systemSentence);
  expect(sent()).toContain("CALL#1");
  expect(events).toContain("agent:session-renewed");
  const session = host.manager.sessionOf("mara");
  expect(session?.connection.pid).toBe(pid);
  expect(session?.hasListedTools).toBe(true);
  expect(host.tokenStore.validate(token)).toBeUndefined();
  expect(await say("WHAT WERE YOU TOLD?")).toBe("mode small-2 act; close small-1");

  await say('CALL#2 chat_context_load {"query":"harbour"}');
  expect(sent()).not.toContain("4711");
  await say("And now?");
  const [first] = llm.requests.at(-1)?.userTexts ?? [];
  expect(first).toMatch(
    /^<conversation source="galley">\nWhat was said so far.*\n\nassistant: The following was recalled/,
  );
  expect(first).toContain("4711");
  const chat = await galley.chats.open("agent:mara");
  const said = JSON.stringify(chat.transcript().messages);
  for (const text of [secret, "CALL#1", "What is the harbour code?", "CALL#2", "And now?"])
    expect(said).toContain(text);
  expect((await chat.listContexts()).contexts.map(({ title }) => title)).toContain("Harbour");

  await say("CALL#3 chat_context_clear_active {}");
  await say("What now?");
  expect(sent()).not.toContain("4711");
});

test("[A6] a switch by the person, and a run of Galley in the agent's place, reach its next prompt too", async () => {
  const { galley, say, sent } = await stageFor();
  await say(secret);
  await galley.run({ agent: "mara", model: "demo", input: "The boat is called Seagull." }).result;
  await say("What do you know?");
  expect(sent()).toMatch(/4711.*Seagull/s);
  await (await galley.chats.open("agent:mara")).newContext();
  await say("And now?");
  expect(sent()).not.toMatch(/4711|Seagull/);
});

test("[A6] an agent that is started again begins with what is active, within half of its window", async () => {
  const { galley, host, say, sent } = await stageFor();
  await say(secret);
  await host.manager.stopAgent("mara");
  await host.manager.startAgent("mara");
  await say("Go on.");
  expect(sent()).toContain("4711");
  const chat = await galley.chats.open("agent:mara");
  const long = Array.from({ length: 400 }, (_, index) => `Line ${index}: ${"words and more words, ".repeat(40)}`);
  await chat.append(long.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })));
  await say("And now?");
  const tokens = sent().length / 4;
  expect(tokens).toBeLessThan(40_000);
  expect(tokens).toBeGreaterThan(15_000);
  expect(sent()).toContain("Line 399");
});

test.each(["one-session", "refuse-second"])(
  "[A6] an agent that takes no second session (%s) is started again, and begins with what is active",
  async (does) => {
    const { host, say, sent, events } = await stageFor(does);
    await say(secret);
    const pid = host.manager.sessionOf("mara")?.connection.pid;
    await say("CALL#1 chat_context_new {}");
    await say("What is the harbour code?");
    expect(sent()).not.toContain("4711");
    expect(events).toContain("agent:session-refused");
    expect(host.manager.sessionOf("mara")?.connection.pid).not.toBe(pid);
  },
);

test("[A6] an agent that ignores the new session ends with a clear answer", async () => {
  const { say } = await stageFor("stay");
  await say(secret);
  await say("CALL#1 chat_context_new {}");
  await expect(say("What is the harbour code?")).rejects.toMatchObject({
    code: "AgentFailed",
    message: expect.stringContaining("a session that it was told to leave") as string,
  });
});

test("[A6, W11] a prompt that fails, or is stopped before a word, is in the transcript only, as one without an answer", async () => {
  const { galley, host } = await stageFor("wait-for-cancel");
  const stop = new AbortController();
  const asked = host.manager.prompt("mara", "Wait.", { signal: stop.signal });
  await expect(host.manager.prompt("mara", "Me too.")).rejects.toMatchObject({ code: "AgentBusy" });
  stop.abort();
  expect(await asked).toMatchObject({ stopReason: "cancelled" });
  const chat = await galley.chats.open("agent:mara");
  expect(chat.transcript().messages).toMatchObject([{ content: "Wait.", failed: true }]);
  expect(chat.window().messages).toEqual([]);
});

const taskFor = (instruction: string): string =>
  JSON.stringify({ target_strategy: "new", target_ref: "writer", instruction });

test("[A1] what an agent over ACP has handed over is told in front of its next prompt, and recorded once", async () => {
  const { galley, say, sent } = await stageFor();
  await say(`CALL#1 delegate_async ${taskFor("Write a poem.")}`);
  const [task] = await galley.store.tasks.list(galley.project);
  const taskId = task?.id ?? "";
  const chat = await galley.chats.open("agent:mara");
  const anchor = chat.entries().find(({ type }) => type === "message")?.id;
  expect(task?.origin).toMatchObject({ place: "agent:mara", turnId: expect.any(String) as string, anchor });
  await galley.handover.waitFor(taskId);
  await say("Anything new?");
  expect(sent()).toMatch(/written by another agent, not by the user.*Write a poem.*Anything new\?/s);
  await say("And now?");
  const results = chat.entries().filter(({ type }) => type === "result");
  expect(results).toMatchObject([{ taskId }]);
  expect((await galley.store.tasks.read(galley.project, [taskId]))[0]?.returnedAt).not.toBeNull();
});

test("[A1b] an agent over ACP that was switched meanwhile gets one line, with the topic's title", async () => {
  const { galley, say, sent } = await stageFor();
  await say(`CALL#1 delegate_async ${taskFor("Write a poem.")}`);
  const [task] = await galley.store.tasks.list(galley.project);
  await galley.handover.waitFor(task?.id ?? "");
  await (await galley.chats.open("agent:mara")).newContext({ title: "Poems" });
  await say("What now?");
  expect(sent()).toContain(
    'It belongs to the topic \\"Poems\\", which is put away; context_recall reads all of it by the handle ',
  );
  expect(sent()).not.toContain("[demo]");
  const { text } = await recallIn(galley, "agent", "mara", { handle: `${task?.id}§1` });
  expect(text).toContain("another agent:\n[demo]");
});

test("[A3] an expert that an agent over ACP asks is shown what was said, with the prompt that is under way", async () => {
  const { galley, say } = await stageFor();
  await say(secret);
  const question = JSON.stringify({ profile_name: "writer", question: "What is it?", include_history: true });
  await say(`Ask now. CALL#1 ask_expert ${question}`);
  const [task] = await galley.store.tasks.list(galley.project);
  const build = await galley.store.builds.read({ projectId: galley.project, sessionId: `task:${task?.id}` }, 1);
  const read = JSON.stringify(build?.messages);
  expect(read).toMatch(/was said in agent:mara before you were asked: 3 messages.*4711.*Ask now\..*What is it\?/s);
});
