import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { countFileCalls } from "../../testing/count-file-calls.ts";
import { messageId } from "../chat/lines/chat-line.ts";
import { galleyIn } from "./testing/temp-galley.ts";

test("[T11] a list of chats reads only those that have changed since the last one", async () => {
  const galley = await galleyIn();
  const keys = Array.from({ length: 20 }, (_, index) => `chat ${index}`);
  for (const key of keys) await (await galley.chats.open(key)).append([{ role: "user", content: `hello from ${key}` }]);
  // Long enough ago that no further change could bear the same time.
  for (const key of keys) {
    const { folder } = await galley.chats.open(key);
    for (const name of ["chat.json", "contexts/active.jsonl", "conversations/history.jsonl"])
      utimesSync(join(folder, name), 1, 1);
  }
  const whole = await countFileCalls(() => galley.chats.list());
  const again = await countFileCalls(() => galley.chats.list());
  // The folder itself is looked through each time.
  expect([whole > 2 * keys.length, again < 5]).toEqual([true, true]);
  const one = await galley.chats.open("chat 7");
  await one.append([{ role: "user", content: "once more" }]);
  const changed = await countFileCalls(() => galley.chats.list());
  expect(changed).toBeLessThan(whole / 5);
  const { chats } = await galley.chats.list();
  expect([chats.length, chats[0]]).toEqual([20, expect.objectContaining({ key: "chat 7", preview: "once more" })]);
  // What is redacted is not shown from memory.
  const { messages } = one.transcript();
  const last = messages.at(-1);
  if (last) await one.redact(messageId(last));
  expect((await galley.chats.list()).chats.find(({ key }) => key === "chat 7")?.preview).toBe("hello from chat 7");
});
