import { createAnthropic } from "@ai-sdk/anthropic";
import { fitMiddleware as fitModel, fitStep } from "@galley/engine/ai-sdk";
import { fitMiddleware } from "@galley/engine/langchain";
import { fitProcessor } from "@galley/engine/mastra";
import { fitInput } from "@galley/engine/openai-agents";
import { ChatAnthropic } from "@langchain/anthropic";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, MemorySession, Runner, tool as agentTool } from "@openai/agents";
import { aisdk } from "@openai/agents-extensions/ai-sdk";
import { isStepCount, streamText, tool as aiTool, wrapLanguageModel } from "ai";
import { createAgent, tool as langChainTool } from "langchain";
import { expect, test } from "vitest";
import * as z from "zod";
import { answer, model, requests, startThinker } from "./anthropic-conversation.ts";
import { fileText } from "./stand-in.ts";

// Reasoning that Anthropic has signed, through the loop of each framework: it refuses a call whose thought is not there as it
// was given.

const budget = 8000;
const description = "Reads a file of the project.";
const inputSchema = z.object({ path: z.string() });
const [instructions, prompt] = ["You read files.", "Find out where the money goes."];
const thinking = { type: "adaptive" as const };

interface Way {
  readonly url: string;
}

interface Ended {
  readonly text: unknown;
  /** All that the framework has of the conversation. */
  readonly stored: unknown;
}

const claude = ({ url }: Way) => createAnthropic({ baseURL: `${url}/v1`, apiKey: "none" })(model);

function aiSdk(asMiddleware: boolean) {
  return async (way: Way): Promise<Ended> => {
    const tools = { read_file: aiTool({ description, inputSchema, execute: ({ path }) => fileText(path) }) };
    const own = claude(way);
    const result = streamText({
      model: asMiddleware ? wrapLanguageModel({ model: own, middleware: fitModel({ budget }) }) : own,
      providerOptions: { anthropic: { thinking } },
      instructions,
      prompt,
      tools,
      stopWhen: isStepCount(requests),
      ...(asMiddleware ? {} : { prepareStep: fitStep({ budget, tools }) }),
    });
    return { text: await result.text, stored: await result.responseMessages };
  };
}

async function langChain({ url }: Way): Promise<Ended> {
  const readFile = langChainTool(({ path }: { path: string }) => fileText(path), {
    name: "read_file",
    description,
    schema: inputSchema,
  });
  const agent = createAgent({
    model: new ChatAnthropic({
      model,
      apiKey: "none",
      anthropicApiUrl: url,
      streaming: true,
      maxTokens: 4096,
      thinking,
    }),
    tools: [readFile],
    systemPrompt: instructions,
    middleware: [fitMiddleware({ budget })],
  });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: prompt }] }, { recursionLimit: 200 });
  return { text: messages.at(-1)?.text, stored: messages };
}

async function mastra(way: Way): Promise<Ended> {
  const read_file = createTool({
    id: "read_file",
    description,
    inputSchema,
    execute: async ({ path }) => fileText(path),
  });
  const agent = new MastraAgent({
    id: "reader",
    name: "reader",
    instructions,
    // Mastra takes it; its types want to have their own.
    model: claude(way) as never,
    tools: { read_file },
    inputProcessors: [fitProcessor({ budget })],
  });
  const stream = await agent.stream(prompt, { maxSteps: requests, providerOptions: { anthropic: { thinking } } });
  await stream.consumeStream();
  const { text, messages } = await stream.getFullOutput();
  return { text, stored: messages };
}

async function openAiAgents(way: Way): Promise<Ended> {
  const readFile = agentTool({
    name: "read_file",
    description,
    parameters: inputSchema,
    execute: ({ path }) => fileText(path),
  });
  const agent = new Agent({
    name: "reader",
    instructions,
    // The adapter is of another version of the SDK's types.
    model: aisdk(claude(way)) as never,
    tools: [readFile],
    modelSettings: { providerData: { providerOptions: { anthropic: { thinking } } } },
  });
  const session = new MemorySession();
  const options = {
    session,
    maxTurns: requests,
    stream: true as const,
    callModelInputFilter: fitInput({ budget, model }),
    // Anthropic numbers the blocks of each answer from 0; the SDK takes the same number for the same item.
    reasoningItemIdPolicy: "omit" as const,
  };
  const result = await new Runner({ tracingDisabled: true }).run(agent, prompt, options);
  await result.completed;
  return { text: result.finalOutput, stored: await session.getItems() };
}

test.each([
  ["ai-sdk", aiSdk(false)],
  ["ai-sdk, by the middleware", aiSdk(true)],
  ["langchain", langChain],
  ["mastra", mastra],
  ["openai-agents", openAiAgents],
])("[J2] in %s reasoning goes back to Anthropic as it was signed", { timeout: 60_000 }, async (_, run) => {
  const server = await startThinker();
  const { text, stored } = await run({ url: server.url });
  const seen = await server.close();
  expect(text).toBe(answer);
  expect(seen.requests).toHaveLength(requests);
  expect(seen.refused).toEqual([]);
  expect(seen.largest).toBeLessThanOrEqual(budget);
  const [sent, kept] = [JSON.stringify(seen.requests), JSON.stringify(stored)];
  for (const part of ["signed-0", "sealed-2", `signed-${requests - 2}`]) {
    expect(sent).toContain(part);
    expect(kept).toContain(part);
  }
  expect(JSON.stringify(seen.requests.at(-1))).toContain("[result left out: ");
  expect(kept).not.toContain("[result left out: ");
});
