import { createOpenAI } from "@ai-sdk/openai";
import { fitStep } from "@galley/engine/ai-sdk";
import { fitMiddleware } from "@galley/engine/langchain";
import { fitProcessor } from "@galley/engine/mastra";
import { fitInput, fitProvider } from "@galley/engine/openai-agents";
import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { Agent, MemorySession, OpenAIProvider, Runner, tool as agentTool, webSearchTool } from "@openai/agents";
import { type ModelMessage, Output, isStepCount, streamText, tool as aiTool } from "ai";
import { createAgent, humanInTheLoopMiddleware, providerStrategy, tool as langChainTool } from "langchain";
import { expect, test } from "vitest";
import * as z from "zod";
import { answer, image, requests, startFullConversation } from "./full-conversation.ts";
import { fileText } from "./stand-in.ts";

// All that a framework can send, in one conversation: streams, several calls at once, a call that a person approves, a
// picture, reasoning with signatures, a tool that the provider runs, an answer in JSON.

const budget = 8000;
const description = "Works on a file of the project.";
const inputSchema = z.object({ path: z.string() });
const outputSchema = z.object({ total: z.number() });
const [instructions, question] = ["You read files.", "Where does the money on this picture go?"];

interface Way {
  readonly url: string;
}

async function aiSdk({ url }: Way): Promise<{ output: unknown; stored: string }> {
  const provider = createOpenAI({ baseURL: url, apiKey: "none" });
  const tools = {
    read_file: aiTool({ description, inputSchema, execute: ({ path }) => fileText(path) }),
    delete_file: aiTool({ description, inputSchema, needsApproval: true, execute: () => "deleted" }),
    web_search: provider.tools.webSearch({}),
  };
  const messages: ModelMessage[] = [
    {
      role: "user",
      content: [
        { type: "text", text: question },
        { type: "file", data: image, mediaType: "image/png" },
      ],
    },
  ];
  const prepareStep = fitStep({ budget, tools });
  for (;;) {
    const result = streamText({
      model: provider("gpt-6-luna"),
      providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content"] } },
      instructions,
      messages: [...messages],
      tools,
      output: Output.object({ schema: outputSchema }),
      stopWhen: isStepCount(requests),
      prepareStep,
    });
    await result.consumeStream({
      onError: (error) => {
        throw error;
      },
    });
    messages.push(...(await result.responseMessages));
    const asked = (await result.content).flatMap((part) => (part.type === "tool-approval-request" ? [part] : []));
    if (asked.length === 0) return { output: await result.output, stored: JSON.stringify(messages) };
    const content = asked.map(({ approvalId }) => ({
      type: "tool-approval-response" as const,
      approvalId,
      approved: true,
    }));
    messages.push({ role: "tool", content });
  }
}

function openAiAgents(asProvider: boolean) {
  return async ({ url }: Way): Promise<{ output: unknown; stored: string }> => {
    const readFile = agentTool({
      name: "read_file",
      description,
      parameters: inputSchema,
      execute: ({ path }) => fileText(path),
    });
    const deleteFile = agentTool({
      name: "delete_file",
      description,
      parameters: inputSchema,
      needsApproval: true,
      execute: () => "deleted",
    });
    const agent = new Agent({
      name: "reader",
      instructions,
      model: "gpt-6-luna",
      tools: [readFile, deleteFile, webSearchTool()],
      outputType: outputSchema,
      modelSettings: { store: false, providerData: { include: ["reasoning.encrypted_content"] } },
    });
    const models = new OpenAIProvider({ apiKey: "none", baseURL: url });
    const session = new MemorySession();
    const runner = new Runner({
      modelProvider: asProvider ? fitProvider(models, { budget }) : models,
      tracingDisabled: true,
    });
    const options = {
      session,
      maxTurns: requests,
      stream: true as const,
      ...(asProvider ? {} : { callModelInputFilter: fitInput({ budget }) }),
    };
    const input = [
      {
        role: "user" as const,
        content: [
          { type: "input_text" as const, text: question },
          { type: "input_image" as const, image: `data:image/png;base64,${image}` },
        ],
      },
    ];
    let result = await runner.run(agent, input, options);
    await result.completed;
    while (result.interruptions.length > 0) {
      for (const each of result.interruptions) result.state.approve(each);
      result = await runner.run(agent, result.state, options);
      await result.completed;
    }
    return { output: result.finalOutput, stored: JSON.stringify(await session.getItems()) };
  };
}

async function langChain({ url }: Way): Promise<{ output: unknown; stored: string }> {
  const readFile = langChainTool(({ path }: { path: string }) => fileText(path), {
    name: "read_file",
    description,
    schema: inputSchema,
  });
  const deleteFile = langChainTool(() => "deleted", { name: "delete_file", description, schema: inputSchema });
  const agent = createAgent({
    model: new ChatOpenAI({
      model: "gpt-6-luna",
      apiKey: "none",
      useResponsesApi: true,
      streaming: true,
      zdrEnabled: true,
      configuration: { baseURL: url },
    }),
    tools: [readFile, deleteFile, { type: "web_search" }],
    systemPrompt: instructions,
    responseFormat: providerStrategy(outputSchema),
    checkpointer: new MemorySaver(),
    middleware: [humanInTheLoopMiddleware({ interruptOn: { delete_file: true } }), fitMiddleware({ budget })],
  });
  const content = [
    { type: "text", text: question },
    { type: "image_url", image_url: { url: `data:image/png;base64,${image}` } },
  ];
  const config = { recursionLimit: 200, configurable: { thread_id: "t1" } };
  let state = await agent.invoke({ messages: [{ role: "user", content }] }, config);
  while ("__interrupt__" in state)
    state = await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }) as never, config);
  return { output: state.structuredResponse, stored: JSON.stringify(state.messages) };
}

async function mastra({ url }: Way): Promise<{ output: unknown; stored: string }> {
  const provider = createOpenAI({ baseURL: url, apiKey: "none" });
  const read_file = createTool({
    id: "read_file",
    description,
    inputSchema,
    execute: async ({ path }) => fileText(path),
  });
  const delete_file = createTool({
    id: "delete_file",
    description,
    inputSchema,
    requireApproval: true,
    execute: async () => "deleted",
  });
  const reader = new MastraAgent({
    id: "reader",
    name: "reader",
    instructions,
    // Mastra takes it; its types want to have their own.
    model: provider("gpt-6-luna") as never,
    tools: { read_file, delete_file, web_search: provider.tools.webSearch({}) },
    inputProcessors: [fitProcessor({ budget })],
  });
  const agent = new Mastra({ agents: { reader }, storage: new InMemoryStore(), logger: false }).getAgent("reader");
  const options = {
    maxSteps: requests,
    providerOptions: { openai: { store: false, include: ["reasoning.encrypted_content" as const] } },
    structuredOutput: { schema: outputSchema },
  };
  const content = [
    { type: "text" as const, text: question },
    { type: "image" as const, image: `data:image/png;base64,${image}` },
  ];
  let stream = await agent.stream([{ role: "user", content }], options);
  for (;;) {
    await stream.consumeStream();
    const result = await stream.getFullOutput();
    if (result.finishReason !== "suspended") return { output: result.object, stored: JSON.stringify(result.messages) };
    stream = await agent.approveToolCall({
      ...options,
      runId: stream.runId,
      toolCallId: result.suspendPayload?.toolCallId,
    });
  }
}

test.each([
  ["ai-sdk", aiSdk],
  ["langchain", langChain],
  ["mastra", mastra],
  ["openai-agents", openAiAgents(false)],
  ["openai-agents, by the provider", openAiAgents(true)],
])("[J2] in %s everything goes through that the framework can send", { timeout: 60_000 }, async (_, run) => {
  const server = await startFullConversation();
  const { output, stored } = await run({ url: server.url });
  const { inputs, refused, largest } = await server.close();
  expect(output).toEqual(answer);
  expect(inputs).toHaveLength(requests);
  expect(refused).toEqual([]);
  expect(largest).toBeLessThanOrEqual(budget);
  const sent = JSON.stringify(inputs);
  for (const part of [image, "signed-0", "ws_1", "call_3b", "deleted"]) {
    expect(sent).toContain(part);
    expect(stored).toContain(part);
  }
  expect(JSON.stringify(inputs.at(-1))).toContain("[result left out: ");
  expect(stored).not.toContain("[result left out: ");
});
