import type { ModelMessage } from "@galley/engine";
import { expect, test } from "vitest";
import { dataFolder, galleyIn, textsOf } from "../../galley/testing/temp-galley.ts";
import type { Galley, OpenGalleyOptions } from "../../galley/galley.ts";
import type { TurnPlace } from "../services/turn-types.ts";

const agents: OpenGalleyOptions = {
  config: { agents: [{ name: "mara", archetype: "service", command: "none" }] } as never,
};
const places: readonly TurnPlace[] = [{ chat: "a" }, { session: "s" }, { agent: "mara" }];

async function said(galley: Galley, place: TurnPlace): Promise<readonly unknown[]> {
  const turn = await galley.turn({ ...place, input: "?" });
  const texts = turn.messages.filter(({ role }) => role !== "system").map(({ content }) => content);
  await turn.abort();
  return texts.slice(0, -1);
}

test.each(places)(
  "[T6] of two open turns in %o the second to commit is told, and follows when it asks to",
  async (place) => {
    const galley = await galleyIn(undefined, "agent" in place ? agents : {});
    const first = await galley.turn({ ...place, input: "q1" });
    const second = await galley.turn({ ...place, input: "q2" });
    expect(await said(galley, place)).toEqual([]);
    await first.commit({ assistant: "a1" });
    const conflict = { code: "SessionConflict", path: "onConflict" };
    await expect(second.commit({ assistant: "a2" })).rejects.toMatchObject(conflict);
    expect(await said(galley, place)).toEqual(["q1", "a1"]);
    await second.commit({ assistant: "a2", onConflict: "append" });
    expect(await said(galley, place)).toEqual(["q1", "a1", "q2", "a2"]);
    await second.commit({ assistant: "a2", onConflict: "append" });
    expect(await said(galley, place)).toEqual(["q1", "a1", "q2", "a2"]);
  },
);

test("[T6] what a turn said in a session is in no file before its commit, and never when it is aborted", async () => {
  const galley = await galleyIn();
  const turn = await galley.turn({ session: "s", input: "q1" });
  expect(await galley.store.sessions.list("default")).toEqual([]);
  await turn.abort();
  expect(await galley.store.sessions.list("default")).toEqual([]);
});

test("[T6] a switch while a turn is open is a conflict; the exchange goes to the context that it was opened in", async () => {
  const galley = await galleyIn();
  await (await galley.turn({ chat: "a", input: "boats" })).commit({ assistant: "Boats." });
  const open = await galley.turn({ chat: "a", input: "more boats" });
  const chat = await galley.chats.open("a");
  const { archived } = await chat.newContext({ title: "Boats" });
  await (await galley.turn({ chat: "a", input: "taxes" })).commit({ assistant: "Taxes." });
  await expect(open.commit({ assistant: "More." })).rejects.toMatchObject({
    code: "SessionConflict",
    message: expect.stringContaining("switched") as string,
  });
  await open.commit({ assistant: "More.", onConflict: "append" });
  expect(await textsOf(galley, "a")).toEqual(["taxes", "Taxes."]);
  await chat.loadContext({ contextId: archived?.contextId ?? "" });
  expect(await textsOf(galley, "a")).toEqual(["boats", "Boats.", "more boats", "More."]);
  expect(await textsOf(galley, "a", "transcript")).toEqual([
    "boats",
    "Boats.",
    "taxes",
    "Taxes.",
    "more boats",
    "More.",
  ]);
});

test("[T6] a context that held nothing when it was put away becomes an archive of its own", async () => {
  const galley = await galleyIn();
  const chat = await galley.chats.open("a");
  await (await galley.turn({ chat: "a", input: "old" })).commit({ assistant: "Old." });
  const { archived } = await chat.newContext({ title: "Old" });
  const open = await galley.turn({ chat: "a", input: "new topic" });
  await chat.loadContext({ contextId: archived?.contextId ?? "" });
  await open.commit({ assistant: "New.", onConflict: "append" });
  expect(await textsOf(galley, "a")).toEqual(["old", "Old."]);
  const { contexts: items } = await chat.listContexts();
  expect(items.map(({ title }) => title)).toContain("new topic");
});

test.each([{ next: [] }, { next: ["taxes"] }, { next: ["taxes", "lunch"] }])(
  "[T6] a context that held nothing when another was loaded in its place is not the one that came behind that: $next",
  async ({ next }) => {
    const galley = await galleyIn();
    const chat = await galley.chats.open("a");
    await (await galley.turn({ chat: "a", input: "old" })).commit({ assistant: "Old." });
    const { archived } = await chat.newContext({ title: "Old" });
    const open = await galley.turn({ chat: "a", input: "new topic" });
    await chat.loadContext({ contextId: archived?.contextId ?? "" });
    for (const input of next) {
      await chat.newContext({});
      await (await galley.turn({ chat: "a", input })).commit({ assistant: "Said." });
    }
    if (next.length === 0) await chat.newContext({});
    const before = await textsOf(galley, "a");
    await expect(open.commit({ assistant: "New." })).rejects.toMatchObject({ code: "SessionConflict" });
    await open.commit({ assistant: "New.", onConflict: "append" });
    expect(await textsOf(galley, "a")).toEqual(before);
    const { contexts } = await chat.listContexts();
    const texts = contexts.map(({ contextId }) => chat.readContext(contextId).messages.map(({ content }) => content));
    expect(texts).toContainEqual(["new topic", "New."]);
    expect(texts.flat()).toHaveLength(4 + Math.max(0, next.length - 1) * 2);
  },
);

test("[T6] a context that held nothing, was filled by others and put away, is still the one that the turn was opened in", async () => {
  const galley = await galleyIn();
  const chat = await galley.chats.open("a");
  const open = await galley.turn({ chat: "a", input: "first boats" });
  await (await galley.turn({ chat: "a", input: "boats" })).commit({ assistant: "Boats." });
  const { archived } = await chat.newContext({ title: "Boats" });
  await (await galley.turn({ chat: "a", input: "taxes" })).commit({ assistant: "Taxes." });
  await open.commit({ assistant: "First.", onConflict: "append" });
  expect(await textsOf(galley, "a")).toEqual(["taxes", "Taxes."]);
  const { messages } = chat.readContext(archived?.contextId ?? "");
  expect(messages.map(({ content }) => content)).toEqual(["boats", "Boats.", "first boats", "First."]);
});

test("[T6] decisions of builds and results of tasks do not conflict", async () => {
  const galley = await galleyIn();
  const said40 = "word ".repeat(400);
  for (const place of [{ chat: "a" }, { session: "s" }]) {
    for (let n = 0; n < 6; n += 1)
      await (await galley.turn({ ...place, input: `${n} ${said40}` })).commit({ assistant: said40 });
    const open = await galley.turn({ ...place, input: "open" });
    const other = await galley.turn({ ...place, input: "other", budget: 2500 });
    expect(other.ledger.some(({ fate }) => fate === "dropped" || fate === "summarised")).toBe(true);
    await open.commit({ assistant: "Fine." });
    expect((await said(galley, place)).slice(-2)).toEqual(["open", "Fine."]);
  }
});

test("[T6] a run that ends second appends", async () => {
  const galley = await galleyIn();
  const run = galley.run({ session: "s", input: "hello" });
  const other = await galley.turn({ session: "s", input: "q2" });
  await run.result;
  await expect(other.commit({ assistant: "a2" })).rejects.toMatchObject({ code: "SessionConflict" });
  const again = galley.run({ session: "s", input: "once more" });
  await other.commit({ assistant: "a2", onConflict: "append" });
  await again.result;
  expect(
    (await said(galley, { session: "s" })).filter((text) => ["hello", "q2", "a2", "once more"].includes(String(text))),
  ).toHaveLength(4);
});

test("[T6] a new context where there was nothing does not count as a switch: a turn that is open goes on in it", async () => {
  const galley = await galleyIn();
  const turn = await galley.turn({ chat: "a", input: "q" });
  await (await galley.chats.open("a")).newContext({});
  await turn.commit({ assistant: "a" });
  expect(await said(galley, { chat: "a" })).toEqual(["q", "a"]);
});

test("[T6] what later builds of a turn decide waits for its commit", async () => {
  const galley = await galleyIn();
  const long = "word ".repeat(900);
  const step = (id: string): ModelMessage[] => {
    const part = { toolCallId: id, toolName: "look" };
    return [
      { role: "assistant", content: [{ type: "tool-call", ...part, input: {} }] },
      { role: "tool", content: [{ type: "tool-result", ...part, output: { type: "text", value: long } }] },
    ];
  };
  const turn = await galley.turn({ session: "s", input: "look around", budget: 2500 });
  const steps = [...step("1"), ...step("2"), ...step("3")];
  const next = await turn.next(steps);
  expect(next.ledger.some(({ fate }) => fate !== "kept")).toBe(true);
  expect(await galley.store.sessions.list("default")).toEqual([]);
  await turn.commit({ assistant: "Nothing there." });
  const after = await galley.turn({ session: "s", input: "sure?", budget: 2500 });
  expect(after.stats.inputTokens).toBeLessThanOrEqual(2500);
  expect(after.messages.some(({ content }) => content === "look around")).toBe(true);
});

test.each(places)("[T7] a commit in %o is known again after a restart, for 24 hours", async (place) => {
  const data = dataFolder();
  const options = "agent" in place ? agents : {};
  const galley = await galleyIn(data, options);
  const turn = await galley.turn({ ...place, input: "q" });
  const open = await galley.turn({ ...place, input: "never committed" });
  await turn.commit({ assistant: "a" });
  await galley.close();
  let now = Date.now();
  const again = await galleyIn(data, { ...options, now: () => now });
  expect(await again.isCommitted(turn.id, { assistant: "a" })).toBe(true);
  expect(await again.isCommitted(open.id, { assistant: "a" })).toBe(false);
  await expect(again.isCommitted(turn.id, { assistant: "b" })).rejects.toMatchObject({ code: "EditNotAllowed" });
  expect(await said(again, place)).toEqual(["q", "a"]);
  now += 25 * 60 * 60 * 1000;
  expect(await again.isCommitted(turn.id, { assistant: "a" })).toBe(false);
});
