import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { WindowLimits } from "../../chat/lines/read-window.ts";
import { openChat } from "../../chat/open-chat.ts";
import { messagePage } from "./message-page.ts";

const data = mkdtempSync(join(tmpdir(), "galley-page-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test("[W9] scrolling back reads each page once, finds a place again that was redacted or is not known, and misses nothing", async () => {
  const chat = await openChat(data, "long");
  const all = await chat.append(
    Array.from({ length: 95 }, (_, index) => ({ role: "user" as const, content: `message ${index}` })),
  );
  const asked: WindowLimits[] = [];
  const read = (limits: WindowLimits) => {
    asked.push(limits);
    return chat.transcript(limits);
  };
  const seen: unknown[] = [];
  let before: string | undefined;
  for (let hasMore = true; hasMore;) {
    asked.length = 0;
    const page = messagePage(read, { limit: 10, ...(before === undefined ? {} : { before }) }, "log");
    // Behind the first page, one message is looked at and a page is read, however far back it is.
    expect(asked.map(({ maxMessages }) => maxMessages)).toEqual(before === undefined ? [10] : [1, 10]);
    seen.unshift(...page.messages.map(({ content }) => content));
    before = page.messages[0]?.id;
    hasMore = page.hasMore;
  }
  expect(seen).toEqual(all.map(({ content }) => content));
  const whole = messagePage(read, { limit: 95 }, "other").messages;
  const middle = whole[50]?.id ?? "";
  expect(messagePage(read, { limit: 5, before: middle }, "log").messages).toEqual(whole.slice(45, 50));
  const around = (id: string) => messagePage(read, { limit: 4, around: id }, "log");
  expect(around(middle)).toEqual({ messages: whole.slice(48, 52), hasMore: true, hasLater: true });
  expect(around(whole[0]?.id ?? "")).toEqual({ messages: whole.slice(0, 4), hasMore: false, hasLater: true });
  expect(around(whole[94]?.id ?? "")).toEqual({ messages: whole.slice(92), hasMore: true, hasLater: false });
  expect(() => around("none")).toThrow(/There is no message/);
  // The place that was remembered holds another message now.
  const first = whole[85]?.id ?? "";
  await chat.redact(first);
  expect(() => messagePage(read, { limit: 5, before: first }, "log")).toThrow(/There is no message/);
  await chat.close();
});
