import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount, jsonSchema, streamText, tool, wrapLanguageModel } from "ai";
import { fitMiddleware, fitStep } from "@galley/engine/ai-sdk";
import { expect, test } from "vitest";
import { readFiles } from "../plugs/examples/ai-sdk.ts";
import { fileText, startStandIn } from "../plugs/stand-in.ts";

const budget = 8000;
const requests = 30;
const inputSchema = jsonSchema<{ path: string }>({ type: "object", properties: { path: { type: "string" } } });
const tools = { read_file: tool({ description: "Reads.", inputSchema, execute: ({ path }) => fileText(path) }) };
const task = { instructions: "Be brief.", prompt: "Read the files.", tools, stopWhen: isStepCount(requests) };

test("[J2] a loop of the AI SDK stays in the budget, with a step and with a middleware, and loses nothing", async () => {
  const server = await startStandIn({ requests, budget });
  const provider = createOpenAICompatible({ name: "stand-in", baseURL: `${server.url}/v1` });
  const step = streamText({ ...task, model: provider("gpt-6-luna"), prepareStep: fitStep({ budget, tools }) });
  expect(await step.text).toBe("All files are read.");
  expect((await step.responseMessages).length).toBe(2 * requests - 1);
  const seen = await server.close();
  expect(seen).toMatchObject({ requests, refused: [], overBudget: 0 });
  expect(seen.largest).toBeGreaterThan(budget * 0.8);
  const second = await startStandIn({ requests, budget });
  const other = createOpenAICompatible({ name: "stand-in", baseURL: `${second.url}/v1` })("gpt-6-luna");
  const model = wrapLanguageModel({ model: other, middleware: fitMiddleware({ budget }) });
  expect((await generateText({ ...task, model })).text).toBe("All files are read.");
  expect(await second.close()).toEqual(seen);
});

test("[J2] [J5] the example of the AI SDK runs against the stand-in server", async () => {
  const server = await startStandIn({ requests, budget });
  const { text, kept } = await readFiles({ url: server.url, budget, requests });
  expect([text, kept]).toEqual(["All files are read.", 2 * requests - 1]);
  expect(await server.close()).toMatchObject({ requests, refused: [], overBudget: 0 });
});
