import { expect, test } from "vitest";
import { galleyWith, textsOf } from "../../galley/testing/temp-galley.ts";
import { messageId } from "../../chat/lines/chat-line.ts";

test("[T13] answers that were regenerated stay as alternates; the chosen one is the message", async () => {
  const answers = ["one", "two", "three"];
  const { galley } = await galleyWith(() => ({ text: answers.shift() ?? "more" }));
  await galley.run({ chat: "a", input: "Say a number." }).result;
  await galley.regenerate("a").result;
  await galley.regenerate("a").result;
  const chat = await galley.chats.open("a");
  const alternates = () => chat.window().kept.flatMap(({ line }) => (line.type === "alternate" ? [line.message] : []));
  expect(await textsOf(galley, "a")).toEqual(["Say a number.", "three"]);
  expect(alternates().map(({ content }) => content)).toEqual(["one", "two"]);
  const [one] = alternates();
  await chat.chooseAlternate(one ? messageId(one) : "");
  expect(await textsOf(galley, "a")).toEqual(["Say a number.", "one"]);
  expect(alternates().map(({ content }) => content)).toEqual(["two", "three"]);
  const { messages } = await galley.turn({ chat: "a", input: "And now?" });
  expect(messages.slice(1).map(({ content }) => content)).toEqual(["Say a number.", "one", "And now?"]);
  // They go into the archive and back, and count as no message.
  const { archived } = await chat.newContext({});
  expect([archived?.messageCount, alternates()]).toEqual([2, []]);
  await chat.loadContext({ contextId: archived?.contextId ?? "" });
  expect(alternates().map(({ content }) => content)).toEqual(["two", "three"]);
  const two = messageId(alternates()[0] ?? { ts: 0, role: "assistant", content: "" });
  await galley.run({ chat: "a", input: "Next." }).result;
  await expect(chat.chooseAlternate(two)).rejects.toMatchObject({ code: "EditNotAllowed", path: "messageId" });
  await expect(chat.chooseAlternate("m_none")).rejects.toMatchObject({ code: "NotFound" });
  await chat.redact(two);
  expect(alternates().map(({ content }) => content)).toEqual(["three"]);
});
