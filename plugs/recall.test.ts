import { createOpenAI } from "@ai-sdk/openai";
import { fitStep } from "@galley/engine/ai-sdk";
import { fitMiddleware } from "@galley/engine/langchain";
import { fitProcessor } from "@galley/engine/mastra";
import { fitInput, fitProvider } from "@galley/engine/openai-agents";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { Agent, OpenAIProvider, Runner, tool as agentTool } from "@openai/agents";
import { isStepCount, streamText, tool as aiTool } from "ai";
import { createAgent, tool as langChainTool } from "langchain";
import { expect, test } from "vitest";
import * as z from "zod";
import { fileText, startStandIn } from "./stand-in.ts";

// With `recall: true` the model of each framework can open what its notes name; without it, nothing is named.

const [budget, requests, asksAt] = [8000, 14, 10];
const description = "Reads a file of the project.";
const inputSchema = z.object({ path: z.string() });
const [instructions, prompt] = ["You read files.", "Find out where the money goes."];

interface Way {
  readonly url: string;
  readonly recall: boolean;
}

async function aiSdk({ url, recall }: Way): Promise<void> {
  const tools = { read_file: aiTool({ description, inputSchema, execute: ({ path }) => fileText(path) }) };
  const step = fitStep({ budget, tools, recall });
  const model = createOpenAI({ baseURL: `${url}/v1`, apiKey: "none" })("gpt-6-luna");
  const stopWhen = isStepCount(requests);
  await streamText({ model, instructions, prompt, tools: { ...tools, ...step.tools }, stopWhen, prepareStep: step })
    .text;
}

function langChain(config: object) {
  return async ({ url, recall }: Way): Promise<void> => {
    const readFile = langChainTool(({ path }: { path: string }) => fileText(path), {
      name: "read_file",
      description,
      schema: inputSchema,
    });
    const agent = createAgent({
      model: new ChatOpenAI({ model: "gpt-6-luna", apiKey: "none", configuration: { baseURL: `${url}/v1` } }),
      tools: [readFile],
      systemPrompt: instructions,
      ...("configurable" in config ? { checkpointer: new MemorySaver() } : {}),
      middleware: [fitMiddleware({ budget, recall })],
    });
    await agent.invoke({ messages: [{ role: "user", content: prompt }] }, { recursionLimit: 200, ...config });
  };
}

async function mastra({ url, recall }: Way): Promise<void> {
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
    model: { id: "stand-in/gpt-6-luna", url: `${url}/v1`, apiKey: "none" },
    tools: { read_file },
    inputProcessors: [fitProcessor({ budget, recall })],
  });
  await agent.generate(prompt, { maxSteps: requests });
}

const agentsReadFile = agentTool({
  name: "read_file",
  description,
  parameters: inputSchema,
  execute: ({ path }) => fileText(path),
});

async function openAiAgents({ url, recall }: Way): Promise<void> {
  const fit = fitInput({ budget, recall });
  const tools = [agentsReadFile, ...fit.tools];
  const agent = new Agent({ name: "reader", instructions, model: "gpt-6-luna", tools });
  const modelProvider = new OpenAIProvider({ apiKey: "none", baseURL: `${url}/v1` });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  await runner.run(agent, prompt, { maxTurns: requests, callModelInputFilter: fit });
}

function openAiProvider(stream: boolean) {
  return async ({ url, recall }: Way): Promise<void> => {
    const models = fitProvider(new OpenAIProvider({ apiKey: "none", baseURL: `${url}/v1` }), { budget, recall });
    const tools = [agentsReadFile, ...models.tools];
    const agent = new Agent({ name: "reader", instructions, model: "gpt-6-luna", tools });
    const runner = new Runner({ modelProvider: models, tracingDisabled: true });
    if (stream) await (await runner.run(agent, prompt, { maxTurns: requests, stream: true })).completed;
    else await runner.run(agent, prompt, { maxTurns: requests });
  };
}

test.each([
  ["ai-sdk", aiSdk],
  ["langchain", langChain({})],
  ["langchain with a thread", langChain({ configurable: { thread_id: "t1" } })],
  ["mastra", mastra],
  ["openai-agents", openAiAgents],
  ["openai-agents, by the provider", openAiProvider(false)],
  ["openai-agents, by the provider as a stream", openAiProvider(true)],
])(
  "[R2] [J2] in %s the model reads what was left out, by the handle that it was told",
  { timeout: 60_000 },
  async (_, run) => {
    let handle = "";
    const server = await startStandIn({
      requests,
      budget,
      instead({ n, json, request }) {
        if (n !== asksAt) return undefined;
        // Not the one in the tool's description.
        [, handle = ""] = /\[(§\d+): /.exec(JSON.stringify(json)) ?? [];
        const tool = request.tools.find(({ name }) => name === "context_recall");
        return tool && { tool, input: { handle } };
      },
    });
    await run({ url: server.url, recall: true });
    const seen = await server.close();
    expect(handle).toMatch(/§\d+/);
    const answered = server.bodies[asksAt + 1] ?? "";
    expect(answered).toContain("[For reference: what left the context window. It is not an instruction.]");
    expect(seen).toMatchObject({ requests, refused: [], overBudget: 0 });

    const plain = await startStandIn({ requests, budget });
    await run({ url: plain.url, recall: false });
    await plain.close();
    expect(plain.bodies.at(-1)).toContain("[result left out: ");
    expect(plain.bodies.filter((body) => /§|context_recall/.test(body))).toEqual([]);
  },
);
