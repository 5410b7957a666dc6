import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { messageId } from "../chat/lines/chat-line.ts";
import { galleyIn, textsOf } from "./testing/temp-galley.ts";
import { defineTool } from "../tools/define-tool.ts";

test("[W11] a turn gives what any SDK can send, and keeps what was said when it is committed", async () => {
  const galley = await galleyIn();
  const turn = await galley.turn({ chat: "demo", model: "claude-sonnet-4-5", input: "Where were we?" });
  expect(turn.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  expect(turn.tools.map(({ name }) => name)).toContain("chat_context_new");
  expect(turn.ledger.filter(({ fate }) => fate === "kept")).toHaveLength(2);
  expect([turn.session, turn.n]).toEqual(["chat:demo", 1]);
  expect(await textsOf(galley, "demo")).toEqual([]);
  await turn.commit({ assistant: "At the beginning." });
  expect(await textsOf(galley, "demo")).toEqual(["Where were we?", "At the beginning."]);
  const next = await galley.turn({ chat: "demo", input: "And now?" });
  expect(next.messages.map(({ content }) => content).slice(1)).toEqual([
    "Where were we?",
    "At the beginning.",
    "And now?",
  ]);
  expect(next.n).toBe(2);
});

test("[W11] an aborted turn leaves the user's message in the transcript only", async () => {
  const galley = await galleyIn();
  const turn = await galley.turn({ chat: "demo", input: "Never mind." });
  await turn.abort();
  expect([await textsOf(galley, "demo"), await textsOf(galley, "demo", "transcript")]).toEqual([[], ["Never mind."]]);
});

test.each(["chat", "session"] as const)("[W11] a turn of a %s ends once", async (kind) => {
  const galley = await galleyIn();
  const turn = await galley.turn({ [kind]: "a", input: "hello" });
  await turn.commit({ assistant: "hi" });
  await expect(turn.commit({ assistant: "hi again" })).rejects.toMatchObject({ code: "EditNotAllowed" });
  await expect(turn.abort()).rejects.toMatchObject({ code: "EditNotAllowed" });
});

test("[W12] a chat without a working context is given the end of its transcript, labelled", async () => {
  const galley = await galleyIn();
  const chat = await galley.chats.open("old");
  await chat.append([{ role: "user", content: "from before" }], "transcript");
  const { messages } = await galley.turn({ chat: "old", input: "hello" });
  expect(messages.map(({ role }) => role)).toEqual(["system", "assistant", "user"]);
  expect(messages[1]?.content).toContain("reference only");
  expect(messages[1]?.content).toContain("user: from before");
});

test("[T6] an aborted turn of a session leaves nothing in it", async () => {
  const galley = await galleyIn();
  await (await galley.turn({ session: "s", input: "one" })).commit({ assistant: "1" });
  await (await galley.turn({ session: "s", input: "two" })).abort();
  const { messages } = await galley.turn({ session: "s", input: "three" });
  expect(messages.map(({ content }) => content).slice(1)).toEqual(["one", "1", "three"]);
  const log = await galley.store.sessions.read({ projectId: "default", sessionId: "s" });
  expect(JSON.stringify(log)).not.toContain('"two"');
});

test("[F8] steps that a caller has served stay in a session, and a chat keeps what was said", async () => {
  const galley = await galleyIn();
  const call = { type: "tool-call" as const, toolCallId: "c1", toolName: "look", input: {} };
  const output = { type: "text" as const, value: "a cat" };
  const steps = [
    { role: "assistant" as const, content: [call] },
    { role: "tool" as const, content: [{ type: "tool-result" as const, toolCallId: "c1", toolName: "look", output }] },
  ];
  for (const place of [{ session: "s" }, { chat: "c" }]) {
    await (await galley.turn({ ...place, input: "look" })).commit({ assistant: "It is a cat.", steps });
  }
  const { messages } = await galley.turn({ session: "s", input: "sure?" });
  expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
  expect(await textsOf(galley, "c")).toEqual(["look", "It is a cat."]);
});

test.each([
  [{}, "BadRequest"],
  [{ chat: "a", session: "b" }, "BadRequest"],
  [{ session: "chat:a" }, "InvalidId"],
  [{ session: "" }, "InvalidId"],
  [{ chat: "" }, "ChatKeyInvalid"],
  [{ agent: "nobody" }, "NotFound"],
])("a turn in no place, in two, or in one that cannot be (%j) is a clear error", async (place, code) => {
  const galley = await galleyIn();
  await expect(galley.turn({ ...place, input: "hello" })).rejects.toMatchObject({ code });
  const run = galley.run({ ...place, input: "hello" });
  await expect(run.result).rejects.toMatchObject({ code });
});

test.each([
  "",
  "   ",
  { role: "assistant", content: "x" } as never,
  { role: "user", content: [{ type: "nothing" }] } as never,
])("input that is not a message of the user (%j) is refused before anything is kept", async (input) => {
  const galley = await galleyIn();
  await expect(galley.turn({ chat: "a", input })).rejects.toMatchObject({ code: "ContextInvalidInput", path: "input" });
  await expect(galley.run({ chat: "a", input }).result).rejects.toMatchObject({ code: "ContextInvalidInput" });
  expect((await galley.chats.list()).chats).toEqual([]);
  expect(await galley.store.runs.list("default")).toEqual([]);
});

test("a chat's own model and preset are used until a turn names others", async () => {
  const galley = await galleyIn();
  const preset = { presetMessages: [{ id: "a", role: "system" as const, content: "Speak like a pirate." }] };
  await galley.presets.save("pirate", { preset, expectedVersion: 0 });
  await galley.chats.configure("demo", { preset: "pirate", model: "gpt-5" });
  const own = await galley.turn({ chat: "demo", input: "hello" });
  expect(own.messages[0]?.content).toBe("Speak like a pirate.");
  const [build] = await galley.store.builds.list({ projectId: "default", sessionId: "chat:demo" });
  expect(build).toMatchObject({ model: "gpt-5", presetId: "pirate" });
  const other = await galley.turn({ chat: "demo", input: "hello", preset: "default" });
  expect(other.messages[0]?.content).not.toContain("pirate");
  await galley.chats.configure("demo", { preset: null });
  expect(await galley.chats.settings("demo")).toEqual({ model: "gpt-5" });
  await expect(galley.turn({ chat: "demo", input: "x", preset: "none" })).rejects.toMatchObject({ code: "NotFound" });
});

test("[I3] an agent's turn gets the system text of its sessions and the tools that are served here", async () => {
  const provider = {
    name: "house",
    getSystemContext: () => "This is the house of the agents.",
    getTools: () => ["bell", "door"].map((name) => toolNamed(name)),
  };
  const bell = defineTool({ ...toolNamed("bell"), inputSchema: { type: "object" }, execute: () => ({ rang: true }) });
  const config = { agents: [{ name: "mara", command: "none" }], providers: [provider] };
  const galley = await galleyIn(undefined, { config, tools: [bell] });
  const turn = await galley.turn({ agent: "mara", input: "hello" });
  expect(turn.messages[0]?.content).toContain("house of the agents");
  const own = [
    "chat_context_new",
    "chat_context_load",
    "chat_context_list",
    "chat_context_clear_active",
    "context_recall",
  ];
  const canvas = ["actant_canvas_update", "actant_canvas_clear"];
  expect(turn.tools.map(({ name }) => name)).toEqual([...own, ...canvas, "bell"]);
  expect(turn.problems.map(({ path }) => path)).toContain("door");
  expect(turn.session).toBe("agent:mara");
  const { text } = await galley.run({ agent: "mara", input: "call bell {}" }).result;
  expect(text).toContain("rang");
});

function toolNamed(name: string) {
  return { name, description: `The ${name}.`, parameters: { type: "object" }, rpcMethod: name, scope: "all" as const };
}

test("chats are listed with what was said last, and can be deleted", async () => {
  const galley = await galleyIn();
  const changes: string[] = [];
  galley.events.on(({ type, subject }) => changes.push(`${type} ${subject}`));
  await galley.run({ chat: "one", input: "first" }).result;
  await galley.run({ chat: "two", input: "second" }).result;
  const { chats } = await galley.chats.list();
  expect(chats.map(({ key }) => key).sort()).toEqual(["one", "two"]);
  expect(chats[0]?.preview).toContain("[demo]");
  expect(changes).toContain("chat:changed two");
  expect(changes.filter((change) => change.startsWith("call:recorded"))).toHaveLength(2);
  await expect(galley.chats.delete("one", "two")).rejects.toMatchObject({ code: expect.any(String) as string });
  await galley.chats.delete("one", "one");
  expect((await galley.chats.list()).chats.map(({ key }) => key)).toEqual(["two"]);
  await galley.run({ chat: "one", input: "anew" }).result;
  expect(await textsOf(galley, "one", "transcript")).toHaveLength(2);
});

test("[M7] what is redacted or deleted is gone from the records of builds and runs as well", async () => {
  const galley = await galleyIn();
  const session = { projectId: "default", sessionId: "chat:a" };
  await galley.run({ chat: "a", input: "the rosebud secret" }).result;
  await galley.run({ chat: "a", input: "something else" }).result;
  const chat = await galley.chats.open("a");
  const [first] = chat.window().messages;
  await chat.redact(first ? messageId(first) : "");
  const builds = await Promise.all([1, 2].map((n) => galley.store.builds.read(session, n)));
  expect(builds.map((build) => build?.messages.some(({ content }) => content === "the rosebud secret"))).toEqual([
    false,
    false,
  ]);
  expect(JSON.stringify(await galley.store.runs.list("default"))).not.toContain("rosebud");
  await galley.chats.delete("a", "a");
  expect(await galley.store.builds.list(session)).toEqual([]);
});

test("opening makes no chat and no preset", async () => {
  const galley = await galleyIn();
  await galley.presets.list();
  expect([existsSync(`${galley.data}/chat`), existsSync(`${galley.data}/presets`)]).toEqual([false, false]);
});

test("[E] what is asked of a Galley that was closed says so", async () => {
  const galley = await galleyIn();
  await galley.close();
  const closed = { name: "GalleyError", message: expect.stringContaining("Galley was closed") };
  await expect(galley.turn({ chat: "demo", input: "Hello" })).rejects.toMatchObject(closed);
  await expect(galley.run({ chat: "demo", input: "Hello" }).result).rejects.toMatchObject(closed);
});
