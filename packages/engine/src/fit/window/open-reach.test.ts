import { expect, test } from "vitest";
import type { SessionEntry } from "../../model/entries.ts";
import { entriesOf } from "../../model/testing/history.ts";
import type { ModelMessage } from "../../model/messages.ts";
import { tokenAccount } from "../../tokens/account.ts";
import { build } from "../build.ts";
import type { BuildRequest } from "./build-request.ts";
import { call, result, say, user, words } from "../testing/fit-builder.ts";
import { quarter } from "../testing/sessions.ts";
import type { Build } from "../types.ts";

/** Many turns, each with a call, its result and a reply. */
const turns = (count: number): ModelMessage[] =>
  Array.from({ length: count }, (_, turn) => [
    user(`question ${turn}`),
    call(`c${turn}`),
    result(`c${turn}`, words(60 + (turn % 7) * 20)),
    say(words(20)),
  ]).flat();

const tailed = (id: string, message: ModelMessage): SessionEntry => ({ id, ts: 0, type: "message", message });

/** With what no build can reach passed over, and with all of it read. */
function bothWays(entries: readonly SessionEntry[], more: Partial<BuildRequest> = {}): readonly [Build, Build] {
  const [near, whole] = [false, true].map((enableCompaction) =>
    build({
      entries,
      account: tokenAccount({ ...quarter, atLeast: (text) => quarter.count(text) }),
      ...more,
      config: { maxInputTokens: 2000, ...more.config, enableCompaction },
    }),
  );
  return [near as Build, whole as Build];
}

const counted = ({ ledger }: Build): number => ledger.find((row) => row.kind === "earlier")?.count ?? 0;

function expectSame([near, whole]: readonly [Build, Build]): void {
  expect(near.messages).toEqual(whole.messages);
  expect(near.entriesToAppend).toEqual(whole.entriesToAppend);
  expect(near.stats).toEqual(whole.stats);
}

test.each<[string, Partial<BuildRequest>]>([
  ["a budget", {}],
  ["a number of messages", { config: { maxInputTokens: 2000, maxHistoryMessages: 12 } }],
  ["a number of messages that is not reached", { config: { maxInputTokens: 2000, maxHistoryMessages: 5000 } }],
  ["a provider that has called it too long", { overflowHint: true }],
])("[F14] with %s, what no build can reach is only counted", (_, more) => {
  const both = bothWays(entriesOf(turns(200)), more);
  expectSame(both);
  expect(counted(both[0])).toBeGreaterThan(700);
  expect(both[0].ledger.length).toBeLessThan(100);
});

test("[F14] no more is counted than a build of the newest messages needs", () => {
  const counts: number[] = [];
  const count = (text: string): number => counts.push(text.length) && quarter.count(text);
  const account = tokenAccount({ ...quarter, count, atLeast: (text) => Math.floor(text.length / 8) });
  const { messages } = build({
    entries: entriesOf(turns(500)),
    account,
    config: { maxInputTokens: 2000, enableCompaction: false },
  });
  expect(counts.length).toBeLessThan(messages.length * 2);
});

test("[C10] a macro that quotes the chat sees all of it", () => {
  const preset = {
    macros: "sillytavern" as const,
    presetMessages: [
      { id: "count", role: "system" as const, content: "{{lastMessageId}}" },
      { id: "chat_history", type: "chat_history" as const, role: "user" as const },
    ],
  };
  const both = bothWays(entriesOf(turns(100)), { preset });
  expectSame(both);
  expect(both[0].messages[0]?.content).toBe("399");
});

test("[F2] messages that seemed to fill the window and cannot be sent are made up for", () => {
  const both = bothWays(entriesOf([...turns(100), user("and now?"), result("never asked for", words(1500))]));
  expectSame(both);
  expect(both[0].messages.length).toBeGreaterThan(10);
});

test("[M7] what was erased far back is counted, and nothing else", () => {
  const erased: SessionEntry[] = ["h1", "h2", "h3"].map((entryId) => {
    return { id: `r${entryId}`, ts: 0, type: "redact", entryId };
  });
  const both = bothWays([...entriesOf(turns(100)), ...erased]);
  expectSame(both);
  expect(counted(both[0])).toBeGreaterThan(300);
});

test("[M5] behind a compaction that does not say how much it dropped, all is counted once", () => {
  const [old, kept] = [entriesOf(turns(20)), turns(100).map((message, index) => tailed(`k${index}`, message))];
  const compaction: SessionEntry = { id: "c", ts: 0, type: "compaction", firstKeptEntryId: "k0" };
  const both = bothWays([...old, ...kept, compaction, tailed("last", user("and now?"))]);
  expectSame(both);
  expect(both[0].stats.droppedMessagesCount + both[0].messages.length).toBe(481);
});

test("[M5] what lies behind a compaction whose first message is lost is not too much", () => {
  const compaction: SessionEntry = { id: "c", ts: 0, type: "compaction", firstKeptEntryId: "lost" };
  // More than the target, less than the limit.
  const after = Array.from({ length: 80 }, (_, index) => tailed(`a${index}`, (index % 2 ? say : user)(words(15))));
  const both = bothWays([...entriesOf(turns(300)), compaction, ...after]);
  expectSame(both);
  expect(both[0].messages).toHaveLength(after.length);
  expect(both[0].problems).toContainEqual(expect.objectContaining({ code: "UnknownReference" }));
});

test.each<[string, unknown]>([
  ["no message", null],
  ["no content", { role: "user" }],
  ["parts that are none", { role: "assistant", content: [null, 7, { type: "text" }, { type: "tool-result" }] }],
])("[F2] an entry far back with %s does no harm", (_, message) => {
  const entries = [{ ...tailed("odd", user("")), message } as SessionEntry, ...entriesOf(turns(100))];
  const { ledger } = build({
    entries,
    account: tokenAccount({ ...quarter, atLeast: (text) => quarter.count(text) }),
    config: { maxInputTokens: 2000, enableCompaction: false },
  });
  expect(ledger.reduce((sum, row) => sum + (row.kind === "step" ? 0 : (row.count ?? 1)), 0)).toBe(401);
});
