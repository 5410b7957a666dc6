import fc from "fast-check";
import { expect, test } from "vitest";
import { dataFolder, open, user } from "../testing/temp-chat.ts";
import type { Chat } from "../chat.ts";

type Step =
  | { readonly type: "say"; readonly role: "user" | "assistant" }
  | { readonly type: "new"; readonly isInRun: boolean }
  | {
      readonly type: "load";
      readonly pick: number;
      readonly mode: "full" | "recent" | "summary";
      readonly isInRun: boolean;
    }
  | { readonly type: "reopen" };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant("say"), role: fc.constantFrom("user", "assistant") }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("new"), isInRun: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("load"),
      pick: fc.nat(10),
      mode: fc.constantFrom("full", "recent", "summary"),
      isInRun: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("reopen") }) },
);

async function take(chat: Chat, step: Exclude<Step, { type: "reopen" }>, said: string[]): Promise<void> {
  if (step.type === "say") {
    const content = `message ${said.length}`;
    await chat.append([step.role === "user" ? user(content) : { role: "assistant", content }]);
    said.push(content);
  } else if (step.type === "new") await chat.newContext({}, step);
  else {
    const { contexts } = await chat.listContexts(200);
    const chosen = contexts[step.pick % Math.max(1, contexts.length)];
    if (chosen) await chat.loadContext({ contextId: chosen.contextId, mode: step.mode }, step);
  }
}

test("[W3] [W4] whatever is switched, every message stays in the active context or in an archive that is listed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const folder = dataFolder();
      let chat = await open(folder);
      const said: string[] = [];
      for (const one of steps) {
        if (one.type === "reopen") {
          await chat.close();
          chat = await open(folder);
        } else await take(chat, one, said);
      }
      const found = new Set<unknown>(chat.window().messages.map(({ content }) => content));
      for (const { contextId, messageCount } of (await chat.listContexts(200)).contexts) {
        const { messages } = chat.readContext(contextId);
        expect(messages).toHaveLength(messageCount);
        for (const { content } of messages) found.add(content);
      }
      expect(said.filter((content) => !found.has(content))).toEqual([]);
      expect(chat.transcript().messages.map(({ content }) => content)).toEqual(said);
      await chat.close();
    }),
    { numRuns: Number(process.env["GALLEY_LAW_RUNS"] ?? 0) > 1000 ? 1000 : 60 },
  );
});
