import { readFileSync } from "node:fs";
import type { SessionEntry } from "@galley/engine";
import { expect, test } from "vitest";
import type { Galley } from "../../galley/galley.ts";
import { galleyIn } from "../../galley/testing/temp-galley.ts";
import { defineTool } from "../../tools/define-tool.ts";

const bell = defineTool({
  name: "bell",
  description: "Rings.",
  inputSchema: { type: "object" },
  execute: () => ({ rang: true }),
});
const provider = { name: "house", getSystemContext: () => "You are **ann**." };
const options = {
  config: { agents: [{ name: "ann", command: "none" }], providers: [provider] },
  tools: [bell],
};

const ask = async (galley: Galley, input: string): Promise<string> =>
  (await galley.run({ agent: "ann", model: "demo", input }).result).text;

const contextOf = async (galley: Galley): Promise<string> => {
  const turn = await galley.turn({ agent: "ann", input: "What do you know?" });
  await turn.abort();
  return JSON.stringify(turn.messages);
};

test("[A6] a run of an agent has a chat with contexts: new puts away, load brings back, the transcript has both", async () => {
  const galley = await galleyIn(undefined, options);
  await ask(galley, "My boat is called Seagull.");
  expect(await contextOf(galley)).toContain("Seagull");
  await ask(galley, 'call chat_context_new {"title":"Boat"}');
  expect(await contextOf(galley)).not.toContain("Seagull");
  await ask(galley, 'call chat_context_load {"query":"boat"}');
  expect(await contextOf(galley)).toContain("Seagull");
  const chat = await galley.chats.open("agent:ann");
  const said = JSON.stringify(chat.transcript().messages);
  for (const text of ["Seagull", "chat_context_new", "chat_context_load"]) expect(said).toContain(text);
  expect(await galley.store.sessions.read({ projectId: galley.project, sessionId: "agent:ann" })).toEqual([]);
});

test("[A6] the built-in preset does not add an assistant of its own behind an agent's text", async () => {
  const galley = await galleyIn(undefined, options);
  const first = (messages: readonly { readonly content: unknown }[]): string => JSON.stringify(messages.slice(0, -1));
  const turn = await galley.turn({ agent: "ann", input: "hello" });
  expect(first(turn.messages)).toContain("You are **ann**.");
  expect(first(turn.messages)).not.toContain("helpful assistant");
  const asked = await galley.turn({ agent: "ann", input: "hello", preset: "default" });
  expect(first(asked.messages)).toContain("helpful assistant");
  const presetMessages = [{ id: "a", role: "system" as const, content: "As I say." }];
  await galley.presets.save("default", {
    preset: { version: 1, name: "Mine", presetMessages },
    expectedVersion: 0,
  });
  expect(first((await galley.turn({ agent: "ann", input: "hello" })).messages)).toContain("As I say.");
});

test("[A6] the plain session that an agent had becomes the first archive of its chat, steps included, once", async () => {
  const galley = await galleyIn(undefined, options);
  const frozen = readFileSync(new URL("../fixtures/agent-session.json", import.meta.url), "utf8");
  const session = { projectId: galley.project, sessionId: "agent:ann" };
  await galley.store.sessions.append(session, JSON.parse(frozen) as readonly SessionEntry[]);
  expect(await contextOf(galley)).not.toContain("Seagull");
  const chat = await galley.chats.open("agent:ann");
  const { contexts } = await chat.listContexts();
  expect(contexts).toMatchObject([{ title: "My boat is called Seagull.", messageCount: 6 }]);
  const archive = chat.readContext(contexts[0]!.contextId);
  expect(archive.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
  expect(archive.kept).toMatchObject([{ at: 3, line: { type: "steps", count: 2 } }]);
  expect(await galley.store.sessions.read(session)).toEqual([]);
  await chat.loadContext({ query: "boat" });
  expect(await contextOf(galley)).toContain("Seagull");
});

test("[A6, A8, A9] settings of an agent hold for its chat, no matter who switches", async () => {
  const config = {
    ...options.config,
    agents: [{ ...options.config.agents[0]!, context: { language: "zh" as const } }],
  };
  const galley = await galleyIn(undefined, { ...options, config });
  await ask(galley, "My boat is called Seagull.");
  const chat = await galley.chats.open("agent:ann");
  const { contextId } = (await chat.newContext()).archived!;
  expect((await chat.loadContext({ contextId })).loaded?.language).toBe("zh");
});
