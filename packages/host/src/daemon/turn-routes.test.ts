import { expect, test } from "vitest";
import { testDaemon } from "./testing/temp-daemon.ts";

test("[T7] a loop over HTTP: call, next, overflow, commit; the same commit again answers the same, after a restart too", async () => {
  const own = await testDaemon();
  const built = await own.call("turns.build", { body: { chat: "demo", input: "hello", model: "demo" } });
  const params = { id: built.id };
  const call = { toolCallId: "1", toolName: "chat_context_list", input: {} };
  const result = await own.call("turns.call", { params, body: call });
  expect(result).toMatchObject({ type: "tool-result", toolCallId: "1", output: { type: "json" } });
  expect(await own.call("turns.call", { params, body: call })).toEqual(result);
  const other = await own.answer("turns.call", { params, body: { ...call, input: { limit: 3 } } });
  expect(other).toMatchObject({ status: 409, body: { code: "DuplicateId", path: "toolCallId" } });
  const steps = [
    { role: "assistant", content: [{ type: "tool-call", ...call }] },
    { role: "tool", content: [result] },
  ];
  const usage = { inputTokens: 400, outputTokens: 3 };
  const next = await own.call("turns.next", { params, body: { steps, usage } });
  expect([next.turn, next.callOfTurn, next.messages.length]).toEqual([1, 2, built.messages.length + 2]);
  // There is nothing that could be left out of it; the turn stays open.
  await expect(own.call("turns.overflow", { params, body: { message: "too long" } })).rejects.toThrow("too large");
  expect((await own.answer("turns.next", { params, body: { steps: [] } })).body).toMatchObject({ path: "steps[0]" });
  const body = { assistant: "hi", steps, usage };
  expect(await own.call("turns.commit", { params, body })).toEqual({ ok: true });
  expect(await own.call("turns.commit", { params, body })).toEqual({ ok: true });
  const wrong = await own.answer("turns.commit", { params, body: { assistant: "ho" } });
  expect(wrong).toMatchObject({ status: 422, body: { code: "EditNotAllowed", path: "turn" } });
  const unknown = { params: { id: "nothing" }, body: { assistant: "hi" } };
  expect((await own.answer("turns.commit", unknown)).status).toBe(404);
  await own.daemon.close();
  const again = await testDaemon({ galley: { data: own.data } });
  expect(await again.call("turns.commit", { params, body })).toEqual({ ok: true });
  expect((await again.daemon.galley.chats.open("demo")).window().messages).toHaveLength(2);
});

test("[T6] over HTTP a place that has moved on is a conflict, until the client says what to do", async () => {
  const own = await testDaemon();
  const first = await own.call("turns.build", { body: { chat: "demo", input: "q1" } });
  const second = await own.call("turns.build", { body: { chat: "demo", input: "q2" } });
  await own.call("turns.commit", { params: { id: first.id }, body: { assistant: "a1" } });
  const params = { id: second.id };
  const conflict = await own.answer("turns.commit", { params, body: { assistant: "a2" } });
  expect(conflict).toMatchObject({ status: 409, body: { code: "SessionConflict" } });
  await own.call("turns.commit", { params, body: { assistant: "a2", onConflict: "append" } });
  const { messages } = (await own.daemon.galley.chats.open("demo")).window();
  expect(messages.map(({ content }) => content)).toEqual(["q1", "a1", "q2", "a2"]);
});

test("[T13] alternates are listed and chosen over HTTP", async () => {
  const own = await testDaemon();
  const { galley } = own.daemon;
  await galley.run({ chat: "demo", model: "demo", input: "hello" }).result;
  await galley.regenerate("demo", { model: "demo" }).result;
  const params = { key: "demo" };
  const { alternates } = await own.call("chats.alternates", { params });
  const { messages } = await own.call("chats.active", { params });
  expect(alternates).toMatchObject([{ role: "assistant", of: messages[0]?.id }]);
  const id = alternates[0]?.id ?? "";
  expect(await own.call("chats.choose", { params: { ...params, id } })).toEqual({ ok: true });
  expect((await own.call("chats.active", { params })).messages[1]?.id).toBe(id);
  expect((await own.answer("chats.choose", { params: { ...params, id } })).status).toBe(404);
});

test("[P2] a recorded call comes with its reply, how long that took, and how its run stands", async () => {
  const own = await testDaemon();
  const { galley } = own.daemon;
  await galley.run({ chat: "demo", model: "demo", input: "hello" }).result;
  const turn = await own.call("turns.build", { body: { chat: "demo", input: "and now?", model: "demo" } });
  await own.call("turns.commit", { params: { id: turn.id }, body: { assistant: "Somebody else's answer." } });
  await galley.run({ chat: "demo", model: "demo", input: "again" }).result;
  const call = (n: number) => own.call("sessions.call", { params: { id: "chat:demo", n } });
  expect(await call(1)).toMatchObject({ runStatus: "finished", reply: { role: "assistant" } });
  expect((await call(1)).usage?.ms).toBeGreaterThanOrEqual(0);
  // Galley did not make this one: the call behind it has read the answer.
  expect(await call(2)).toMatchObject({ reply: { content: "Somebody else's answer." }, usage: null });
  // What nothing is charged for has no cost.
  expect((await call(3)).cost).toBeUndefined();
});

test("[T14] a window that cannot be filled says why, over HTTP, instead of failing", async () => {
  const own = await testDaemon();
  const fill = (context: object) => own.call("turns.fill", { body: { chat: "demo", model: "demo", context } });
  expect(await fill({ targetRatio: 2 })).toMatchObject({ failure: { path: "body.context.targetRatio" } });
  expect(await fill({ maxInputTokens: 20 })).toMatchObject({ failure: { code: "ContextOverflow" } });
  expect((await fill({})).fill?.tools.length).toBeGreaterThan(3);
});
