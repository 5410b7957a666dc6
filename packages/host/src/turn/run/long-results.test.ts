import { loadTokenizer } from "@galley/engine";
import { expect, test } from "vitest";
import { galleyIn } from "../../galley/testing/temp-galley.ts";
import { handedBack, next, recallIn } from "../testing/handed-over.ts";

const longResult = `Begin. ${"The sea is deep. ".repeat(12_000)} The word is kelp. ${"It is wide. ".repeat(16_000)} End.`;

test.each(["chat", "session"] as const)(
  "[A1a] of a result of 100,000 tokens the model gets the head, the tail and a handle that opens the whole: %s",
  async (kind) => {
    const galley = await galleyIn();
    const place = kind === "chat" ? { chat: "a" } : { session: "a" };
    const id = await handedBack(galley, "write", longResult, { place: `${kind}:a` });
    const [result = ""] = await next(galley, place);
    const [task] = await galley.store.tasks.read(galley.project, [id]);
    const tokenizer = await loadTokenizer("o200k_base");
    expect(tokenizer.count(result)).toBeLessThan(2200);
    const where = `by the handle ${id}§1, and it is in the box ${task?.outputBoxId}`;
    expect(result).toMatch(new RegExp(`Begin\\..*${where}.* End\\.$`, "s"));
    // Not before the turn that got it: until then it was not told.
    expect((await recallIn(galley, kind, "a", { handle: `${id}§1` })).text).toContain("no archived context or result");
    await galley.run({ ...place, input: "Thank you." }).result;
    const first = await recallIn(galley, kind, "a", { handle: `${id}§1`, max_tokens: 8000 });
    expect(first.text).toContain(`${id}§1 another agent:\nBegin. The sea is deep.`);
    expect(first.next).toMatch(new RegExp(`^${id}§1@\\d+$`));
    expect((await recallIn(galley, kind, "a", { handle: first.next })).text).toContain("The sea is deep.");
    const found = await recallIn(galley, kind, "a", { query: "the word is kelp" });
    expect(found.text).toMatch(new RegExp(`${id}§1@\\d+ another agent: …`));
    expect((await galley.recall(place, { query: "kelp" })).found).toMatchObject([{ handle: `${id}§1` }]);
    // Only where it came back to.
    await galley.run({ chat: "b", input: "Hello." }).result;
    expect((await recallIn(galley, "chat", "b", { handle: `${id}§1` })).text).toContain(
      "no archived context or result",
    );
  },
);

test("[A1a] what was redacted is not read by its handle, and without context_recall no handle is told", async () => {
  const galley = await galleyIn();
  const id = await handedBack(galley, "write", longResult);
  await galley.run({ chat: "a", input: "Thank you." }).result;
  const chat = await galley.chats.open("a");
  await chat.redact(`result-${id}`);
  expect((await recallIn(galley, "chat", "a", { handle: `${id}§1` })).text).toContain("no archived context or result");
  expect((await recallIn(galley, "chat", "a", { query: "kelp" })).text).not.toContain("The word is kelp");
  const other = await handedBack(galley, "write", longResult);
  const turn = await galley.turn({ chat: "a", input: "And now?", context: { recall: false } });
  await turn.abort();
  const told = JSON.stringify(turn.messages.find(({ content }) => JSON.stringify(content).includes(other)));
  expect([told.includes("the whole result is in the box"), told.includes("§")]).toEqual([true, false]);
});
