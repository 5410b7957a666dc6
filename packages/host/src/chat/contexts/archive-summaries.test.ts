import { expect, test } from "vitest";
import { chatWith, say } from "../testing/temp-chat.ts";

const longTalk = Array.from(
  { length: 30 },
  (_, index) => `We decided to use plan ${index} because the budget is ${index}00 euros.`,
);

test("[A8] a model's summary does not hold the switch up, and replaces the one that was extracted", async () => {
  const asked = Promise.withResolvers<string>();
  const compactor = { id: "slow", compact: () => asked.promise };
  const chat = await chatWith(longTalk, { settings: async () => ({ compactor }) });
  const { contextId } = (await chat.newContext()).archived!;
  const extracted = chat.readContext(contextId).summary;
  expect(extracted).toMatch(/plan/);
  asked.resolve("In the model's words.");
  await expect.poll(() => chat.readContext(contextId).summary).toBe("In the model's words.");
});

test("[A8] a summary that comes behind a newer version of its archive is not kept", async () => {
  const asked = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  let calls = 0;
  const compactor = { id: "slow", compact: () => asked[calls++]!.promise };
  const chat = await chatWith(longTalk, { settings: async () => ({ compactor }) });
  const { contextId } = (await chat.newContext()).archived!;
  await chat.loadContext({ contextId });
  await say(chat, ["We decided to stop.", "Fine."]);
  await chat.newContext();
  asked[1]!.resolve("Of the whole.");
  await expect.poll(() => chat.readContext(contextId).summary).toBe("Of the whole.");
  asked[0]!.resolve("Of the first part.");
  await chat.close();
  expect(chat.readContext(contextId).summary).toBe("Of the whole.");
});

test("[A8] a compactor that fails leaves the summary that was extracted, and says so", async () => {
  const compactor = { id: "broken", compact: () => Promise.reject(new Error("no model")) };
  const chat = await chatWith(longTalk, { settings: async () => ({ compactor }) });
  const { archived, problems } = await chat.newContext();
  expect(problems).toEqual([]);
  await expect.poll(() => chat.problems).toMatchObject([{ code: "CompactionFailed", path: archived!.contextId }]);
  expect(chat.problems[0]?.message).toContain("no model");
  expect(chat.readContext(archived!.contextId).summary).toMatch(/plan/);
});

test("[A8] without a compactor there is no summary, and loading it says recent", async () => {
  const chat = await chatWith(longTalk, { settings: async () => ({}) });
  const { contextId } = (await chat.newContext()).archived!;
  expect(chat.readContext(contextId).summary).toBeUndefined();
  const { loaded } = await chat.loadContext({ contextId, mode: "summary" });
  expect(loaded).toMatchObject({ mode: "recent", messageCount: 12 });
  expect(JSON.stringify(chat.entries()[0])).toContain("mode: recent");
});

test("[A9] the language of the settings comes before that of the user", async () => {
  const chat = await chatWith(["bake bread", "with flour"], { settings: async () => ({ language: "zh" }) });
  const { contextId } = (await chat.newContext()).archived!;
  expect((await chat.loadContext({ contextId })).loaded?.language).toBe("zh");
  expect(JSON.stringify(chat.entries()[0])).toContain("仅供参考");
});
