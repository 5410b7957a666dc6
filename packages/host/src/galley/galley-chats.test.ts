import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { messageId } from "../chat/lines/chat-line.ts";
import { galleyChats } from "./galley-chats.ts";

function openChats(): ReturnType<typeof galleyChats> {
  const data = mkdtempSync(join(tmpdir(), "galley-chats-"));
  const chats = galleyChats({ data, onChange: () => undefined, forget: async () => undefined });
  onTestFinished(async () => {
    await chats.close();
    rmSync(data, { recursive: true, force: true });
  });
  return chats;
}

const openFiles = (): number => readdirSync("/proc/self/fd").length;

test.skipIf(!existsSync("/proc/self/fd"))("[W10] chats that are not used any more keep no files open", async () => {
  const chats = openChats();
  const before = openFiles();
  for (let turn = 0; turn < 2; turn += 1) {
    for (let number = 0; number < 150; number += 1) {
      const chat = await chats.open(`chat-${number}`);
      await chat.append([{ role: "user", content: `turn ${turn}` }]);
    }
  }
  // Two logs and the folder of the lock, for those that were used last and for those since the others were put to rest.
  await expect.poll(() => openFiles() - before).toBeLessThanOrEqual(6 * 64 + 8);
  const first = await chats.open("chat-0");
  await first.append([{ role: "user", content: "again" }]);
  expect(first.transcript().messages.map(({ content }) => content)).toEqual(["turn 0", "turn 1", "again"]);
});

test("[W10] a chat that is put to rest while it is written to loses nothing", async () => {
  const chats = openChats();
  const chat = await chats.open("busy");
  const writing = Array.from({ length: 200 }, async (_, number) => {
    const written = chat.append([{ role: "user", content: String(number) }]);
    if (number % 7 === 0) await chat.closeIdleFiles();
    await written;
  });
  await Promise.all(writing);
  const contents = chat.transcript({ maxMessages: 1000 }).messages.map(({ content }) => Number(content));
  expect(contents).toEqual(Array.from({ length: 200 }, (_, number) => number));
});

test("asking for chats that are not there does not add up", async () => {
  const chats = openChats();
  const first = await chats.open("first");
  for (let number = 0; number < 1200; number += 1) await chats.open(`nobody-${number}`);
  await expect.poll(async () => (await chats.open("first")) === first).toBe(false);
});

const said = (...texts: readonly string[]) =>
  texts.map((content, index) => ({ role: index % 2 === 0 ? ("user" as const) : ("assistant" as const), content }));

test("[W14] a chat is called by its first question until it is named", async () => {
  const chats = openChats();
  const chat = await chats.open("c-1");
  await chat.append(said("Where does the kerosene come from?", "From the north."));
  const titleOf = async (): Promise<string | undefined> => (await chats.list()).chats[0]?.title;
  expect(await titleOf()).toBe("Where does the kerosene come from?");
  await chats.configure("c-1", { title: "Fuel" });
  expect(await titleOf()).toBe("Fuel");
  await chats.configure("c-1", { title: null });
  expect(await titleOf()).toBe("Where does the kerosene come from?");
  const question = chat.transcript().messages[0];
  await chat.redact(question ? messageId(question) : "");
  expect(await titleOf()).toBe("c-1");
});

test("[W14] a title that is empty or too long is refused", async () => {
  const chats = openChats();
  const refused = expect.objectContaining({ code: "ContextInvalidInput", path: "title" });
  await expect(chats.configure("c-1", { title: "  " })).rejects.toEqual(refused);
  await expect(chats.configure("c-1", { title: "x".repeat(201) })).rejects.toEqual(refused);
});

test("[W15] messages of all chats are found, active and put away, in any script, and not once they are redacted", async () => {
  const chats = openChats();
  const first = await chats.open("first");
  await first.append(said("The kerosene tax is due in May.", "Noted.", "And the mooring fee?", "In June."));
  await first.newContext({});
  await first.append(said("煤油税还要算进去吗？", "要。"));
  const second = await chats.open("second");
  await second.append(said("Who pays the kerosene?", "The crown pays the tax on kerosene."));
  const places = async (query: string): Promise<readonly (string | undefined)[][]> =>
    (await chats.find(query)).map(({ chat, contextId, messageId: id }) => [chat, contextId && "archive", id]);
  const idOf = (text: string): string =>
    [first, second]
      .flatMap((chat) => chat.transcript().messages)
      .filter(({ content }) => content === text)
      .map(messageId)
      .join();
  expect((await places("tax kerosene")).toSorted(([a = ""], [b = ""]) => a.localeCompare(b))).toEqual([
    ["first", "archive", idOf("The kerosene tax is due in May.")],
    ["second", undefined, idOf("The crown pays the tax on kerosene.")],
  ]);
  expect(await places("煤油税")).toEqual([["first", undefined, idOf("煤油税还要算进去吗？")]]);
  expect(await places("zeppelin")).toEqual([]);
  expect(await places("…")).toEqual([]);
  expect(await chats.find("kerosene", 1)).toHaveLength(1);
  await first.redact(idOf("The kerosene tax is due in May."));
  expect(await places("tax kerosene")).toEqual([["second", undefined, idOf("The crown pays the tax on kerosene.")]]);
});

test("[W15] the first message of a context of 6,000 is found", async () => {
  const chats = openChats();
  const chat = await chats.open("long");
  await chat.append(said("The zeppelin is moored at Ely.", ...Array.from({ length: 5999 }, (_, n) => `Line ${n}`)));
  expect(await chats.find("zeppelin")).toMatchObject([{ chat: "long", snippet: expect.stringContaining("moored") }]);
});

test("[W16] [R6] a fork has the pins of the messages that it begins with, and the sentences", async () => {
  const chats = openChats();
  const chat = await chats.open("demo");
  await chat.append(said("The port is 8471.", "Noted.", "And the host?", "It is elm."));
  const [first, , , fourth] = chat.window().messages.map(messageId);
  await chat.pin({ entryId: first ?? "" });
  await chat.pin({ entryId: fourth ?? "" });
  await chat.pin({ text: "Metric units." }, "model");
  await chats.fork("demo", { message: chat.window().messages.map(messageId)[1] ?? "" });
  const fork = await chats.open("demo-2");
  expect(fork.pins()).toMatchObject([
    { entry: { message: { content: "The port is 8471." } }, by: "person" },
    { text: "Metric units.", by: "model" },
  ]);
  await fork.unpin(fork.pins()[0]?.id ?? "");
  expect([fork.pins().length, chat.pins().length]).toEqual([1, 3]);
});

test("[W16] [R6] a fork of a context that was loaded in part has what is pinned further back", async () => {
  const chats = openChats();
  const chat = await chats.open("demo");
  await chat.append(said("The port is 8471.", ...Array.from({ length: 40 }, (_, n) => `Line ${n}`)));
  const [first = ""] = chat.window().messages.map(messageId);
  await chat.pin({ entryId: first });
  const { archived } = await chat.newContext({});
  await chat.loadContext({ contextId: archived?.contextId ?? "", mode: "recent" });
  expect(chat.window().messages.map(messageId)).not.toContain(first);
  await chats.fork("demo");
  const fork = await chats.open("demo-2");
  expect(fork.pins()).toMatchObject([{ entry: { message: { content: "The port is 8471." } }, by: "person" }]);
});

test("[W16] a fork begins with the path up to a message and the settings, and both chats know of it", async () => {
  const chats = openChats();
  const chat = await chats.open("demo");
  const picture = { type: "file" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  await chat.append([{ role: "user", content: [{ type: "text", text: "What is this?" }, picture] }]);
  await chat.append([{ role: "assistant", content: "A picture." }, ...said("Are you sure?", "Quite.")]);
  await chats.configure("demo", { title: "Pictures", model: "demo", context: { maxInputTokens: 4000 } });
  const reply = chat.window().messages[1];
  const fork = await chats.fork("demo", { message: reply ? messageId(reply) : "" });
  expect(fork).toEqual({ key: "demo-2", messageCount: 2 });
  const copy = await chats.open("demo-2");
  expect(copy.entries()).toMatchObject([
    { message: { role: "user", content: [{ text: "What is this?" }, { mediaType: "image/png" }] } },
    { message: { role: "assistant", content: "A picture." } },
  ]);
  expect(await chats.settings("demo-2")).toEqual({
    model: "demo",
    context: { maxInputTokens: 4000 },
    forkedFrom: { chat: "demo", message: reply && messageId(reply) },
  });
  expect((await chats.list()).chats.find(({ key }) => key === "demo-2")?.forkedFrom?.chat).toBe("demo");
  expect(chat.window().messages).toHaveLength(4);
  expect((await chats.fork("demo-2")).key).toBe("demo-3");
});

test("[W16] a fork of nothing, or onto a chat that is there, is an error that says what to do", async () => {
  const chats = openChats();
  await (await chats.open("demo")).append(said("Hello", "Hi"));
  await expect(chats.fork("nobody")).rejects.toMatchObject({ code: "NotFound" });
  await expect(chats.fork("demo", { message: "m_0" })).rejects.toMatchObject({ code: "NotFound", path: "message" });
  await expect(chats.fork("demo", { to: "demo" })).rejects.toMatchObject({ code: "BadRequest", path: "to" });
});
