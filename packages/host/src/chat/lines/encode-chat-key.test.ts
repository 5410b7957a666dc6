import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeChatKey } from "../../disk/encode-chat-key.ts";
import { openChat } from "../open-chat.ts";

test.each([
  ["demo", "demo"],
  ["telegram-chat-42", "telegram-chat-42"],
  ["feishu:oc/1", "feishu%3Aoc%2F1"],
  ["..", "%2E%2E"],
  [".", "%2E"],
  [".hidden.", "%2Ehidden%2E"],
  ["../../etc", "%2E%2E%2F..%2Fetc"],
  ["a*'()!~", "a%2A%27%28%29%21%7E"],
  ["CON", "%43%4F%4E"],
  ["con", "%63on"],
  ["nul.txt", "%6Eul.txt"],
  ["a\0b", "a%00b"],
  ["😀", "%F0%9F%98%80"],
  ["a\u202Eb", "a%E2%80%AEb"],
])("[W1] the key %j has the folder %s", (key, name) => {
  expect(encodeChatKey(key)).toBe(name);
});

test("[W1] a long key keeps its start and gets a hash; its twin gets another", () => {
  const [a, b] = [`long ${"x".repeat(4096)}`, `long ${"x".repeat(4095)}y`].map(encodeChatKey);
  expect(a).toMatch(/^long%20x+~[0-9a-f]{64}$/);
  expect(Buffer.byteLength(a!)).toBe(200);
  expect(a).not.toBe(b);
  expect(encodeChatKey("好".repeat(100))).toMatch(/^(?:%[0-9A-F]{2})+~[0-9a-f]{64}$/);
});

test("[W1] two keys never share a folder, in either letter case, and no name leaves its folder", () => {
  const piece = fc.oneof(
    fc.constantFrom("a", "A", "%41", "%", "~", ".", "/", "con", "CON", "%2e", "x".repeat(190)),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 }),
  );
  const key = fc
    .array(piece, { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.join(""))
    .filter((text) => text !== "" && text.isWellFormed());
  fc.assert(
    fc.property(key, key, (a, b) => {
      const [first, second] = [encodeChatKey(a), encodeChatKey(b)];
      expect(first).toMatch(/^(?!\.)[a-z0-9._%A-F~-]{1,200}(?<!\.)$/);
      expect(first.toLowerCase() === second.toLowerCase()).toBe(a === b);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ["empty", ""],
  ["half of a character", "a\ud83d"],
])("[E] a key that is %s is refused", (_, key) => {
  expect(() => encodeChatKey(key)).toThrow(expect.objectContaining({ code: "ChatKeyInvalid" }));
});

test("[W1] hostile keys live side by side, below the data folder only", async () => {
  const root = mkdtempSync(join(tmpdir(), "galley-keys-"));
  const keys = ["a", "A", "../../escape", "..", "a\0b", "CON", "con", "😀", "\u202Etxt", "k".repeat(4096), "a/b"];
  try {
    for (const key of keys) {
      const chat = await openChat(join(root, "ship"), key);
      await chat.append([{ role: "user", content: key }]);
      await chat.close();
    }
    for (const key of keys) {
      const chat = await openChat(join(root, "ship"), key);
      expect(chat.window().messages.map(({ content }) => content)).toEqual([key]);
      await chat.close();
    }
    expect(readdirSync(root)).toEqual(["ship"]);
    expect(readdirSync(join(root, "ship")).sort()).toEqual(["chat", "galley.json"]);
    expect(readdirSync(join(root, "ship/chat"))).toHaveLength(keys.length);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test("[W1] a key of a million dots has its name at once, and dots at the ends are escaped, those between are not", () => {
  // Looked through again at every dot it would take hours.
  expect(encodeChatKey(`a${".".repeat(1_000_000)}b`)).toMatch(/^a\.+~[0-9a-f]{64}$/);
  expect(encodeChatKey("..a..b..")).toBe("%2E%2Ea..b%2E%2E");
  expect(encodeChatKey("...")).toBe("%2E%2E%2E");
});
