import { expect, test } from "vitest";
import type { SessionEntry } from "./entries.ts";
import type { ChatKind, SessionKind } from "./entry-kinds.ts";
import { parseSession } from "./session-file.ts";

test("[V5] an entry or a line of a kind that the register does not have does not compile", () => {
  const entry: SessionEntry["type"] = "message" satisfies SessionKind;
  // @ts-expect-error no such kind
  const other: SessionKind = "whisper";
  // @ts-expect-error a session has no typed lines of a chat
  const line: SessionKind = "recalled" satisfies ChatKind;
  expect([entry, other, line]).toHaveLength(3);
});

test("[V5] [M2] a kind that is not in the register is kept and skipped", () => {
  const text = '{"id":"a","ts":1,"type":"whisper","words":"x"}\n';
  expect(parseSession(text).entries).toEqual([{ id: "a", ts: 1, type: "whisper", words: "x" }]);
});
