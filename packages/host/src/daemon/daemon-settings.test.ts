import { expect, test } from "vitest";
import { testDaemon as daemon } from "./testing/temp-daemon.ts";

const said = (role: "user" | "assistant", content: string) => ({ role, content });

test("[T3] a chat and a session have context settings, which the next turn has, and which say where they came from", async () => {
  const own = await daemon({ galley: { config: { context: { systemPrompt: "From the file.", targetRatio: 0.7 } } } });
  const key = { key: "demo" };
  await own.call("chats.settings", {
    params: key,
    body: { context: { systemPrompt: "Of the chat.", maxInputTokens: 900 } },
  });
  await own.call("chats.settings", {
    params: key,
    body: { context: { targetRatio: null }, unset: ["maxInputTokens"] },
  });
  expect((await own.call("chats.get", { params: key })).context).toEqual({
    systemPrompt: "Of the chat.",
    targetRatio: null,
  });
  const { settings } = await own.call("chats.inForce", { params: key });
  expect(settings).toEqual(
    expect.arrayContaining([
      { key: "systemPrompt", value: "Of the chat.", from: "chat" },
      { key: "targetRatio", value: 0.5, from: "chat" },
      { key: "compaction", value: "extractive", from: "default" },
    ]),
  );
  const turn = await own.call("turns.build", { body: { chat: "demo", input: "hello", system: "Just now." } });
  expect(turn.messages[0]).toEqual({ role: "system", content: "Just now." });
  const recorded = (await own.call("sessions.call", { params: { id: turn.session, n: 1 } })).settings ?? [];
  expect(recorded.filter(({ from }) => from !== "default")).toEqual([
    { key: "systemPrompt", value: "Just now.", from: "request" },
    { key: "targetRatio", value: 0.5, from: "chat" },
  ]);
  const session = { id: "plain" };
  await own.call("sessions.settings", { params: session, body: { context: { hints: { mood: "calm" } } } });
  expect((await own.call("sessions.get", { params: session })).context).toEqual({ hints: { mood: "calm" } });
  expect((await own.call("sessions.inForce", { params: session })).settings).toContainEqual({
    key: "hints",
    value: { mood: "calm" },
    from: "session",
    keys: { mood: "session" },
  });
});

test("[T3] unknown fields and wrong types of a body are errors with their path", async () => {
  const own = await daemon();
  const key = { key: "demo" };
  const wrong = { status: 400, body: { path: "body.context.colour", message: 'Unknown field "colour".' } };
  expect(await own.answer("chats.settings", { params: key, body: { context: { colour: "red" } } })).toMatchObject(
    wrong,
  );
  for (const [body, path] of [
    [{ chat: "demo", input: "hello", budgett: 5 }, "body.budgett"],
    [{ chat: "demo", input: "hello", context: { targetRatio: 3 } }, "body.context.targetRatio"],
    [{ chat: "demo", input: "hello", model: { id: "x" } }, "body.model"],
  ] as const) {
    expect(await own.answer("turns.build", { body })).toMatchObject({ status: 400, body: { path } });
  }
  const beside = { chat: "demo", input: "hello", userProfile: "I sail." };
  expect(await own.answer("turns.build", { body: beside })).toMatchObject({
    status: 400,
    body: { path: "body.userProfile", hint: expect.stringContaining('{"context": {"userProfile"') as string },
  });
});

test("[V6] a session is listed with its log, and deleted for good when its id is given twice", async () => {
  const own = await daemon();
  const params = { id: "log" };
  const entry = { id: "e1", ts: 1, type: "message", message: said("user", "the harbour") } as const;
  await own.call("sessions.import", { params, body: { entries: [entry] } });
  await own.events("runs.start", { body: { session: "log", model: "demo", input: "hello" } });
  const { sessions } = await own.call("sessions.list");
  expect(sessions).toMatchObject([{ id: "log", calls: 1, model: "demo" }]);
  expect(await own.answer("sessions.delete", { params, query: { confirm: "no" } })).toMatchObject({ status: 400 });
  expect(await own.call("sessions.delete", { params, query: { confirm: "log" } })).toMatchObject({ ok: true });
  expect((await own.call("sessions.list")).sessions).toEqual([]);
  expect((await own.call("sessions.entries", { params })).entries).toEqual([]);
  expect((await own.answer("sessions.delete", { params, query: { confirm: "log" } })).status).toBe(404);
  // What the daemon remembers of the log is gone as well.
  const turn = await own.call("turns.build", { body: { session: "log", model: "demo", input: "Who is there?" } });
  expect(JSON.stringify(turn.messages)).not.toContain("harbour");
  const chat = { params: { id: "chat:demo" }, query: { confirm: "chat:demo" } };
  expect(await own.answer("sessions.delete", chat)).toMatchObject({ status: 400 });
});
