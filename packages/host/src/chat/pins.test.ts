import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelMessage, view } from "@galley/engine";
import { expect, test } from "vitest";
import type { Chat } from "./chat.ts";
import { messageId } from "./lines/chat-line.ts";
import { purgeChat } from "./doctor/purge-chat.ts";
import { chatPaths } from "./lines/chat-paths.ts";
import { redactionReader } from "./lines/redactions.ts";
import { assistant, chatWith, open, say, user } from "./testing/temp-chat.ts";

const fact = "The port is 8471.";
const idOf = (chat: Chat, text: string): string => {
  const found = chat.transcript().messages.find(({ content }) => content === text);
  return found ? messageId(found) : "";
};
const textOf = (message: ModelMessage | undefined): string =>
  typeof message?.content === "string" ? message.content : "";
const shown = (chat: Chat): string[] => chat.pins().map(({ text, entry }) => text ?? textOf(entry?.message));
/** What a build reads of the chat. */
const read = (chat: Chat) => view(chat.context({ maxBytes: 512 * 1024 }, {}).entries);
const texts = (chat: Chat): string[] => [
  ...read(chat).pins.texts.map(({ text = "" }) => text),
  ...read(chat).messages.map(({ message }) => textOf(message)),
];

async function pinnedChat(): Promise<Chat> {
  const chat = await chatWith(["Hello", fact, "And now?", "We go on."]);
  await chat.pin({ entryId: idOf(chat, fact) });
  await chat.pin({ text: "Metric units." });
  return chat;
}

test("[R6] what is pinned goes into the archive with its context, and comes back with it, whatever is loaded", async () => {
  const chat = await pinnedChat();
  const more = Array.from({ length: 16 }, (_, index) => `later ${index}`);
  await say(chat, more);
  const { archived } = await chat.newContext({ title: "ports" });
  expect(chat.pins()).toEqual([]);
  for (const mode of ["full", "recent", "summary", "recent"] as const) {
    await chat.loadContext({ contextId: archived?.contextId ?? "", mode });
    expect([mode, shown(chat)]).toEqual([mode, [fact, "Metric units."]]);
    expect(texts(chat)).toEqual(expect.arrayContaining([fact, "Metric units."]));
    await say(chat, [`again ${mode}`, "Yes."]);
    await chat.newContext({});
  }
  const stored = chat.readContext(archived?.contextId ?? "");
  expect(stored.messages.filter(({ content }) => content === fact)).toHaveLength(1);
  expect(stored.kept.filter(({ line }) => line.type === "pin")).toHaveLength(2);
});

test("[R6] [A10] what was pinned or unpinned in a loaded context is kept, though nothing was said", async () => {
  const chat = await pinnedChat();
  const { archived } = await chat.newContext({});
  const id = archived?.contextId ?? "";
  await chat.loadContext({ contextId: id });
  await expect(chat.pin({ handle: "§0" })).rejects.toMatchObject({ code: "NotFound" });
  await chat.pin({ handle: "§1" });
  await chat.newContext({});
  await chat.loadContext({ contextId: id });
  expect(shown(chat)).toEqual([fact, "Metric units.", "Hello"]);
  for (const { id: pin } of chat.pins()) await chat.unpin(pin);
  await chat.newContext({});
  await chat.loadContext({ contextId: id });
  expect(shown(chat)).toEqual([]);
});

test("[R6] [W6] a new context and a cleared one have no pins of the old one, also where a question waits", async () => {
  const chat = await chatWith(["Hello", fact]);
  await chat.append([user("Unanswered")]);
  await chat.pin({ entryId: idOf(chat, fact) });
  await chat.pin({ entryId: idOf(chat, "Unanswered") });
  await chat.newContext({ title: "old" });
  expect(shown(chat)).toEqual(["Unanswered"]);
  expect(texts(chat)).toEqual(["Unanswered"]);
  const contextId = (await chat.listContexts()).contexts[0]?.contextId ?? "";
  await chat.append([assistant("Answered")]);
  await chat.loadContext({ contextId });
  expect(shown(chat)).toEqual([fact]);
  await chat.clearActive();
  expect([shown(chat), texts(chat)]).toEqual([[], []]);
});

test("[R6] [M7] a redacted message is not pinned any more, and none of its bytes stay after a purge", async () => {
  const chat = await pinnedChat();
  await chat.redact(idOf(chat, fact));
  expect(shown(chat)).toEqual(["Metric units."]);
  expect(texts(chat)).not.toContain(fact);
  const paths = { ...chatPaths(chat.folder), chatKey: chat.key };
  await purgeChat(paths, redactionReader(paths.redactions)());
  expect(readFileSync(paths.active, "utf8")).not.toMatch(/port|is 8471/);
  expect(readFileSync(join(paths.active), "utf8")).toContain("Metric units.");
});

test("[R6] [M6] an edit keeps the pins of what stays, and lets those of what it cuts off go", async () => {
  const chat = await pinnedChat();
  const cutFrom = idOf(chat, "And now?");
  await chat.pin({ entryId: idOf(chat, "We go on.") });
  const branch = chat.context({ maxBytes: 512 * 1024 }, { cutFrom });
  expect(view(branch.entries).pins.ids.size).toBe(1);
  const at = [chat.nextTime(), chat.nextTime()];
  await chat.commitExchange({
    transcript: [],
    active: [
      { ts: at[0] ?? 0, message: user("And then?") },
      { ts: at[1] ?? 0, message: assistant("Then this.") },
    ],
    cutFrom,
  });
  expect(shown(chat)).toEqual([fact, "Metric units."]);
  expect(texts(chat)).toEqual(["Metric units.", "Hello", fact, "And then?", "Then this."]);
});

test("[R6] a pin that lies further back than a build reads is found, also where no compaction knows it", async () => {
  const chat = await pinnedChat();
  await say(
    chat,
    Array.from({ length: 24 }, (_, index) => `${index} ${"word ".repeat(10_000)}`),
  );
  expect(chat.context({ maxBytes: 512 * 1024 }, {}).entries.length).toBeLessThan(24);
  expect(read(chat).messages[0]?.message.content).toBe(fact);
  expect(texts(chat)[0]).toBe("Metric units.");
});

test("[R6] a pin that came while a turn was under way is not lost to what the turn decides", async () => {
  const chat = await chatWith(["Hello", fact, "And now?", "We go on."]);
  await chat.pin({ entryId: idOf(chat, fact) });
  const question = user("Later");
  const [stored] = await chat.append([question, assistant("Reply")]);
  await chat.recordDecision({
    id: "c1",
    ts: 0,
    type: "compaction",
    firstKeptEntryId: stored ? messageId(stored) : null,
    dropped: { count: 4, tokens: 20 },
    ordinals: { first: 5 },
  });
  const again = await open(join(chat.folder, "../.."), chat.key);
  for (const one of [chat, again]) expect(texts(one)).toEqual([fact, "Later", "Reply"]);
  expect(read(chat).dropped.count).toBe(3);
});

test("[R6] a chat that is nothing but its transcript yet keeps what it was given when something is pinned", async () => {
  const chat = await chatWith([]);
  await chat.append([user("Before"), assistant("Told")], "transcript");
  await chat.pin({ text: "Short." });
  expect(texts(chat).join("\n")).toContain("Before");
  expect(shown(chat)).toEqual(["Short."]);
});
