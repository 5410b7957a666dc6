import { expect, test } from "vitest";
import { testDaemon } from "./testing/temp-daemon.ts";

const said = (role: "user" | "assistant", content: string) => ({ role, content });

test("[W14, W15, W16] a chat is named, found by what was said, and forked", async () => {
  const own = await testDaemon();
  const params = { key: "bread" };
  const messages = [said("user", "Is rye sour?"), said("assistant", "It is."), said("user", "And wheat?")];
  const { ids } = await own.call("chats.add", { params, body: { messages } });
  await own.call("chats.settings", { params, body: { title: "Bread" } });
  expect((await own.call("chats.find", { query: { q: "rye" } })).found).toEqual([
    { chat: "bread", title: "Bread", messageId: ids[0], snippet: "Is rye sour?" },
  ]);
  const fork = await own.call("chats.fork", { params, body: { message: ids[1] } });
  expect(fork).toEqual({ key: "bread-2", messageCount: 2 });
  expect(await own.call("chats.get", { params: { key: fork.key } })).toMatchObject({
    forkedFrom: { chat: "bread", message: ids[1] },
  });
});

test("[R6, L4a] a session's message and a sentence are pinned, listed and unpinned; what was said in it is found", async () => {
  const own = await testDaemon();
  const params = { id: "voyage" };
  const entry = { id: "e1", ts: 1, type: "message" as const, message: said("user", "The Heron flies at dawn.") };
  await own.call("sessions.import", { params, body: { entries: [entry] } });
  expect(await own.call("sessions.pin", { params, body: { entryId: "e1" } })).toEqual({ id: "e1", isNew: true });
  const { id } = await own.call("sessions.pin", { params, body: { text: "Never fly at night." } });
  expect((await own.call("sessions.pins", { params })).pins).toMatchObject([
    { id: "e1", by: "person" },
    { id, text: "Never fly at night." },
  ]);
  await own.call("sessions.unpin", { params: { ...params, pin: id } });
  expect((await own.call("sessions.pins", { params })).pins).toHaveLength(1);
  expect((await own.call("sessions.search", { query: { q: "heron dawn" } })).matches).toMatchObject([
    { id: "voyage", entryId: "e1" },
  ]);
});

test("[F15] the compactions of a session are listed, and the newest is undone", async () => {
  const own = await testDaemon();
  const params = { id: "voyage" };
  const entries = [
    { id: "e1", ts: 1, type: "message" as const, message: said("user", "The Heron flies at dawn.") },
    { id: "e2", ts: 2, type: "message" as const, message: said("assistant", "It does.") },
    { id: "c1", ts: 3, type: "compaction" as const, firstKeptEntryId: "e2", summary: "A heron." },
  ];
  await own.call("sessions.import", { params, body: { entries } });
  expect((await own.call("sessions.compactions", { params })).compactions).toEqual([
    { id: "c1", ts: 3, summary: "A heron." },
  ]);
  expect(await own.call("sessions.undoCompaction", { params })).toEqual({ undone: "c1" });
  expect((await own.call("sessions.compactions", { params })).compactions).toEqual([]);
  expect((await own.call("sessions.entries", { params })).entries.at(-1)).toMatchObject({ undoes: "c1" });
  await expect(own.call("sessions.undoCompaction", { params })).rejects.toThrow("no compaction to undo");
});

test("the demo is made in the language that is asked for, once", async () => {
  const own = await testDaemon();
  const demo = await own.call("info.demo", { body: { language: "zh" } });
  expect(await own.call("info.demo", { body: { language: "zh" } })).toEqual(demo);
  expect((await own.call("chats.get", { params: { key: demo.chat } })).preset).toBe(demo.preset);
});

test("[V4] a session is the same with its kind in front of its id and without", async () => {
  const own = await testDaemon();
  const entry = { id: "e1", ts: 1, type: "message", message: said("user", "hello") } as const;
  const named = { params: { id: "session:named" } };
  await own.call("sessions.import", { ...named, body: { entries: [entry] } });
  await own.call("sessions.settings", { ...named, body: { context: { language: "zh" } } });
  const bare = { params: { id: "named" } };
  expect((await own.call("sessions.list", {})).sessions.map(({ id }) => id)).toContain("named");
  expect((await own.call("sessions.entries", bare)).entries).toEqual([entry]);
  expect((await own.call("sessions.entries", named)).entries).toEqual([entry]);
  expect((await own.call("sessions.get", bare)).context).toEqual({ language: "zh" });
  const twice = await own.answer("turns.build", { body: { session: "session:session:named", input: "Hello" } });
  expect(twice.body).toMatchObject({ code: "InvalidId", path: "session" });
});
