import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelMessage } from "@galley/engine";
import { expect, test } from "vitest";
import { doctor } from "../../chat/doctor/doctor.ts";
import { messageId } from "../../chat/lines/chat-line.ts";
import { activeFile } from "../../chat/testing/temp-chat.ts";
import type { Galley } from "../../galley/galley.ts";
import { call, galleyThatHears, say } from "../../galley/testing/chunked-model.ts";
import { addProfile, galleyWith } from "../../galley/testing/temp-galley.ts";
import { cardsOfMessages } from "../../handover/cards/cards-of-messages.ts";
import { newId } from "../../handover/options/new-id.ts";

const filler = "nothing to be said about it but this ".repeat(20);
const said = (from: number, count: number): (ModelMessage & { role: "user" | "assistant" })[] =>
  Array.from({ length: count }, (_, at) =>
    at % 2 === 0
      ? { role: "user", content: `Look at src/plank-${from + at}.ts. ${filler}` }
      : { role: "assistant", content: `It is bolt_${from + at}. ${filler}` },
  );

const plant = (word: string) => ({ role: "user", content: `The word is ${word}.` }) as const;

type Place = Parameters<Galley["toolsFor"]>[0];

/** Calls the tool as every face does. */
async function recallIn(galley: Galley, place: Place, input: object): Promise<string> {
  const { tools } = await galley.toolsFor(place);
  const tool = tools.find(({ name }) => name === "context_recall");
  const context = { caller: "person", place, callId: "1", signal: new AbortController().signal };
  const outcome = await tool?.execute?.(input, context);
  const [content] = outcome?.kind === "result" ? outcome.content : [];
  return content?.type === "json" ? (content.value as { text: string }).text : "";
}

/** A turn that does not fit: what it decides is kept. */
async function compactIn(galley: Galley, place: { chat: string } | { session: string }): Promise<string> {
  const turn = await galley.turn({ ...place, model: "demo", input: "Go on", budget: 2500 });
  await turn.commit({ assistant: "Yes." });
  return JSON.stringify(turn.messages);
}

test("[R2] in a chat the window names handles, and the tool gives back what left, by handle and by words", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  await (await galley.chats.open("demo")).append(said(0, 30));
  const window = await compactIn(galley, { chat: "demo" });
  expect(window).toMatch(/Names, by where they stood last:\\n§\d/);
  const [, range = ""] = /Left out: (§1–§\d+) \(context_recall\)/.exec(window) ?? [];
  const place = { kind: "chat", name: "demo" } as const;
  expect(await recallIn(galley, place, { handle: "§1" })).toContain("§1 user:\nLook at src/plank-0.ts.");
  expect(await recallIn(galley, place, { handle: range, max_tokens: 8000 })).toContain("bolt_1.");
  expect(await recallIn(galley, place, { query: "src/plank-2.ts" })).toContain("§3 user: Look at src/plank-2.ts.");
  expect(await recallIn(galley, place, { handle: "§1", max_tokens: 0 })).toContain("It goes on with the handle");
  expect(await recallIn(galley, place, { query: "" })).toContain("Give a handle such as §12");
  expect(await recallIn(galley, place, { handle: "§1", max_tokens: 1_000_000 })).toContain("src/plank-0.ts");
  expect(await recallIn(galley, place, { handle: "§900" })).toMatch(/^There is no §900 here\. §1–§\d+ can be read\.$/);
  expect(await recallIn(galley, place, { handle: "x1§1" })).toMatch(
    /^There is no archived context or result x1 here\. Handles/,
  );
  const long = await recallIn(galley, place, { query: "quite another matter ".repeat(5000) });
  expect(long).toMatch(/A query has a few words, no whole text\. §1–§\d+ can be read\.$/);
  // What a person reads is the same.
  expect((await galley.recall({ chat: "demo" }, { handle: "§1" })).found).toMatchObject([{ handle: "§1" }]);
});

test("[R2] a person who asks a place that does not exist is told so; the model of a new chat gets a sentence", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  for (const place of [{ chat: "nope" }, { session: "nope" }, { agent: "nope" }, { task: "nope" }]) {
    await expect(galley.recall(place, { handle: "§1" })).rejects.toMatchObject({ code: "NotFound" });
  }
  const there = await recallIn(galley, { kind: "chat", name: "nope" }, { handle: "§1" });
  expect(there).toBe("There is no §1 here. No message of this conversation is kept here yet.");
});

test("[R2] a session's tool reads the whole log, though a turn reads only what its last compaction kept", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const entries = said(0, 30).map((message, ts) => ({ id: `e${ts}`, ts, type: "message", message }) as const);
  await galley.store.sessions.append({ projectId: galley.project, sessionId: "work" }, entries);
  await compactIn(galley, { session: "work" });
  const place = { kind: "session", name: "work" } as const;
  expect(await recallIn(galley, place, { handle: "§2" })).toContain("§2 assistant:\nIt is bolt_1.");
});

test("[R2] neither another chat, nor an archive that was not asked for, nor what was redacted or cleared is ever given", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const place = { kind: "chat", name: "demo" } as const;
  const chat = await galley.chats.open("demo");
  await (await galley.chats.open("other")).append([{ role: "user", content: "The word is foreign_secret." }]);
  await galley.store.sessions.append({ projectId: galley.project, sessionId: "s" }, [
    { id: "a", ts: 0, type: "message", message: { role: "user", content: "The word is session_secret." } },
  ]);
  await chat.append([{ role: "user", content: "The word is cleared_secret." }, ...said(50, 2)]);
  await chat.clearActive();
  await chat.append([
    { role: "user", content: "The word is archived_secret." },
    { role: "assistant", content: "Noted." },
  ]);
  const { archived } = await chat.newContext({ title: "words" });
  const [planted] = await chat.append([{ role: "user", content: "The word is redacted_secret." }, ...said(0, 29)]);
  await compactIn(galley, { chat: "demo" });
  expect(await recallIn(galley, place, { query: "redacted_secret" })).toContain("The word is redacted_secret.");
  const { entries } = chat.context({}, {});
  const id = entries.find((entry) => JSON.stringify(entry).includes("The word is redacted_secret."))?.id;
  await chat.redact(id ?? String(planted?.ts));
  await compactIn(galley, { chat: "demo" });
  for (const word of ["foreign_secret", "session_secret", "cleared_secret", "archived_secret", "redacted_secret"]) {
    for (const input of [{ query: word }, { query: `The word is ${word}`, scope: "archives" }]) {
      const isAsked = word === "archived_secret" && "scope" in input;
      const answer = await recallIn(galley, place, input);
      expect([word, answer.includes(`The word is ${word}.`)]).toEqual([word, isAsked]);
    }
    expect(await recallIn(galley, place, { handle: "§1–§90", max_tokens: 8000 })).not.toContain(`is ${word}.`);
  }
  // The handle that the search gave opens the archive; that of another chat's does not.
  const handle = `${archived?.contextId}§1`;
  expect(await recallIn(galley, place, { handle })).toContain(`${handle} user:\nThe word is archived_secret.`);
  expect(await recallIn(galley, { kind: "chat", name: "other" }, { handle })).toContain("There is no archived context");
});

test("[R1] [M7] what is redacted keeps its number: handles of the rest stay, also once its bytes are gone, it is put away and comes back", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const place = { kind: "chat", name: "demo" } as const;
  const chat = await galley.chats.open("demo");
  await chat.append([...said(0, 2), plant("redacted_secret"), ...said(3, 20)]);
  const id = chat.window().messages.map(messageId)[2] ?? "";
  const check = async (front = ""): Promise<void> => {
    const [before, gone, behind] = await Promise.all(
      [2, 3, 4].map((number) => recallIn(galley, place, { handle: `${front}§${number}`, max_tokens: 8000 })),
    );
    expect(before).toContain("bolt_1.");
    expect(gone).toBe(`${front}§3 was redacted: it cannot be read any more.`);
    expect(behind).toContain("plank-3.ts");
  };
  await chat.redact(id);
  await compactIn(galley, { chat: "demo" });
  await check();
  await doctor(join(chat.folder, "../.."), { purge: true });
  expect(readFileSync(activeFile(chat), "utf8")).not.toContain("redacted_secret");
  await compactIn(galley, { chat: "demo" });
  await check();
  const { archived } = await chat.newContext({ title: "planks" });
  const contextId = archived?.contextId ?? "";
  await check(contextId);
  await chat.loadContext({ contextId, mode: "full" });
  await compactIn(galley, { chat: "demo" });
  await check();
});

test("[R2] a chat, a session and an agent never read each other, whatever they ask with", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  for (const [key, word] of [
    ["demo", "chat_word"],
    ["agent:local", "agent_word"],
  ] as const) {
    const chat = await galley.chats.open(key);
    await chat.append([plant(`archived_${word}`)]);
    await chat.newContext({ title: "words" });
    await chat.append([plant(word), ...said(0, 29)]);
  }
  const entries = [plant("session_word"), ...said(0, 29)].map(
    (message, ts) => ({ id: `e${ts}`, ts, type: "message", message }) as const,
  );
  await galley.store.sessions.append({ projectId: galley.project, sessionId: "work" }, entries);
  await compactIn(galley, { session: "work" });
  await compactIn(galley, { chat: "demo" });
  const places = [
    ["chat", "demo"],
    ["session", "work"],
    ["agent", "local"],
  ] as const;
  for (const [kind, name] of places) {
    let answers = "";
    for (const word of ["chat_word", "session_word", "agent_word"]) {
      for (const input of [{ query: word }, { query: word, scope: "archives" }])
        answers += await recallIn(galley, { kind, name }, input);
    }
    answers += await recallIn(galley, { kind, name }, { handle: "§1–§90", max_tokens: 8000 });
    const found = [...new Set(answers.match(/(?<=The word is )\w+(?=\.)/g))].sort();
    expect([kind, found]).toEqual([
      kind,
      kind === "session" ? ["session_word"] : [`${kind}_word`, `archived_${kind}_word`].sort(),
    ]);
  }
});

test("[R2] [H6] a task recalls what left of its own boxes: no other task, chat or session, and no card that was deleted", async () => {
  const words = ["own_word", "deleted_word", "chat_word", "session_word", "task_word"] as const;
  const asked = [
    ...words.map((word) => ({ query: word })),
    ...words.map((word) => ({ query: `The word is ${word}`, scope: "archives" })),
    { handle: "§1–§90", max_tokens: 8000 },
    { handle: "c_20260101_harbour§1" },
  ];
  const calls = asked.map((input, index) => [`c${index}`, "context_recall", JSON.stringify(input)] as const);
  const providers = [
    { name: "local", baseUrl: "http://local.invalid/v1", models: [{ id: "tiny-1", window: 4000, output: 500 }] },
  ];
  const { galley, sent } = await galleyThatHears([say("Noted."), call(...calls), say("Done.")], {
    config: { models: { default: "local/tiny-1", providers } },
  });
  const { store, project } = galley;
  await addProfile(galley, "writer", "You write.");
  const other = await galley.handover.delegate({ profile: "writer", instruction: "The word is task_word." });
  await galley.handover.waitFor(other.task_id);
  await (await galley.chats.open("other")).append([{ role: "user", content: "The word is chat_word." }]);
  await store.sessions.append({ projectId: project, sessionId: "s" }, [
    { id: "a", ts: 0, type: "message", message: { role: "user", content: "The word is session_word." } },
  ]);
  const messages = [plant("own_word"), plant("deleted_word"), ...said(0, 60)];
  const cards = cardsOfMessages(messages, { authorId: "person", now: 1, newId });
  const items = cards.map((card) => ({ cardId: card.id, origin: "output" as const }));
  await store.cards.pack({ projectId: project, cards, boxes: [{ id: "long", items }], now: 1 });
  await store.cards.deleteCards(project, [cards[1]?.id ?? ""]);
  const { task_id: id } = await galley.handover.delegate({ profile: "writer", instruction: "Go on.", boxes: ["long"] });
  expect(await galley.handover.waitFor(id)).toMatchObject({ status: "succeeded", result: "Done." });
  expect(sent[1]).toContain("(context_recall)");
  const results = new Map(answersIn(sent[2] ?? ""));
  const answered = asked.map((input, index) => [JSON.stringify(input), results.get(`c${index}`) ?? ""] as const);
  for (const word of words) {
    const isFound = answered.some(([, answer]) => answer.includes(`The word is ${word}.`));
    expect([word, isFound]).toEqual([word, word === "own_word"]);
  }
  expect(results.get("c0")).toContain("§1 user: The word is own_word.");
  expect(results.get("c11")).toContain("There is no archived context");
  // Who looks at the task asks the same log.
  const seen = (await galley.recall({ task: id }, { query: "own_word" })).text;
  expect(seen).toContain("§1 user: The word is own_word.");
  expect((await galley.recall({ task: id }, { query: "The word is chat_word", scope: "archives" })).text).not.toContain(
    "is chat_word.",
  );
  await expect(galley.recall({ task: "nope" }, { handle: "§1" })).rejects.toMatchObject({ code: "NotFound" });
});

/** What the calls of a request were answered. */
function answersIn(body: string): readonly (readonly [id: string, text: string])[] {
  const { messages } = JSON.parse(body) as { messages: { role: string; tool_call_id?: string; content: string }[] };
  return messages.filter(({ role }) => role === "tool").map((one) => [one.tool_call_id ?? "", one.content]);
}

test("[R2] [T3] recall: false takes the tool away, and the window then points at nothing", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  await (await galley.chats.open("demo")).append(said(0, 30));
  const turn = await galley.turn({
    chat: "demo",
    model: "demo",
    input: "Go on",
    budget: 2500,
    context: { recall: false },
  });
  expect(turn.tools.map(({ name }) => name)).not.toContain("context_recall");
  expect(JSON.stringify(turn.messages)).not.toContain("Left out: §");
});

test("[A7, R2] what was noted about a topic is found with the archives, and its handle gives it back", async () => {
  const { galley } = await galleyWith(() => ({ text: "x" }));
  const place = { kind: "agent", name: "local" } as const;
  const chat = await galley.chats.open("agent:local");
  await chat.newContext({ title: "Fuel", note: "The Heron burns 35 litres of kerosene an hour." });
  const answer = await recallIn(galley, place, { query: "kerosene", scope: "archives" });
  expect(answer).toContain("35 litres of kerosene");
  const [handle = ""] = /c_\d{8}_\w+ ?§\d+/u.exec(answer) ?? [];
  expect(await recallIn(galley, place, { handle })).toContain("The Heron burns 35 litres");
});
