import { expect, test } from "vitest";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import * as z from "zod";
import { galleyIn, textsOf, dataFolder } from "../../galley/testing/temp-galley.ts";
import { defineTool } from "../../tools/define-tool.ts";

const usage = {
  inputTokens: { total: 7, noCache: 7, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};

/** A model of the AI SDK that is not one of ours. */
function ownModel(words: string, waits = false) {
  return new MockLanguageModelV4({
    provider: "mine",
    modelId: "mine-1",
    doStream: async () => ({
      stream: simulateReadableStream({
        chunkDelayInMs: waits ? 60_000 : null,
        chunks: [
          { type: "stream-start", warnings: [] },
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: words },
          { type: "text-end", id: "1" },
          { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
        ],
      }),
    }),
  });
}

const bell = defineTool({
  name: "bell",
  description: "Rings.",
  inputSchema: z.object({}),
  execute: () => ({ rung: true }),
});

test("[T9] a run takes any model of the AI SDK, tools and options of its own", async () => {
  const galley = await galleyIn();
  const model = ownModel("Here I am.");
  const modelOptions = { temperature: 0.5, maxOutputTokens: 99 };
  const run = galley.run({ chat: "a", model, input: "Who?", system: "Be brief.", tools: [bell], modelOptions });
  expect((await run.result).text).toBe("Here I am.");
  const [call] = model.doStreamCalls;
  expect(call).toMatchObject({ temperature: 0.5, maxOutputTokens: 99 });
  expect(call?.tools?.map(({ name }) => name)).toContain("bell");
  expect(JSON.stringify(call?.prompt)).toContain("Be brief.");
  const turn = await galley.turn({ chat: "a", model, input: "Again?", tools: [bell], modelOptions });
  expect(turn.modelOptions).toEqual(modelOptions);
  expect((await turn.call({ toolCallId: "1", toolName: "bell", input: {} })).output).toMatchObject({ type: "json" });
  await turn.abort();
  const clash = { ...bell, name: "chat_context_new" };
  const refused = galley.turn({ chat: "a", input: "x", tools: [clash] });
  await expect(refused).rejects.toMatchObject({ code: "DuplicateId", path: "tools[0].name" });
  await expect(galley.turn({ chat: "a", input: "x", model: {} as never })).rejects.toMatchObject({ path: "model" });
  const wrong = { heat: 1 } as never;
  const unknown = galley.turn({ chat: "a", input: "x", modelOptions: wrong });
  await expect(unknown).rejects.toMatchObject({ path: "modelOptions.heat" });
});

test("[T9] a run with a model that no other process can have ends as interrupted, and keeps its question", async () => {
  const data = dataFolder();
  const galley = await galleyIn(data);
  const run = galley.run({ chat: "a", model: ownModel("Never", true), input: "Who?" });
  for await (const event of run) if (event.type === "build") break;
  await galley.close();
  const again = await galleyIn(data);
  const [resumed] = await again.resume({ isOwner: true });
  await expect(resumed?.result).rejects.toMatchObject({
    code: "RunFailed",
    message: expect.stringContaining("interrupted") as string,
  });
  expect(await again.store.runs.get("default", run.runId)).toMatchObject({ status: "failed" });
  expect(await textsOf(again, "a", "transcript")).toEqual(["Who?"]);
});
