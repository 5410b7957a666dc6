import { expect, test } from "vitest";
import { fitMessages } from "./langchain.ts";

test.each([
  [{ lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: {} }, "load(text)"],
  [{ type: "human", data: { content: "Hello" } }, "mapStoredMessagesToChatMessages"],
  [{ role: "user", content: "Hello" }, "coerceMessageLikeToMessage"],
  [undefined, "fit(messages, options)"],
])("[J3] langchain: what makes a message of another form is said: %j", async (message, hint) => {
  await expect(fitMessages([message] as never, { budget: 2500 })).rejects.toMatchObject({
    code: "ContextInvalidInput",
    path: "messages[0]",
    hint: expect.stringContaining(hint) as string,
  });
});
