import { expect, test } from "vitest";
import type { MessageEntry, SessionEntry } from "../../model/entries.ts";
import { build } from "../build.ts";
import { user } from "../testing/fit-builder.ts";
import { quarterAccount } from "../testing/sessions.ts";
import { lastOwnEntry, repeatsOf } from "./repeats.ts";
import { undoCompaction } from "./undo-compaction.ts";
import { view } from "./view.ts";
import type { ViewOptions } from "./walk-back.ts";

const message = (id: string, content = id): MessageEntry => ({ id, ts: 0, type: "message", message: user(content) });
const compaction = (id: string, firstKeptEntryId: string): SessionEntry => {
  return { id, ts: 0, type: "compaction", firstKeptEntryId };
};
const idsIn = (entries: readonly SessionEntry[], options?: ViewOptions): string[] =>
  view(entries, options).messages.map(({ id }) => id);

test("[M5] the first entry with an id counts, whatever the others say and wherever they stand", () => {
  const log = [message("a"), message("b"), message("a", "in other words"), message("c"), message("b")];
  const { messages, duplicates } = view(log);
  expect(messages).toEqual([log[0], log[1], log[3]]);
  expect(duplicates).toEqual([
    { id: "a", at: 2 },
    { id: "b", at: 3 },
  ]);
});

test("[M5] a compaction keeps from the first entry with the id on, and what lies behind it does not come back", () => {
  const log = [message("a"), message("b"), message("c"), message("b"), message("a"), compaction("k", "b")];
  expect(idsIn(log)).toEqual(["b", "c"]);
  // A compaction that stands in the log once more is not in force again.
  expect(idsIn([...log, compaction("k2", "c"), compaction("k", "b"), message("d")])).toEqual(["c", "d"]);
});

test("[M6] a branch follows the first entry with the id; a repeat is the leaf of nothing", () => {
  const log: SessionEntry[] = [
    message("a"),
    message("b"),
    { ...message("c"), parentId: "a" },
    message("a"),
    message("b"),
  ];
  expect(idsIn(log)).toEqual(["a", "c"]);
  expect(idsIn(log, { leafId: "b" })).toEqual(["a", "b"]);
  const { entriesToAppend } = build({
    entries: log,
    added: [message("d")],
    leafId: "b",
    account: quarterAccount,
    config: { maxInputTokens: 1000 },
  });
  expect(entriesToAppend).toEqual([{ ...message("d"), parentId: "b" }]);
});

test("[M7] a redaction whose id is taken holds all the same", () => {
  const redact: SessionEntry = { id: "a", ts: 0, type: "redact", entryId: "b" };
  expect(idsIn([message("a"), message("b"), redact])).toEqual(["a"]);
});

test("[F15] undoing does not carry a message of the head twice", () => {
  const head: MessageEntry = { id: "s", ts: 0, type: "message", message: { role: "system", content: "rules" } };
  const log = [head, head, message("a"), message("b"), compaction("k", "b")];
  const undo = undoCompaction(log);
  expect(undo).toMatchObject({ firstKeptEntryId: "a", carried: [head] });
  expect(idsIn([...log, undo])).toEqual(["s", "a", "b"]);
});

test("[F8] a decision after a repeat has an id of its own", () => {
  const messages = Array.from({ length: 12 }, (_, index) => message(`m${index}`, "word ".repeat(40)));
  const request = { account: quarterAccount, config: { maxInputTokens: 300 } };
  const decide = (entries: readonly SessionEntry[]): SessionEntry =>
    build({ ...request, entries }).entriesToAppend.at(-1) as SessionEntry;
  const first = decide(messages);
  const undone = [...messages, first, undoCompaction([...messages, first])];
  const second = decide([...undone, messages.at(-1) as SessionEntry]);
  expect(first.type).toBe("compaction");
  expect(second.id).not.toBe(first.id);
  expect(lastOwnEntry([...undone, messages.at(-1) as SessionEntry])).toBe(undone.at(-1));
});

/** A log whose entries say how often they were asked for their id. */
function listeningLog(length: number): { readonly log: SessionEntry[]; readonly asked: () => number } {
  let asked = 0;
  const log = Array.from({ length }, (_, index): SessionEntry => {
    const { id, ...rest } = message(`m${index}`);
    return Object.defineProperty(rest, "id", { enumerable: true, get: () => ((asked += 1), id) }) as SessionEntry;
  });
  return { log, asked: () => asked };
}

test.each(["grows", "is copied to grow"])("[F14] when a log %s, only what is new is read for its ids", (how) => {
  const { log, asked } = listeningLog(5000);
  expect(repeatsOf(log)(4999)).toBe(false);
  const before = asked();
  let current = log;
  for (let turn = 0; turn < 20; turn += 1) {
    const more = [message(`t${turn}`), message(turn === 10 ? "m7" : `r${turn}`)];
    if (how === "grows") current.push(...more);
    else current = current.concat(more);
    expect(repeatsOf(current)(current.length - 1)).toBe(turn === 10);
  }
  expect(asked()).toBe(before);
});

test.each<[string, unknown]>([
  ["nothing", null],
  ["a number", 5],
  ["an object without an id", {}],
])("[F1] %s in the place of an entry is refused with its path", (_, odd) => {
  const request = { account: quarterAccount, config: { maxInputTokens: 1000 } };
  const refused = expect.objectContaining({
    code: "ContextInvalidInput",
    path: expect.stringMatching(/^sessionEntries\[1\]/),
  });
  const [entries, added] = [[message("a")], [odd as SessionEntry]];
  expect(() => build({ ...request, entries, added })).toThrow(refused);
  expect(() => build({ ...request, entries: [...entries, ...added] })).toThrow(refused);
});

test("[F14] logs that begin alike are told apart, and one that was cut is read again", () => {
  const start = [message("a"), message("b")];
  const [one, other] = [
    [...start, message("c")],
    [...start, message("c"), message("a")],
  ];
  expect([repeatsOf(one)(2), repeatsOf(other)(3), repeatsOf(one)(2)]).toEqual([false, true, false]);
  const swapped = [message("b"), start[1] as SessionEntry];
  expect(repeatsOf(start)(1)).toBe(false);
  expect(repeatsOf(swapped)(1)).toBe(true);
  other.length = 1;
  other.push(message("b"), message("c"), message("d"));
  expect(repeatsOf(other)(3)).toBe(false);
});
