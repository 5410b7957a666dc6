import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Agent, MemorySession, OpenAIProvider, Runner, assistant, user } from "@openai/agents";
import { fitInput, fitProvider } from "@galley/engine/openai-agents";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, type HumanMessage } from "langchain";
import { expect, test } from "vitest";
import { fitMessages, fitMiddleware } from "@galley/engine/langchain";
import { readFiles as aiSdk } from "./examples/ai-sdk.ts";
import { readFiles as langchain } from "./examples/langchain.ts";
import { readFiles as mastra } from "./examples/mastra.ts";
import { readFiles as openAiAgents } from "./examples/openai-agents.ts";
import { startStandIn } from "./stand-in.ts";

const budget = 32_000;
const requests = 80;
const patience = { timeout: 300_000 };

test.each([
  ["ai-sdk", aiSdk],
  ["langchain", langchain],
  ["mastra", mastra],
  ["openai-agents", openAiAgents],
])(
  "[J2] a loop of 80 requests in %s stays in the budget and in the cache, and loses nothing",
  patience,
  async (name, run) => {
    const server = await startStandIn({ requests, budget });
    const { text, kept } = await run({ url: server.url, budget, requests });
    const seen = await server.close();
    console.log(`${name}: cached ${(seen.cachedShare * 100).toFixed(1)} %, largest ${seen.largest} tokens`);
    expect(text).toBe("All files are read.");
    expect(seen.requests).toBe(requests);
    expect(seen.refused).toEqual([]);
    expect(seen.overBudget).toBe(0);
    expect(seen.largest).toBeGreaterThan(budget * 0.9);
    expect(seen.cachedShare).toBeGreaterThan(0.85);
    expect(kept).toBe(2 * requests - 1);
    const file = fileURLToPath(new URL(`examples/${name}.ts`, import.meta.url));
    expect(readFileSync(file, "utf8").split("\n").length).toBeLessThanOrEqual(41);
  },
);

test("[J2] a session of the Agents SDK keeps all new input, also what is sent together", patience, async () => {
  const server = await startStandIn({ requests: 1, budget });
  const session = new MemorySession();
  const agent = new Agent({ name: "a", instructions: "Be brief.", model: "gpt-6-luna" });
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ apiKey: "none", baseURL: `${server.url}/v1` }),
    tracingDisabled: true,
  });
  const options = { session, callModelInputFilter: fitInput({ budget: 400 }) };
  await runner.run(agent, "word ".repeat(150), options);
  await runner.run(agent, "more ".repeat(150), options);
  const five = ["one", "two", "three", "four", "five"].map((text) => user(`${text} ${"and ".repeat(20)}`));
  await runner.run(agent, five, { ...options, sessionInputCallback: (history, items) => [...history, ...items] });
  const texts = (await session.getItems()).map((item) => JSON.stringify(item));
  expect(
    ["word ", "more ", "one ", "two ", "three ", "four ", "five "].filter(
      (text) => !texts.some((item) => item.includes(text)),
    ),
  ).toEqual([]);
  const sent = server.bodies.at(-1) ?? "";
  expect(sent).not.toContain("word ");
  expect(sent).toContain("one and");
  await server.close();
});

test("[J2] behind the provider, a session of the Agents SDK keeps a list with answers in it", patience, async () => {
  const server = await startStandIn({ requests: 1, budget: 400 });
  const session = new MemorySession();
  const agent = new Agent({ name: "a", instructions: "Be brief.", model: "gpt-6-luna" });
  const models = new OpenAIProvider({ apiKey: "none", baseURL: `${server.url}/v1` });
  const runner = new Runner({ modelProvider: fitProvider(models, { budget: 400 }), tracingDisabled: true });
  const list = Array.from({ length: 10 }, (_, index) =>
    (index % 2 === 0 ? user : assistant)(`message ${index} ${"word ".repeat(60)}`),
  );
  await runner.run(agent, [...list, user("last")], { session });
  const stored = await session.getItems();
  expect(stored.slice(0, 11)).toEqual([...list, user("last")]);
  expect(stored).toHaveLength(12);
  expect(server.bodies.at(-1)).not.toContain("message 2 ");
  expect((await server.close()).overBudget).toBe(0);
});

test("[J2] a checkpoint of LangGraph has the decision, and the state all messages", patience, async () => {
  const server = await startStandIn({ requests: 1, budget });
  const model = new ChatOpenAI({ model: "gpt-6-luna", apiKey: "none", configuration: { baseURL: `${server.url}/v1` } });
  const checkpointer = new MemorySaver();
  const open = () => createAgent({ model, tools: [], checkpointer, middleware: [fitMiddleware({ budget: 400 })] });
  const config = { configurable: { thread_id: "t1" } };
  const agent = open();
  for (const index of Array(8).keys())
    await agent.invoke({ messages: [{ role: "user", content: `${index} ${"word ".repeat(60)}` }] }, config);
  // Another process would read the checkpoint: the cut is where it was.
  const before = JSON.parse(server.bodies.at(-1) ?? "{}") as { messages: unknown[] };
  const { messages } = await open().invoke({ messages: [{ role: "user", content: "last" }] }, config);
  const after = JSON.parse(server.bodies.at(-1) ?? "{}") as { messages: unknown[] };
  expect(messages).toHaveLength(18);
  expect(after.messages.slice(0, 2)).toEqual(before.messages.slice(0, 2));
  const fitted = await fitMessages(messages as HumanMessage[], { budget: 400 });
  expect(fitted.at(-1)).toBe(messages.at(-1));
  expect(fitted.length).toBeLessThan(messages.length);
  expect(await fitMessages({ budget: 400 })(messages as HumanMessage[])).toEqual(fitted);
  await server.close();
});
