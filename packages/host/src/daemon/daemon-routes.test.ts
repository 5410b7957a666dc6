import { expect, test } from "vitest";
import { type RouteName, type RunEvent, routes } from "../api/index.ts";
import { type TestDaemon, testDaemon } from "./testing/temp-daemon.ts";
import { slowModel } from "../models/testing/slow-model.ts";

/** Which routes the tests of this file have asked for. */
const asked = new Set<RouteName>();

async function daemon(options: Parameters<typeof testDaemon>[0] = {}): Promise<TestDaemon> {
  const own = await testDaemon(options);
  return {
    ...own,
    call: (name, input) => own.call((asked.add(name), name), input),
    events: (name, input, rest) => own.events((asked.add(name), name), input, rest),
  };
}

const said = (role: "user" | "assistant", content: string) => ({ role, content });
const typesOf = (events: readonly { readonly data: { readonly type: string } }[]) =>
  events.map(({ data }) => data.type);

const addHelper = (own: TestDaemon) =>
  own.call("profiles.save", { params: { name: "helper" }, body: { text: "You help." } });

test("what the daemon is, and the models", async () => {
  const own = await daemon();
  expect(await own.call("info.get")).toMatchObject({
    data: own.data,
    store: "sqlite",
    defaultModel: "demo",
    config: null,
  });
  const { models } = await own.call("models.list", { query: { usable: "true" } });
  expect(models.map(({ id }) => id)).toContain("demo");
  expect(models.every(({ usable }) => usable)).toBe(true);
});

test("[P7] browsers are listed and signed out with the daemon's token, and it is told that they changed", async () => {
  const own = await daemon();
  for (let count = 0; count < 3; count += 1) await own.login();
  const { browsers } = await own.call("browsers.list");
  expect(browsers.map(({ isCurrent }) => isCurrent)).toEqual([false, false, false]);
  const open = Promise.withResolvers<void>();
  const isEnough = ({ type }: { readonly type: string }): boolean => type === "browser:changed";
  const told = own.events("events.follow", {}, { isEnough, onOpen: open.resolve });
  await open.promise;
  expect(await own.call("browsers.signOut", { params: { id: browsers[1]?.id ?? "" } })).toEqual({ signedOut: 1 });
  expect((await own.answer("browsers.signOut", { params: { id: browsers[1]?.id ?? "" } })).status).toBe(404);
  expect(await own.call("browsers.signOutOthers")).toEqual({ signedOut: 2 });
  expect(typesOf(await told)).toContain("browser:changed");
});

test.each(["demo", "a/b", "50% of 你好", "../../etc/passwd", "x".repeat(500), "con"])(
  "[W1] the chat %j is read and changed by its name",
  async (key) => {
    const own = await daemon();
    const params = { key };
    const messages = [said("user", "What is a galley?"), said("assistant", "A kitchen of a ship.")];
    const { ids } = await own.call("chats.add", { params, body: { messages } });
    expect((await own.call("chats.list")).chats.map((chat) => chat.key)).toEqual([key]);
    const page = await own.call("chats.transcript", { params, query: { limit: 1 } });
    expect(page).toMatchObject({ hasMore: true, messages: [{ id: ids[1] }] });
    const before = await own.call("chats.transcript", { params, query: { limit: 1, before: ids[1] } });
    expect(before).toMatchObject({ hasMore: false, messages: [{ id: ids[0] }] });
    expect((await own.call("turns.preview", { query: { chat: params.key } })).entries).toHaveLength(2);
    const next = await own.call("turns.look", { body: { chat: params.key, model: "demo", input: "And then?" } });
    expect(next).toMatchObject({
      model: "demo",
      messages: expect.arrayContaining([said("user", "And then?")]) as object,
    });
    await own.call("chats.redact", { params: { key, id: ids[1] ?? "" } });
    expect((await own.call("chats.active", { params })).messages.map(({ id }) => id)).toEqual([ids[0]]);
  },
);

test("[W3, W4] contexts are put away, found, read, renamed, brought back and deleted", async () => {
  const own = await daemon();
  const params = { key: "demo" };
  const add = (text: string) =>
    own.call("chats.add", { params, body: { messages: [said("user", text), said("assistant", "Yes.")] } });
  await add("Let us talk about sourdough bread.");
  const { archived } = await own.call("chats.new", { params, body: { title: "Bread" } });
  const contextId = archived?.contextId ?? "";
  await add("And now about boats.");
  expect((await own.call("chats.search", { params, query: { q: "sourdough" } })).matches).toMatchObject([
    { contextId, title: "Bread" },
  ]);
  await own.call("chats.rename", { params: { ...params, contextId }, body: { title: "Baking" } });
  expect(await own.call("chats.context", { params: { ...params, contextId } })).toMatchObject({ title: "Baking" });
  const { loaded } = await own.call("chats.load", { params, body: { query: "bread" } });
  expect(loaded).toMatchObject({ contextId, messageCount: 2 });
  await own.call("chats.settings", { params, body: { model: "demo" } });
  expect(await own.call("chats.get", { params })).toMatchObject({
    exists: true,
    model: "demo",
    active: { recalledFrom: contextId },
  });
  expect(await own.call("chats.clear", { params })).toMatchObject({ removed: 2 });
  const other = (await own.call("chats.get", { params })).contexts.find((context) => context.contextId !== contextId);
  const wanted = { ...params, contextId: other?.contextId ?? "" };
  expect(
    (await own.answer("chats.deleteContext", { params: wanted, query: { confirm: "yes" } })).status,
  ).toBeGreaterThanOrEqual(400);
  await own.call("chats.deleteContext", { params: wanted, query: { confirm: wanted.contextId } });
  await own.call("chats.delete", { params, query: { confirm: "demo" } });
  expect((await own.call("chats.get", { params })).exists).toBe(false);
});

test("[W11] a run streams its events, is joined by a second request, and is told again from any place", async () => {
  const own = await daemon();
  const body = { chat: "demo", input: "hello there", runId: "run-1" };
  const [first, second] = await Promise.all([own.events("runs.start", { body }), own.events("runs.start", { body })]);
  expect(typesOf(first).slice(0, 3)).toEqual(["run:started", "build", "text"]);
  expect(typesOf(first).at(-1)).toBe("run:finished");
  expect(second).toEqual(first);
  const params = { id: "run-1" };
  expect(await own.events("runs.events", { params })).toEqual(first);
  const lastEventId = first[2]?.id ?? "";
  expect(await own.events("runs.events", { params }, { lastEventId })).toEqual(first.slice(3));
  expect(await own.call("runs.get", { params })).toMatchObject({ status: "finished", chat: "demo", calls: [1] });
  const { messages } = await own.call("chats.transcript", { params: { key: "demo" } });
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
});

test("[M6] a reply is regenerated, and a question asked differently", async () => {
  const own = await daemon();
  const params = { key: "demo" };
  await own.events("runs.start", { body: { chat: "demo", input: "one" } });
  expect(typesOf(await own.events("runs.regenerate", { params, body: {} })).at(-1)).toBe("run:finished");
  const [question] = (await own.call("chats.active", { params })).messages;
  const body = { messageId: question?.id ?? "", input: "two" };
  expect(typesOf(await own.events("runs.edit", { params, body })).at(-1)).toBe("run:finished");
  const active = await own.call("chats.active", { params });
  expect(active.messages.map(({ content }) => content)).toEqual(["two", expect.stringContaining("two")]);
  expect((await own.call("runs.list", { query: { chat: "demo" } })).runs).toHaveLength(3);
});

test("[W11] a run outlives its reader, and any client can stop it", async () => {
  const model = await slowModel();
  const own = await daemon({ galley: { config: model.config } });
  const isText = ({ type }: RunEvent): boolean => type === "text";
  const body = { chat: "demo", input: "hello", runId: "slow" };
  await own.events("runs.start", { body }, { isEnough: isText });
  const params = { id: "slow" };
  expect((await own.call("runs.get", { params })).status).toBe("running");
  await own.call("runs.abort", { params });
  expect((await own.call("runs.get", { params })).status).toBe("aborted");
  expect(typesOf(await own.events("runs.events", { params })).at(-1)).toBe("run:aborted");
});

test("[P2] a turn that a client finishes itself, and what Inspect shows of it", async () => {
  const own = await daemon();
  const built = await own.call("turns.build", { body: { chat: "demo", input: "hello", model: "demo" } });
  expect(built.messages.at(-1)).toMatchObject({ role: "user" });
  const params = { id: built.id };
  const wrong = await own.answer("turns.commit", { params, body: { assistant: said("user", "no") } });
  expect(wrong).toMatchObject({ status: 400, body: { path: "body.assistant.role" } });
  await own.call("turns.commit", { params, body: { assistant: "hi" } });
  const other = await own.call("turns.build", { body: { session: "plain", input: "hello" } });
  await own.call("turns.abort", { params: { id: other.id } });
  const { sessions } = await own.call("sessions.list");
  expect(sessions.map(({ id }) => id).sort()).toEqual([built.session, other.session].sort());
  const session = { id: built.session };
  expect((await own.call("sessions.get", { params: session })).calls).toMatchObject([{ n: 1, digest: built.digest }]);
  const call = await own.call("sessions.call", { params: { ...session, n: 1 } });
  expect(call.messages).toEqual(built.messages);
  expect(call.ledger).toEqual(built.ledger);
  expect((await own.answer("sessions.call", { params: { ...session, n: 2 } })).status).toBe(404);
});

test("[M3] a log is taken into a session, once", async () => {
  const own = await daemon();
  const params = { id: "log" };
  const entry = { id: "e1", ts: 1, type: "message", message: said("user", "hello") } as const;
  expect(await own.call("sessions.import", { params, body: { entries: [entry] } })).toEqual({ added: 1, tail: "e1" });
  expect(await own.call("sessions.import", { params, body: { entries: [entry] } })).toEqual({ added: 0, tail: "e1" });
  const bad = { ...entry, id: "e2", message: { role: "nobody" } };
  expect(await own.answer("sessions.import", { params, body: { entries: [bad] } })).toMatchObject({ status: 422 });
  expect((await own.call("sessions.entries", { params })).entries).toEqual([entry]);
  const recalled = await own.call("sessions.recall", { params, query: { handle: "§1", maxTokens: 500 } });
  const text = "[Still in the context window: the model reads this as it is.]\n§1 user:\nhello";
  expect(recalled).toEqual({ text, found: [{ handle: "§1", entryId: "e1" }] });
});

test("[R2] a place that does not exist is not asked for what left its window", async () => {
  const own = await daemon();
  for (const id of ["nope", "chat:nope", "agent:nope", "task:nope"]) {
    const answer = await own.answer("sessions.recall", { params: { id }, query: { query: "kerosene" } });
    expect([id, answer.status]).toEqual([id, 404]);
  }
});

test("[H3] a task is given, and its tree and its boxes are shown", async () => {
  const own = await daemon();
  const profiles = [{ ...(await addHelper(own)), text: "You help." }];
  expect((await own.call("profiles.list")).profiles).toMatchObject(profiles);
  const task = await own.call("tasks.start", { body: { profile: "helper", instruction: "Say hello." } });
  const params = { id: task.taskId };
  await expect.poll(async () => (await own.call("tasks.get", { params })).status).toBe("succeeded");
  expect((await own.call("tasks.list")).tasks).toMatchObject([{ taskId: task.taskId, instruction: "Say hello." }]);
  const box = await own.call("boxes.get", { params: { id: task.contextBoxId } });
  expect(box.cards.map(({ type }) => type)).toContain("task.instruction");
  expect(box.tokens).toBeGreaterThan(0);
  // [T14] What it saw is the call that was recorded, without the reply that came after it.
  const saw = await own.call("tasks.build", { params });
  const call = await own.call("sessions.call", { params: { id: `task:${task.taskId}`, n: 1 } });
  expect(saw).toMatchObject({ digest: call.digest, messages: call.messages, call: { n: 1, turn: 1, callOfTurn: 1 } });
  expect(JSON.stringify(saw.messages)).toContain("Say hello.");
  expect(saw.messages.some(({ role }) => role === "assistant")).toBe(false);
  expect((await own.answer("tasks.get", { params: { id: "none" } })).status).toBe(404);
  // [T15] A profile that is removed is gone; the task that it was used for is still there.
  await own.call("profiles.delete", { params: { name: "helper" } });
  expect((await own.call("profiles.list")).profiles).toEqual([]);
  expect((await own.answer("profiles.delete", { params: { name: "helper" } })).status).toBe(404);
  expect((await own.call("tasks.get", { params })).status).toBe("succeeded");
});

test("[H8] a task that somebody ends is ended", async () => {
  const model = await slowModel();
  const own = await daemon({ galley: { config: model.config } });
  await addHelper(own);
  const { taskId } = await own.call("tasks.start", { body: { profile: "helper", instruction: "Think." } });
  const params = { id: taskId };
  await expect.poll(async () => (await own.call("tasks.get", { params })).status).toBe("running");
  await own.call("tasks.cancel", { params });
  expect((await own.call("tasks.get", { params })).status).toBe("cancelled");
});

test("what changes is told as it changes, and again to a client that lost the connection", async () => {
  const own = await daemon();
  const open = Promise.withResolvers<void>();
  const isEnough = ({ type }: { readonly type: string }): boolean => type === "run:ended";
  const following = own.events("events.follow", {}, { isEnough, onOpen: open.resolve });
  await open.promise;
  await own.events("runs.start", { body: { chat: "demo", input: "hello" } });
  const events = await following;
  expect(new Set(typesOf(events))).toEqual(new Set(["run:started", "chat:changed", "call:recorded", "run:ended"]));
  const again = await own.events("events.follow", {}, { lastEventId: events[0]?.id ?? "", isEnough });
  expect(again).toEqual(events.slice(1));
  const [lost] = await own.events("events.follow", {}, { lastEventId: "another-7", isEnough: () => true });
  expect(lost?.data.type).toBe("events:lost");
});

test("[X1b] the entries of an import become a chat with names, other answers, narrators and hidden lines", async () => {
  const own = await daemon();
  const params = { key: "light" };
  const message = (id: string, role: string, content: string): object => ({
    id,
    ts: 0,
    type: "message",
    message: { role, content },
  });
  const entries = [
    { ...message("1", "user", "Who is there?"), said: { by: "Tom" } },
    { ...message("2", "assistant", "Me."), said: { by: "Ada" }, sillytavern: { swipes: ["Nobody."] } },
    message("3", "system", "The fog comes."),
    { id: "4", ts: 0, type: "custom", sillytavern: { hidden: { role: "user", text: "a thought" } } },
  ].map((entry) => ({ type: "", ...entry }));
  const { added, left, messages } = await own.call("chats.import", { params, body: { entries } });
  expect([added, left, messages.map(({ said: by }) => by)]).toEqual([2, 0, [{ by: "Tom" }, { by: "Ada" }]]);
  expect((await own.call("chats.alternates", { params })).alternates).toMatchObject([{ content: "Nobody." }]);
  const { entries: read } = await own.call("turns.preview", { query: { chat: "light" } });
  expect(read).toMatchObject([{ said: { by: "Tom" } }, {}, { message: { role: "system" } }, { type: "custom" }]);
  const wrong = { params, body: { entries: [{ type: "message", id: "5", ts: 0 }] } };
  expect((await own.answer("chats.import", wrong)).status).toBe(422);
});

test("[W4b] the picture of a message is given by the name that the message refers to it with, and no other file", async () => {
  const own = await daemon();
  const params = { key: "pictures" };
  const picture = { type: "file" as const, mediaType: "image/png", data: "aGVyb24=", filename: "heron.png" };
  const { messages } = await own.call("chats.add", {
    params,
    body: { messages: [{ role: "user", content: [picture] }] },
  });
  const name = /[0-9a-f]{64}\.png/.exec(JSON.stringify(messages))?.[0] ?? "";
  expect(await own.call("chats.file", { params: { ...params, name } })).toEqual({ data: "aGVyb24=" });
  for (const other of ["transcript.jsonl", "../transcript.jsonl", `${"0".repeat(64)}.png`]) {
    expect((await own.answer("chats.file", { params: { ...params, name: other } })).status).toBe(404);
  }
});

test("every route of the table was asked for, here, or in the tests of agents, logs, places, presets, providers, settings and turns", () => {
  const elsewhere =
    "info.demo chats.choose chats.find chats.fork sessions.pin sessions.pins sessions.unpin sessions.compactions sessions.undoCompaction sessions.search logs.list logs.import logs.open logs.follow sessions.entryCall sessions.lost sessions.retention turns.next turns.call turns.overflow turns.fill chats.inForce sessions.delete sessions.inForce sessions.settings";
  const families = Object.keys(routes).filter((name) => /^(?:agents|presets|providers)\./.test(name));
  expect([...asked, ...families, ...elsewhere.split(" ")].sort()).toEqual(Object.keys(routes).sort());
});
