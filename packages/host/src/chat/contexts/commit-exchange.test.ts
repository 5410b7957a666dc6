import type { ModelMessage } from "@galley/engine";
import { expect, test } from "vitest";
import {
  activeFile,
  assistant,
  chatWith,
  jsonLines,
  open,
  say,
  texts,
  transcriptFile,
  user,
} from "../testing/temp-chat.ts";
import type { Chat } from "../chat.ts";
import { messageId } from "../lines/chat-line.ts";
import type { TimedMessage } from "./commit-exchange.ts";

const at = (ts: number, message: ModelMessage): TimedMessage => ({ ts, message });
const idsOf = (chat: Chat): string[] => chat.window().messages.map(messageId);
const spoken = (chat: Chat): unknown[] => chat.transcript().messages.map(({ content }) => content);

test("[W11] what is kept twice with the same times is there once", async () => {
  const chat = await chatWith(["a", "b"]);
  const pair = [at(chat.nextTime(), user("c")), at(chat.nextTime(), assistant("d"))];
  const keep = { transcript: pair, active: pair };
  await chat.commitExchange(keep);
  await chat.commitExchange({ ...keep, isRepeated: true });
  expect(texts(chat)).toEqual(["a", "b", "c", "d"]);
  expect(spoken(chat)).toEqual(["a", "b", "c", "d"]);
});

test("[W11] a write that was cut short behind the transcript is completed in the active context", async () => {
  const chat = await chatWith(["a", "b"]);
  const pair = [at(chat.nextTime(), user("c")), at(chat.nextTime(), assistant("d"))];
  await chat.commitExchange({ transcript: pair, active: [] });
  await chat.commitExchange({ transcript: pair, active: pair, isRepeated: true });
  expect([spoken(chat), texts(chat)]).toEqual([
    ["a", "b", "c", "d"],
    ["a", "b", "c", "d"],
  ]);
});

test("[W11] what others have said since is not followed by an old reply", async () => {
  const chat = await chatWith(["a", "b"]);
  const pair = [at(chat.nextTime(), user("c")), at(chat.nextTime(), assistant("d"))];
  const keep = { transcript: pair, active: pair };
  await chat.commitExchange(keep);
  await chat.newContext();
  await say(chat, ["e", "f"]);
  await chat.commitExchange({ ...keep, isRepeated: true });
  expect(texts(chat)).toEqual(["e", "f"]);
  expect(spoken(chat)).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test("[M6] a branch leaves the active context at the message that it is cut from; the transcript keeps both", async () => {
  const chat = await chatWith(["a", "b", "c", "d"]);
  const [, , , old] = idsOf(chat);
  const reply = at(chat.nextTime(), assistant("another d"));
  const keep = { transcript: [reply], active: [reply], cutFrom: old };
  await chat.commitExchange(keep);
  await chat.commitExchange({ ...keep, isRepeated: true });
  expect(texts(chat)).toEqual(["a", "b", "c", "another d"]);
  expect(spoken(chat)).toEqual(["a", "b", "c", "d", "another d"]);
  await say(chat, ["e"]);
  expect(texts(chat)).toEqual(["a", "b", "c", "another d", "e"]);
});

test("[M6] a branch may begin with the message that it was cut from", async () => {
  const chat = await chatWith(["a", "b", "c", "d"]);
  const third = chat.window().messages[2];
  const again = [at(third?.ts ?? 0, user("c")), at(chat.nextTime(), assistant("another d"))];
  const keep = { transcript: again.slice(1), active: again, cutFrom: third && messageId(third) };
  for (const isRepeated of [false, true, true]) await chat.commitExchange({ ...keep, isRepeated });
  expect(texts(chat)).toEqual(["a", "b", "c", "another d"]);
  expect(spoken(chat)).toEqual(["a", "b", "c", "d", "another d"]);
});

test("[M6] a branch from before a recalled message says how many are left of those that were recalled", async () => {
  const chat = await chatWith(["a", "b", "c", "d"]);
  const { archived } = await chat.newContext();
  await chat.loadContext({ contextId: archived?.contextId });
  const [, , third] = idsOf(chat);
  const pair = [at(chat.nextTime(), user("x")), at(chat.nextTime(), assistant("y"))];
  await chat.commitExchange({ transcript: pair, active: pair, cutFrom: third });
  expect(texts(chat)).toEqual(["a", "b", "x", "y"]);
  expect(jsonLines(activeFile(chat))[0]).toMatchObject({ type: "recalled", messageCount: 2 });
});

test("[M6] a cut at a message that is not active any more takes nothing away", async () => {
  const chat = await chatWith(["a", "b"]);
  const [, second] = idsOf(chat);
  await chat.newContext();
  const reply = at(chat.nextTime(), assistant("c"));
  await chat.commitExchange({ transcript: [reply], active: [reply], cutFrom: second });
  expect(texts(chat)).toEqual(["c"]);
  expect(jsonLines(transcriptFile(chat))).toHaveLength(3);
});

test("[P6] what is kept holds no secrets", async () => {
  const chat = await open(undefined, "demo", { secrets: { KEY: "sesame-open" } });
  const said = [at(chat.nextTime(), user("it is sesame-open"))];
  await chat.commitExchange({ transcript: said, active: said });
  expect(texts(chat)).toEqual(["it is ‹secret:KEY›"]);
});
