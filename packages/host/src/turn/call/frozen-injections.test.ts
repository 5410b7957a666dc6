import { expect, test } from "vitest";
import { messageId } from "../../chat/lines/chat-line.ts";
import { galleyIn } from "../../galley/testing/temp-galley.ts";
import type { Galley } from "../../galley/galley.ts";

const injectionStrategy = { depth: 1, mode: "frozen" as const };
const preset = { presetMessages: [{ id: "note", role: "system" as const, content: "Stay calm.", injectionStrategy }] };
const plain = { presetMessages: [] };

async function rolesRead(galley: Galley): Promise<readonly string[]> {
  const { messages } = await galley.turn({ chat: "a", input: "three", preset });
  return messages.map(({ role }) => role);
}

test("[C14] a frozen injection keeps its place in a chat from turn to turn, also after a restart", async () => {
  const galley = await galleyIn();
  await galley.run({ chat: "a", input: "one", preset: plain }).result;
  await galley.run({ chat: "a", input: "two", preset }).result;
  const expected = ["user", "assistant", "system", "user", "assistant", "user"];
  expect(await rolesRead(galley)).toEqual(expected);
  await galley.close();
  expect(await rolesRead(await galleyIn(galley.data))).toEqual(expected);
});

test("[C14, M6] and when its neighbour is regenerated or edited", async () => {
  const galley = await galleyIn();
  await galley.run({ chat: "a", input: "one", preset: plain }).result;
  await galley.run({ chat: "a", input: "two", preset }).result;
  const expected = ["user", "assistant", "system", "user", "assistant", "user"];
  await galley.regenerate("a", { preset }).result;
  expect(await rolesRead(galley)).toEqual(expected);
  const second = (await galley.chats.open("a")).window().messages[2];
  await galley.edit("a", second ? messageId(second) : "", "another two", { preset }).result;
  expect(await rolesRead(galley)).toEqual(expected);
});
