import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chatPaths } from "../../chat/lines/chat-paths.ts";
import { formatMessage, messageId } from "../../chat/lines/chat-line.ts";
import { purgeChat } from "../../chat/doctor/purge-chat.ts";
import { redactionReader } from "../../chat/lines/redactions.ts";
import { bytesBelow, galleyIn, galleyWith, textsOf } from "../../galley/testing/temp-galley.ts";
import type { Galley } from "../../galley/galley.ts";

const labels = {
  en: "The following is the end of the chat's transcript, for reference only; it may not fit the present question:",
  zh: "以下是对话历史记录（仅供参考，可能与当前问题不一致）：",
};
const old = [
  { role: "user" as const, content: "My cat is called Tom." },
  { role: "assistant" as const, content: "What a name." },
];
const oldText = "user: My cat is called Tom.\nassistant: What a name.";

/** A chat as an earlier program has left it: with a transcript and without a working context. */
async function withOldChat(): Promise<Galley> {
  const galley = await galleyIn();
  await (await galley.chats.open("a")).append(old, "transcript");
  return galley;
}

/** What a model would be sent now, without the system text. */
async function asked(galley: Galley, input: string, chat = "a"): Promise<readonly unknown[]> {
  const { messages } = await galley.turn({ chat, input });
  return messages.slice(1).map(({ content }) => content);
}

const endings: Record<string, (galley: Galley, input: string) => Promise<unknown>> = {
  "turn that was aborted": async (galley, input) => (await galley.turn({ chat: "a", input })).abort(),
  "run that was stopped before it began": async (galley, input) =>
    galley.run({ chat: "a", input, signal: AbortSignal.abort() }).result.catch(() => undefined),
  "run that failed": async (galley, input) =>
    galley.run({ chat: "a", input, model: "openai/gpt-5" }).result.catch(() => undefined),
};

async function troubledGalley(): ReturnType<typeof galleyWith> {
  return galleyWith(({ protocol, userTexts }) => {
    if (protocol !== "openai-chat") return { status: 400, error: "No." };
    return userTexts.at(-1) === "Never mind." ? { stalledText: "Well, " } : { text: "Yes." };
  });
}

test.each(Object.keys(endings))("[W12] [T16] the first question of a %s is told to no later call", async (name) => {
  const { galley, data } = await troubledGalley();
  await endings[name]?.(galley, "Never mind.");
  expect(await textsOf(galley, "a", "transcript")).toEqual(["Never mind."]);
  await galley.close();
  const again = await galleyIn(data);
  expect(await asked(again, "What is a context?")).toEqual(["What is a context?"]);
  await endings["turn that was aborted"]?.(again, "Nor this.");
  expect(await asked(again, "What is a context?")).toEqual(["What is a context?"]);
});

test.each(Object.keys(endings))("[W12] [T16] what stood before the question of a %s is still given", async (name) => {
  const { galley } = await troubledGalley();
  await (await galley.chats.open("a")).append(old, "transcript");
  await endings[name]?.(galley, "Never mind.");
  expect(await asked(galley, "And now?")).toEqual([`${labels.en}\n${oldText}`, "And now?"]);
});

test.each([
  ["en", "What is it called?", "它叫什么？"],
  ["zh", "它叫什么？用 TypeScript 写", "What is it called?"],
] as const)(
  "[W12] the transcript is given in every turn of the context with the same bytes, labelled in the first question's language (%s)",
  async (language, first, second) => {
    const galley = await withOldChat();
    const given = `${labels[language]}\n${oldText}`;
    await (await galley.turn({ chat: "a", input: "Forget it." })).abort();
    expect((await asked(galley, first))[0]).toBe(given);
    await galley.run({ chat: "a", input: first }).result;
    await (await galley.turn({ chat: "a", input: "Oh, no." })).abort();
    const { text } = await galley.run({ chat: "a", input: second }).result;
    await galley.close();
    const again = await galleyIn(galley.data);
    const told = await asked(again, "Sure?");
    expect([told[0], told[1], told.slice(3)]).toEqual([given, first, [second, text, "Sure?"]]);
    const { messages } = (await again.chats.open("a")).window();
    expect(messages.map(({ content }) => content)).toEqual(told.slice(1, -1));
    await again.regenerate("a").result;
    await again.edit("a", messages[0] ? messageId(messages[0]) : "", "Its name?").result;
    expect((await asked(again, "Sure?")).slice(0, 2)).toEqual([given, "Its name?"]);
    await (await again.chats.open("a")).newContext();
    expect(await asked(again, "Sure?")).toEqual(["Sure?"]);
  },
);

test("[W12, C14] a first run that fails after a build has decided something takes nothing from the second", async () => {
  const { galley } = await troubledGalley();
  const chat = await galley.chats.open("a");
  await chat.append(old, "transcript");
  const injectionStrategy = { depth: 1, mode: "frozen" as const };
  const note = { id: "note", role: "system" as const, content: "Stay calm.", injectionStrategy };
  const preset = { presetMessages: [note] };
  const failing = galley.run({ chat: "a", input: "one", model: "openai/gpt-5", preset });
  await expect(failing.result).rejects.toMatchObject({ code: "ModelRefused" });
  expect(readFileSync(chatPaths(chat.folder).active, "utf8")).toContain('"type":"injection"');
  expect(await asked(galley, "two")).toEqual([`${labels.en}\n${oldText}`, "two"]);
});

test("[W12] what a run that was killed had written of itself is not given to it when it is resumed", async () => {
  const galley = await withOldChat();
  const chat = await galley.chats.open("a");
  const question = { ts: chat.nextTime(), role: "user" as const, content: "What is it called?" };
  const reply = { ts: chat.nextTime(), role: "assistant" as const, content: "Tom." };
  const file = join(chat.folder, "conversations/history.jsonl");
  appendFileSync(file, formatMessage(question) + formatMessage(reply));
  const { head } = chat.context({}, { input: question, inputId: messageId(question) });
  expect(head?.said.map(({ text }) => text)).toEqual(old.map(({ content }) => content));
});

test("[W12, M7] what is redacted is given no more, and purged", async () => {
  const galley = await withOldChat();
  await galley.run({ chat: "a", input: "What is it called?" }).result;
  const chat = await galley.chats.open("a");
  const [first] = chat.transcript().messages;
  await chat.redact(first ? messageId(first) : "");
  expect((await asked(galley, "Sure?"))[0]).toBe(`${labels.en}\nassistant: What a name.`);
  const paths = { ...chatPaths(chat.folder), chatKey: "a" };
  expect(readFileSync(paths.active, "utf8")).toContain("Tom");
  await purgeChat(paths, redactionReader(paths.redactions)());
  expect(bytesBelow(chat.folder)).not.toContain("called Tom");
  expect((await asked(galley, "Sure?"))[0]).toBe(`${labels.en}\nassistant: What a name.`);
});

test.each([
  ["en", "Back to the soup, please", "谢谢", "reference only"],
  ["zh", "回到 soup 的话题吧", "Thanks.", "仅供参考"],
] as const)(
  "[W4] what a run recalls is labelled in the language of its question, for as long as the context is active (%s)",
  async (_, question, later, label) => {
    const { galley, server } = await galleyWith(({ toolResults, userTexts }) =>
      toolResults.length === 0 && userTexts.at(-1) === question
        ? { tool: { name: "chat_context_load" }, input: { query: "soup" } }
        : { text: "Here." },
    );
    const chat = await galley.chats.open("a");
    await chat.append([
      { role: "user", content: "soup with beans" },
      { role: "assistant", content: "Two hours." },
    ]);
    await chat.newContext();
    await galley.run({ chat: "a", input: question }).result;
    const other = label === "仅供参考" ? "reference only" : "仅供参考";
    expect(server.bodies.at(-1)).toContain(label);
    expect(server.bodies.at(-1)).not.toContain(other);
    const [notice] = await asked(galley, later);
    expect(notice).toContain(label);
    await galley.run({ chat: "a", input: later }).result;
    await galley.close();
    expect((await asked(await galleyIn(galley.data), "42"))[0]).toBe(notice);
  },
);

test("[W4] outside a run the label is in the language of the newest message of the user that shows one", async () => {
  const galley = await galleyIn();
  const chat = await galley.chats.open("a");
  await chat.append([
    { role: "user", content: "豆子汤怎么做？" },
    { role: "assistant", content: "Two hours." },
  ]);
  const { archived } = await chat.newContext();
  await chat.append([{ role: "user", content: "42 + 1" }]);
  const { loaded } = await chat.loadContext({ contextId: archived?.contextId });
  expect(loaded?.language).toBe("zh");
  expect((await asked(galley, "Thanks."))[0]).toMatch(/^以下是历史归档/u);
});
