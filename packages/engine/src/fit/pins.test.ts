import { expect, test } from "vitest";
import type { SessionEntry } from "../model/entries.ts";
import { GalleyError } from "../model/check/errors.ts";
import type { ModelMessage } from "../model/messages.ts";
import { entriesOf } from "../model/testing/history.ts";
import { recall } from "./recall/recall.ts";
import type { ContextBuildResult } from "./context-manager.ts";
import { pinEntry, pinnedItems, unpinEntry } from "./log/pin-entries.ts";
import { undoCompaction } from "./log/undo-compaction.ts";
import { view } from "./log/view.ts";
import { call, manager, result, say, user, words } from "./testing/fit-builder.ts";
import { quarterAccount } from "./testing/sessions.ts";

const long = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? user : say)(`${index} ${words(60)}`));
const fact = "The port is 8471.";
const compactor = { id: "short", compact: async (): Promise<string> => "They talked." };
const small = (more = {}) => manager(400, more);
const textsOf = ({ modelMessages }: ContextBuildResult): string => JSON.stringify(modelMessages);
const session = (messages: readonly ModelMessage[]): SessionEntry[] => entriesOf([...messages]);

/** A log whose second message has left the window. */
async function cutLog(more = {}): Promise<SessionEntry[]> {
  const log = session([user("Hello"), say(fact), ...long]);
  const built = await small(more).buildContext({ sessionEntries: log });
  expect(textsOf(built)).not.toContain(fact);
  return [...log, ...built.entriesToAppend];
}

function pinned(log: readonly SessionEntry[], request: Parameters<typeof pinEntry>[1]): SessionEntry[] {
  const entry = pinEntry(log, request);
  return entry ? [...log, entry] : [...log];
}

test.each([
  ["without a summary", {}],
  ["with one", { compactor }],
])("[R6] a pinned message stays through compaction upon compaction, %s", async (_, more) => {
  let log: SessionEntry[] = pinned(session([user("Hello"), say(fact)]), { entryId: "h2" });
  for (let round = 0; round < 4; round += 1) {
    const input = long.map((message, index) => ({ ...message, id: `r${round}-${index}` }));
    const built = await small(more).buildContext({ sessionEntries: log, inputMessages: input });
    expect(textsOf(built)).toContain(fact);
    expect(built.build.ledger.find(({ id }) => id === "h2")).toMatchObject({ fate: "kept", isPinned: true });
    log = log.concat(built.entriesToAppend);
    const again = await small(more).buildContext({ sessionEntries: log });
    expect(again.modelMessages).toEqual(built.modelMessages);
    // A store gives builds no more than this.
    const from = log.findIndex(({ id }) => id === view(log).compaction?.firstKeptEntryId);
    expect((await small(more).buildContext({ sessionEntries: log.slice(from) })).modelMessages).toEqual(
      built.modelMessages,
    );
  }
  const freed = [...log, unpinEntry(log, "h2")];
  const built = await small(more).buildContext({ sessionEntries: freed, inputMessages: [user(words(250, "more"))] });
  expect(textsOf(built)).not.toContain(fact);
});

test("[R6] a message that has left comes back when it is pinned, in its place, and is counted once", async () => {
  const log = pinned(await cutLog(), { entryId: "h2" });
  const { modelMessages, build } = await small().buildContext({ sessionEntries: log });
  expect(modelMessages[0]).toEqual(say(fact));
  const messages = log.filter(({ type }) => type === "message").length;
  const counted = build.ledger.reduce((sum, row) => sum + (row.count ?? 1), 0);
  expect(counted).toBe(messages + 1); // the place for the history
  const undone = [...log, undoCompaction(log)];
  expect(JSON.stringify((await manager(10_000).buildContext({ sessionEntries: undone })).modelMessages)).toContain(
    fact,
  );
});

test("[R6] a result that was masked is whole again, and its call comes with it", async () => {
  const text = `${fact} ${words(100)}`;
  const log = session([user("Read"), call("a"), result("a", text), ...long.slice(0, 6)]);
  const masked = await manager(600, { config: { maxInputTokens: 600, targetRatio: 0.9 } }).buildContext({
    sessionEntries: log,
  });
  expect(textsOf(masked)).not.toContain(fact);
  const next = pinned([...log, ...masked.entriesToAppend], { entryId: "h3" });
  const built = await manager(600).buildContext({ sessionEntries: next });
  expect(textsOf(built)).toContain(text);
  expect(built.modelMessages.filter(({ role }) => role === "tool")).toHaveLength(1);
});

test("[R6] a sentence of one's own stands behind the head, in the user's voice, until it is unpinned", async () => {
  const log = pinned(session([{ role: "system", content: "Rules" }, user("Hello"), ...long]), {
    text: " Metric units. ",
  });
  const built = await small({ compactor }).buildContext({ sessionEntries: log });
  expect(built.modelMessages.slice(0, 2)).toEqual([
    { role: "system", content: "Rules" },
    { role: "user", content: "[Pinned by the user]\nMetric units." },
  ]);
  const all = [...log, ...built.entriesToAppend];
  const [item] = pinnedItems(all);
  expect(built.build.ledger.find(({ kind }) => kind === "pin")).toMatchObject({ fate: "kept", isPinned: true });
  const freed = [...all, unpinEntry(all, item?.id ?? "")];
  expect(textsOf(await small({ compactor }).buildContext({ sessionEntries: freed }))).not.toContain("Metric");
});

test("[R6] a model's sentence says whose it is", async () => {
  const entry = pinEntry([], { text: "Be brief" }, { by: "model", now: "2026-01-01T00:00:00Z" });
  const { modelMessages } = await small().buildContext({
    sessionEntries: entry ? [entry] : [],
    inputMessages: [user("Hi")],
  });
  expect(modelMessages[0]).toEqual({ role: "user", content: "[Pinned by the assistant]\nBe brief" });
});

test("[R6] pins that do not fit are named, with what to unpin", async () => {
  let log = session([user("a"), say(words(300)), user("b"), say(words(200)), user("c")]);
  log = pinned(pinned(pinned(log, { entryId: "h2" }), { entryId: "h4" }), { text: "short" });
  const error = await small()
    .buildContext({ sessionEntries: log })
    .catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(GalleyError);
  expect(error).toMatchObject({
    code: "ContextOverflow",
    message: expect.stringMatching(/pinned message h2: 379; pinned message h4: 254; pinned text p_\w+: 11/u),
    hint: expect.stringMatching(/^Unpin h2, h4/u),
  });
});

test("[R6] [M7] what is redacted is not pinned any more, message or sentence", async () => {
  let log = pinned(pinned(await cutLog(), { entryId: "h2" }), { text: "A secret." });
  const [message, sentence] = pinnedItems(log);
  expect([message?.id, sentence?.text]).toEqual(["h2", "A secret."]);
  for (const [index, item] of [message, sentence].entries()) {
    log = log.concat([{ id: `x${index}`, ts: 0, type: "redact", entryId: item?.id ?? "" }]);
  }
  const built = await small().buildContext({ sessionEntries: log, inputMessages: long });
  expect(textsOf(built)).not.toMatch(/8471|secret/u);
  expect(JSON.stringify(built.entriesToAppend)).not.toMatch(/8471|secret/u);
  expect(pinnedItems(log)).toEqual([]);
});

test("[R6] a pin holds on another branch if the message is on it, and says nothing where it is not", async () => {
  const log = session([user("a"), say(fact), user("b"), say("c")]);
  const other: SessionEntry = { id: "n1", ts: 0, type: "message", message: user("new"), parentId: "h2" };
  const both = [...pinned(pinned(log, { entryId: "h2" }), { entryId: "h4" }), other];
  expect(pinnedItems(both).map(({ id }) => id)).toEqual(["h2"]);
  expect(view(both).messages.map(({ id }) => id)).toEqual(["h1", "h2", "n1"]);
});

test("[R6] what is pinned twice is pinned once; what is not there or not pinned is an error", () => {
  const log = session([user("a")]);
  const once = pinned(pinned(log, { entryId: "h1" }), { text: "x" });
  expect([pinEntry(once, { entryId: "h1" }), pinEntry(once, { text: " x " })]).toEqual([undefined, undefined]);
  expect(() => pinEntry(log, { entryId: "nowhere" })).toThrow(/no message "nowhere"/u);
  expect(() => unpinEntry(log, "h1")).toThrow(/not pinned/u);
  expect(() => pinEntry(log, { text: "  " })).toThrow(/1 to 4000/u);
  expect(() => pinEntry(log, { text: "x".repeat(4001) })).toThrow(/1 to 4000/u);
  expect(() => pinEntry(log, { text: 7 } as never)).toThrow(GalleyError);
});

test("[R2] [R6] what is pinned is in the window, and recall points at it", async () => {
  const log = pinned(await cutLog(), { entryId: "h2" });
  const { text } = recall(log, { handle: "§2" }, { account: quarterAccount, termsOf: (value) => value.split(" ") });
  expect(text).not.toContain("8471");
});
