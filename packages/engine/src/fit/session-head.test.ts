import fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEntry } from "../model/entries.ts";
import { GalleyError } from "../model/check/errors.ts";
import { entriesOf, runs, textOf } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import { headLength, isMessageEntry } from "../model/message-entry.ts";
import { tokenAccount } from "../tokens/account.ts";
import { build } from "./build.ts";
import type { BuildRequest } from "./window/build-request.ts";
import type { Compactor } from "./compactor/compactor.ts";
import { ContextManager } from "./context-manager.ts";
import { manager, say, user, words } from "./testing/fit-builder.ts";
import { headedHistory, quarter } from "./testing/sessions.ts";
import type { Build } from "./types.ts";
import { undoCompaction } from "./log/undo-compaction.ts";

const system = (content: string): ModelMessage => ({ role: "system", content });
const pairs = (count: number): ModelMessage[] =>
  Array.from({ length: count }, (_, turn) => [user(`question ${turn} ${words(10)}`), say(words(12))]).flat();
const account = tokenAccount({ ...quarter, atLeast: (text) => quarter.count(text) });
const rules = system("Answer in one sentence.");
const list = entriesOf([rules, ...pairs(20)]);

const buildWith = (entries: readonly SessionEntry[], more: Partial<BuildRequest> = {}): Build =>
  build({ entries, account, config: { maxInputTokens: 300 }, ...more });
const rowOf = ({ ledger }: Build, id: string) => ledger.find((row) => row.id === id);
const inputsOf = ({ ledger }: Build): number =>
  ledger.reduce((sum, row) => sum + (["message", "earlier"].includes(row.kind) ? (row.count ?? 1) : 0), 0);

test.each([true, false])("[F6] the system message of a plain list is sent however long the list is (%s)", (isRead) => {
  const config = { maxInputTokens: 300, enableCompaction: isRead };
  const log: SessionEntry[] = [...list];
  for (let turn = 0; turn < 4; turn += 1) {
    const built = buildWith(log, { config });
    expect(built.messages[0]).toEqual(rules);
    expect(rowOf(built, "h1")).toMatchObject({ kind: "message", fate: "kept", position: 0 });
    expect(built.messages.length).toBeLessThan(log.length);
    expect(inputsOf(built)).toBe(log.filter((entry) => entry.type === "message").length);
    const more = entriesOf(pairs(6)).map((entry) => ({ ...entry, id: `${turn}-${entry.id}` }));
    log.push(...built.entriesToAppend, ...more);
  }
  expect(log.filter((entry) => entry.type === "compaction")).toHaveLength(4);
});

test("[F6] the head stands before the summary, and no compactor is given it", async () => {
  const given: ModelMessage[] = [];
  const compactor: Compactor = {
    id: "short",
    compact: async ({ messages }) => (given.push(...messages), "They talked."),
  };
  const small = manager(300, { compactor });
  const session: SessionEntry[] = [...entriesOf([rules, system("Be kind."), ...pairs(20)])];
  for (let turn = 0; turn < 3; turn += 1) {
    const inputMessages = pairs(8).map((message, index) => ({ ...message, id: `${turn}-${index}` }));
    const { build: built, entriesToAppend } = await small.buildContext({ sessionEntries: session, inputMessages });
    expect(built.messages.slice(0, 2)).toEqual([rules, system("Be kind.")]);
    expect(built.messages[2]).toMatchObject({ role: "user", content: expect.stringContaining("They talked.") });
    session.push(...entriesToAppend);
    // What follows without a decision is built upon the build before.
    const { build: next } = await small.buildContext({ sessionEntries: session, inputMessages: [user("and?")] });
    expect(next.messages).toEqual([...built.messages, user("and?")]);
    expect(next.messages.map((_, at) => next.ledger.filter((row) => row.position === at).length)).toEqual(
      next.messages.map(() => 1),
    );
  }
  expect(given.length).toBeGreaterThan(20);
  expect(given.filter((message) => message.role === "system")).toEqual([]);
});

test("[F6] a system message in the middle is history like any other: it goes, with a row", () => {
  const built = buildWith(entriesOf([rules, user("hi"), system("Now in French."), ...pairs(20)]));
  expect(rowOf(built, "h3")).toMatchObject({ role: "system", fate: "dropped", rule: "limit" });
  expect(built.messages.filter((message) => message.role === "system")).toEqual([rules]);
});

test("[C5] what lies deeper than the history stands behind the head, and the preset's own text before it", () => {
  const preset = {
    presetMessages: [
      { id: "main", role: "system" as const, content: "main" },
      { id: "deep", role: "system" as const, content: "deep", injectionStrategy: { depth: 50 } },
      { id: "chat_history", type: "chat_history" as const, role: "user" as const },
      { id: "last", role: "system" as const, content: "last" },
    ],
  };
  for (const entries of [list.slice(0, 3), list]) {
    const { messages } = buildWith(entries, { preset });
    expect(messages.slice(0, 3).map((message) => message.content)).toEqual(["main", rules.content, "deep"]);
    expect(messages.at(-1)?.content).toBe("last");
  }
});

test("[F5] the head is not counted among the messages of the history", () => {
  const config = { maxInputTokens: 10_000, maxHistoryMessages: 4 };
  const { messages } = buildWith(list, { config });
  expect(messages[0]).toEqual(rules);
  expect(messages).toHaveLength(3);
});

test("[F5] a head that does not fit is named in the overflow", () => {
  const entries = entriesOf([system(words(900)), ...pairs(2)]);
  expect(() => buildWith(entries)).toThrow(/system messages at the head of the session \(h1\): \d{3,}/);
});

test("[M7] a blank or erased message of the head is not sent, and has its row", () => {
  const erase: SessionEntry = { id: "r", ts: 0, type: "redact", entryId: "h2" };
  const entries = [...entriesOf([system(" "), system("secret"), rules, ...pairs(20)]), erase];
  const first = buildWith(entries);
  expect(first.messages[0]).toEqual(rules);
  expect(rowOf(first, "h1")).toMatchObject({ fate: "dropped", rule: "empty" });
  expect(rowOf(first, "h2")).toMatchObject({ fate: "dropped", rule: "redacted" });
  const second = buildWith([...entries, ...first.entriesToAppend]);
  expect(second.messages).toEqual(first.messages);
  expect(inputsOf(second)).toBe(43);
});

test("[M6] the head is that of the branch", () => {
  const root: SessionEntry = { id: "b1", ts: 0, type: "message", parentId: null, message: system("Be brief.") };
  const branch = entriesOf(pairs(20)).map((entry) => ({ ...entry, id: `b-${entry.id}` }));
  for (const enableCompaction of [true, false]) {
    const config = { maxInputTokens: 300, enableCompaction };
    const { messages } = buildWith([...list, root, ...branch], { config });
    expect(messages.filter((message) => message.role === "system")).toEqual([system("Be brief.")]);
  }
});

test("[F15] after an undo the head is pinned as before", () => {
  const log: SessionEntry[] = [...list, ...buildWith(list).entriesToAppend];
  const undone = [...log, undoCompaction(log)];
  expect(buildWith(undone, { config: { maxInputTokens: 10_000 } }).messages).toHaveLength(41);
  const again = buildWith(undone);
  expect(again.messages[0]).toEqual(rules);
  expect(inputsOf(again)).toBe(41);
});

test("[F8] a compaction that was recorded without the head is applied as it stands", () => {
  const old: SessionEntry = { id: "c", ts: 0, type: "compaction", firstKeptEntryId: "h40" };
  const { messages, ledger } = buildWith([...list, old]);
  expect(messages).toEqual(list.slice(39).map((entry) => entry.message));
  expect(ledger).toContainEqual(expect.objectContaining({ kind: "earlier", id: "c", fate: "dropped", count: 39 }));
});

test("[P1] every message of a plain list is sent or has its row, and what the list begins with is always sent", async () => {
  const compactor: Compactor = { id: "short", compact: async () => "They talked." };
  await fc.assert(
    fc.asyncProperty(fc.array(headedHistory, { minLength: 1, maxLength: 4 }), fc.boolean(), async (parts, isShort) => {
      const config = { maxInputTokens: 400 };
      const tokenizer = { ...quarter, atLeast: (text: string) => quarter.count(text) };
      const small = new ContextManager({ config, tokenizer, ...(isShort ? { compactor } : {}) });
      const session: SessionEntry[] = [];
      for (const [turn, groups] of parts.entries()) {
        const inputMessages = groups.flat().map((message, index) => ({ ...message, id: `t${turn}-${index}` }));
        let result;
        try {
          result = await small.buildContext({ sessionEntries: session, inputMessages });
        } catch (error) {
          if (error instanceof GalleyError && error.code === "ContextOverflow") return true;
          throw error;
        }
        session.push(...result.entriesToAppend);
        const all = session.filter(isMessageEntry);
        const { build: built } = result;
        const own = built.ledger.filter((row) => row.kind === "message");
        const earlier = built.ledger.filter((row) => row.kind === "earlier");
        const isSound =
          own.every((row) => all.some(({ id }) => id === row.id)) &&
          own.every((row) => (row.position === undefined) === (row.fate === "dropped")) &&
          new Set(own.map((row) => row.id)).size === own.length &&
          own.length + earlier.reduce((sum, row) => sum + (row.count ?? 0), 0) === all.length;
        const head = all.slice(0, headLength(all)).filter(({ message }) => textOf(message).trim() !== "");
        const isSent = head.every(({ message }, index) => built.messages[index] === message);
        if (!isSound || !isSent) return false;
      }
      return true;
    }),
    { numRuns: Math.ceil(runs.numRuns / 2) },
  );
});
