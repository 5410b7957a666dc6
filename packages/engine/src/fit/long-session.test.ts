import { expect, test } from "vitest";
import type { SessionEntry } from "../model/entries.ts";
import { entriesOf } from "../model/testing/history.ts";
import type { ModelMessage } from "../model/messages.ts";
import { tokenAccount } from "../tokens/account.ts";
import { build } from "./build.ts";
import type { BuildRequest } from "./window/build-request.ts";
import { call, result, say, user, words } from "./testing/fit-builder.ts";
import { quarter, quarterAccount } from "./testing/sessions.ts";
import type { Build } from "./types.ts";

/** Many turns, each with a call, its result and a reply. */
const turns = (count: number): ModelMessage[] =>
  Array.from({ length: count }, (_, turn) => [
    user(`question ${turn}`),
    call(`c${turn}`),
    result(`c${turn}`, words(60 + (turn % 7) * 20)),
    say(words(20)),
  ]).flat();

const entryOf = (id: string, message: ModelMessage): SessionEntry => ({ id, ts: 0, type: "message", message });

const buildLong = (entries: readonly SessionEntry[], more: Partial<BuildRequest> = {}): Build =>
  build({ entries, account: quarterAccount, config: { maxInputTokens: 2000 }, ...more });

test("[F14] no more is counted than a build of the newest messages needs", () => {
  const counts: number[] = [];
  const count = (text: string): number => counts.push(text.length) && quarter.count(text);
  const account = tokenAccount({ ...quarter, count, atLeast: (text) => Math.floor(text.length / 8) });
  const { messages } = buildLong(entriesOf(turns(500)), { account });
  expect(counts.length).toBeLessThan(messages.length * 3);
});

test("[C10] a macro that quotes the chat sees all of it", () => {
  const preset = {
    macros: "sillytavern" as const,
    presetMessages: [
      { id: "count", role: "system" as const, content: "{{lastMessageId}}" },
      { id: "chat_history", type: "chat_history" as const, role: "user" as const },
    ],
  };
  expect(buildLong(entriesOf(turns(100)), { preset }).messages[0]?.content).toBe("399");
});

test("[M5] behind a compaction that does not say how much it dropped, all is counted once", () => {
  const [old, kept] = [entriesOf(turns(20)), turns(100).map((message, index) => entryOf(`k${index}`, message))];
  const compaction: SessionEntry = { id: "c", ts: 0, type: "compaction", firstKeptEntryId: "k0" };
  const { stats, messages } = buildLong([...old, ...kept, compaction, entryOf("last", user("and now?"))]);
  expect(stats.droppedMessagesCount + messages.length).toBe(481);
});

test("[M5] what lies behind a compaction whose first message is lost is not too much", () => {
  const compaction: SessionEntry = { id: "c", ts: 0, type: "compaction", firstKeptEntryId: "lost" };
  // More than the target, less than the limit.
  const after = Array.from({ length: 80 }, (_, index) => entryOf(`a${index}`, (index % 2 ? say : user)(words(15))));
  const { messages, problems } = buildLong([...entriesOf(turns(300)), compaction, ...after]);
  expect(messages).toHaveLength(after.length);
  expect(problems).toContainEqual(expect.objectContaining({ code: "UnknownReference" }));
});

test.each<[string, unknown]>([
  ["no message", null],
  ["no content", { role: "user" }],
  ["parts that are none", { role: "assistant", content: [null, 7, { type: "text" }, { type: "tool-result" }] }],
])("[F1] an entry far back with %s is refused with its path", (_, message) => {
  const entries = [{ ...entryOf("odd", user("")), message } as SessionEntry, ...entriesOf(turns(100))];
  const erased: SessionEntry = { id: "erased", ts: 0, type: "redact", entryId: "odd" };
  for (const session of [entries, [...entries, erased]]) {
    expect(() => buildLong(session)).toThrow(
      expect.objectContaining({
        code: "ContextInvalidInput",
        path: expect.stringMatching(/^sessionEntries\[0\]\.message/),
      }),
    );
  }
});
