import { expect, test } from "vitest";
import { GalleyError } from "../model/check/errors.ts";
import { fitMiddleware as aiSdkMiddleware, fitStep } from "./ai-sdk.ts";
import type { FitResult } from "./fit.ts";
import { fitMessages, fitMiddleware } from "./langchain.ts";
import { fitProcessor } from "./mastra.ts";
import { fitProvider } from "./openai-agents-provider.ts";
import { fitSession } from "./openai-agents-session.ts";
import { fitInput } from "./openai-agents.ts";
import { png } from "../wire/testing/arbitrary-messages.ts";
import { agentLoop } from "./testing/agent-loop.ts";

// What each framework hands to its hook, as recorded from real loops (`npm run test:plugs` runs those).

const budget = 2500;
const loop = agentLoop("ai-sdk", 40);
const whole = loop.at(-1) ?? [];
const words = (count: number): string => "word ".repeat(count);

test("[J2] ai-sdk: what a step returns carries forward, and the cut is made on the whole list all the same", async () => {
  const builds: FitResult<unknown>[] = [];
  const step = fitStep({ budget, onBuild: (build) => builds.push(build) });
  const one = { role: "system", content: "Be brief." } as const;
  let [carried, decisions]: [object[], number] = [[], 0];
  for (const [index, list] of loop.entries()) {
    const messages = [...carried, ...list.slice(loop[index - 1]?.length ?? 0)];
    carried = (await step({ model: { modelId: "gpt-6-luna" }, instructions: [one], messages })).messages;
    decisions += builds.at(-1)?.decisions.length ?? 0;
  }
  expect(decisions).toBeGreaterThan(2);
  expect(decisions).toBeLessThan(10);
  expect(builds.at(-1)?.ledger.some(({ rule }) => rule === "memory-ignored")).toBe(false);
  expect(builds.at(-1)?.stats.tokenizer).toBe("o200k_base");
  // Ids in the ledger are those of the whole list.
  expect(builds.at(-1)?.ledger.some(({ id }) => id === `messages[${whole.length - 1}]`)).toBe(true);
});

test("[J2] ai-sdk: the middleware sees tools, and changes the prompt alone", async () => {
  const model = { modelId: "gpt-6-luna" };
  const tools = [{ type: "function", name: "read", description: words(300), inputSchema: { type: "object" } }];
  const params = { prompt: whole, tools, temperature: 0 };
  const fitted = await aiSdkMiddleware({ budget, compaction: "extractive" }).transformParams({
    type: "stream",
    params,
    model,
  });
  const plain = await aiSdkMiddleware({ budget }).transformParams({ type: "stream", params: { prompt: whole }, model });
  expect(fitted).toEqual({ ...params, prompt: fitted.prompt });
  expect(fitted.prompt.length).toBeLessThan(plain.prompt.length);
  const texts = fitted.prompt.filter((message) => "content" in message && typeof message.content === "string");
  expect(texts.filter((message) => "role" in message && message.role === "user")).toEqual([]);
});

class Said {
  readonly content: unknown;
  readonly tool_calls: unknown;
  readonly tool_call_id: unknown;
  readonly #type: string;
  constructor(fields: { type?: string; content: unknown; tool_calls?: unknown; tool_call_id?: unknown }) {
    ({ content: this.content, tool_calls: this.tool_calls, tool_call_id: this.tool_call_id } = fields);
    this.#type = fields.type ?? "tool";
  }
  getType(): string {
    return this.#type;
  }
}

const langChainList = [
  new Said({
    type: "human",
    content: [
      { type: "text", text: "Go." },
      { type: "image_url", image_url: `data:image/png;base64,${png}` },
    ],
  }),
  ...Array.from({ length: 30 }, (_, index) => [
    new Said({
      type: "ai",
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "I look." },
      ],
      tool_calls: [{ id: `c${index}`, name: "read", args: { index } }],
    }),
    new Said({ content: words(90), tool_call_id: `c${index}` }),
  ]).flat(),
];

test("[J2] langchain: the model reads less, the state keeps everything, the thread's decision goes with it", async () => {
  const middleware = fitMiddleware({ budget, model: "gpt-6-luna" });
  const runtime = { configurable: { thread_id: "t1" } };
  const request = { messages: langChainList, systemMessage: { content: "Be brief." }, tools: [], state: {}, runtime };
  const sent = await middleware.wrapModelCall(request, ({ messages }) => messages);
  expect(sent.length).toBeLessThan(langChainList.length);
  expect(sent.at(-1)).toBe(langChainList.at(-1));
  const masked = sent.find((message) => String(message.content).startsWith("[result left out: "));
  expect(masked).toBeInstanceOf(Said);
  const update = middleware.afterModel({}, runtime);
  expect(update?._galley).toMatchObject({ version: 1 });
  const again = fitMiddleware({ budget, model: "gpt-6-luna" });
  const state = JSON.parse(JSON.stringify(update)) as object;
  expect(await again.wrapModelCall({ ...request, state }, ({ messages }) => messages)).toEqual(sent);
  const listed = await fitMessages(langChainList, { budget, model: "gpt-6-luna", system: "Be brief." });
  expect(listed).toEqual(sent);
  // Who speaks is sent, and counted.
  const tokens: number[] = [];
  const own = fitMiddleware({ budget, onBuild: ({ stats }) => tokens.push(stats.inputTokens) });
  for (const name of [undefined, "Ada Lovelace"]) {
    const said = Object.assign(new Said({ type: "human", content: "Go." }), { name });
    await own.wrapModelCall({ messages: [said] }, ({ messages }) => messages);
  }
  expect(tokens[1]).toBeGreaterThan(tokens[0] ?? 0);
});

test("[J2] mastra: tools of the step are counted, and the prompt is made of parts", async () => {
  const processor = fitProcessor({ budget });
  const state = {};
  const tools = { read: { id: "read", description: words(300), inputSchema: { type: "object" } } };
  const request = { prompt: whole, model: { modelId: "gpt-6-luna" }, state };
  const plain = await processor.processLLMRequest(request);
  processor.processInputStep({ tools, state });
  const requestContext = new Map([["MastraMemory", { thread: { id: "t" } }]]);
  const fitted = await processor.processLLMRequest({ ...request, requestContext });
  expect(fitted.prompt.length).toBeLessThan(plain.prompt.length);
  expect(fitted.prompt.at(-1)).toBe(whole.at(-1));
});

test("[J2] openai-agents: new input stays whole, however much there is of it, and items keep their identity", async () => {
  const filter = fitInput({ budget: 700 });
  expect(filter.preserveInputIdentity).toBe(true);
  const user = (text: string): object => ({ type: "message", role: "user", content: text });
  const history = Array.from({ length: 12 }, (_, index) => [
    { type: "reasoning", id: `rs_${index}`, content: [{ type: "input_text", text: "hm" }] },
    { type: "function_call", callId: `c${index}`, name: "read", arguments: "{}", status: "completed" },
    { type: "function_call_result", callId: `c${index}`, name: "read", output: { type: "text", text: words(60) } },
  ]).flat();
  const five = ["one", "two", "three", "four", "five"].map((text) => user(`${text} ${words(10)}`));
  const input = [user("Go."), ...history, ...five];
  const { input: sent } = await filter({ modelData: { input, instructions: "Be brief." }, agent: { tools: [] } });
  expect(sent.slice(-5)).toEqual(five);
  expect(sent.length).toBeLessThan(input.length);
  expect(sent.filter((item) => !input.includes(item) && !("output" in item))).toEqual([
    { role: "user", content: "Begin." },
  ]);
  const next = [
    ...input,
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
    user("More."),
  ];
  const after = await filter({ modelData: { input: next }, agent: {} });
  expect(after.input.slice(0, 3)).toEqual(sent.slice(0, 3));
});

test("[J2] openai-agents: behind the provider, requests are fitted and all else stays the provider's own", async () => {
  const sent: object[] = [];
  class Provider {
    readonly closed: boolean[] = [];
    async getModel(model: string) {
      const record = (request: object): object => sent[sent.push({ model, ...request }) - 1] ?? {};
      const getResponse = async (request: object) => record(request);
      return {
        model,
        getResponse,
        getStreamedResponse: async function* (request: object) {
          yield record(request);
        },
      };
    }
    close(): void {
      this.closed.push(true);
    }
  }
  const provider = fitProvider(new Provider(), { budget: 700 });
  const input = Array.from({ length: 9 }, (_, index) => ({
    type: "message",
    role: "user",
    content: words(100 + index),
  })).flatMap((each) => [{ ...each, role: "assistant", content: [{ type: "output_text", text: "So." }] }, each]);
  const search = { type: "hosted_tool_call", name: "web_search", id: "ws_1", status: "completed", output: undefined };
  const handoffs = [{ toolName: "transfer_to_other", toolDescription: words(50), inputJsonSchema: {} }];
  const request = {
    systemInstructions: "Be brief.",
    input: [...input.slice(0, -1), search, ...input.slice(-1)],
    tools: [],
    handoffs,
  };
  const model = await provider.getModel("gpt-6-luna");
  await model.getResponse(request);
  for await (const _ of model.getStreamedResponse(request));
  const [first, second] = sent as { readonly input: object[] }[];
  expect(first?.input.length).toBeLessThan(request.input.length);
  expect(first?.input.at(-1)).toBe(request.input.at(-1));
  expect(second).toEqual(first);
  expect(first).toEqual({ ...request, model: "gpt-6-luna", input: first?.input });
  provider.close();
  expect(provider.closed).toEqual([true]);
  expect(() => fitProvider({} as never)).toThrow(GalleyError);
});

test("[J2] openai-agents: a session gives a run what fits, keeps everything, and stays what it is", async () => {
  const calls: unknown[][] = [];
  class Stored {
    readonly acceptsRunContext = true as const;
    items: object[] = [];
    async getItems(_limit?: number, context?: unknown) {
      calls.push(["getItems", context]);
      return this.items.map((item) => ({ ...item }));
    }
    async addItems(items: object[], context?: unknown) {
      calls.push(["addItems", context]);
      this.items.push(...items);
    }
  }
  const inside = new Stored();
  const session = fitSession(inside, { budget: 700, recall: true });
  const asked = session as unknown as {
    getItemsWithCompactionOwnership(context: string): Promise<{ items: object[]; ownership: object }>;
    addItemsWithCompactionOwnership(items: object[], ownership: object | null, context: string): Promise<void>;
    runCompaction(): Promise<unknown>;
  };
  expect((await asked.getItemsWithCompactionOwnership("run")).items).toEqual([]);
  for (const index of Array(12).keys()) {
    const reply = { type: "message", role: "assistant", content: [{ type: "output_text", text: "So." }] };
    const said = { type: "message", role: "user", content: `ship ${index} ${words(60)}` };
    await asked.addItemsWithCompactionOwnership([said, reply], null, "run");
  }
  const { items } = await asked.getItemsWithCompactionOwnership("run");
  expect(items.length).toBeLessThan(20);
  expect(items.slice(-2)).toEqual(inside.items.slice(-2));
  expect(await session.getItems()).toEqual(inside.items);
  expect(await asked.runCompaction()).toBe(null);
  expect(new Set(calls.map(([name, context]) => `${String(name)} ${String(context)}`))).toEqual(
    new Set(["getItems run", "addItems run", "getItems undefined"]),
  );
  expect(await session.tools[0]?.invoke({}, '{"handle":"§1"}')).toContain("ship 0 word");
  expect(() => fitSession({} as never)).toThrow(GalleyError);
});

test("[J2] [R2] openai-agents: what a call asks for is read from its own conversation, and from none where that is unknown", async () => {
  const conversation = (name: string): object[] => [
    ...Array.from({ length: 12 }, (_, index) => [
      { type: "message", role: "user", content: `${name} ${index} ${words(60)}` },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "So." }] },
    ]).flat(),
    { type: "message", role: "user", content: "And now?" },
  ];
  const asked = [{ type: "function_call", name: "context_recall", callId: "" }];
  const model = {
    getResponse: async ({ id }: { id: string }) => ({ output: asked.map((call) => ({ ...call, callId: id })) }),
    async *getStreamedResponse({ id }: { id: string }) {
      yield { type: "response_done", response: await this.getResponse({ id }) };
    },
  };
  const provider = fitProvider({ getModel: () => model }, { budget: 700, recall: true });
  const served = provider.getModel();
  await served.getResponse({ id: "a", input: conversation("ship") } as never);
  for await (const _ of served.getStreamedResponse({ id: "b", input: conversation("bank") } as never));
  const [byProvider] = provider.tools;
  const read = async (callId: string) =>
    byProvider?.invoke({}, JSON.stringify({ handle: "§1" }), { toolCall: { callId } });
  expect(await read("a")).toContain("ship 0 word");
  expect(await read("b")).toContain("bank 0 word");
  expect(await read("c")).toContain("Nothing is known of this conversation");
  // What OpenAI keeps itself is not there to be fitted.
  const [part, requests]: [object[], unknown[]] = [
    [{ type: "function_call_result", callId: "c1", output: { type: "text", text: words(900) } }],
    [],
  ];
  const kept = fitProvider({ getModel: () => ({ ...model, getResponse: async (r: object) => requests.push(r) }) });
  await kept.getModel().getResponse({ input: part, previousResponseId: "r1" });
  expect(requests).toEqual([{ input: part, previousResponseId: "r1" }]);

  const filter = fitInput({ budget: 700, recall: true });
  expect(await filter({ modelData: { input: part }, agent: {} })).toEqual({ input: part });
  const [byFilter] = filter.tools;
  const [own, shared] = [{}, {}];
  const send = (context: object, input: object[]) => filter({ modelData: { input }, agent: {}, context });
  for (const more of [0, 1]) {
    for (const each of [own, shared])
      await send(each, [...conversation("ship"), ...conversation("more").slice(0, more)]);
  }
  expect(await byFilter?.invoke({ context: own }, '{"handle":"§1"}')).toContain("ship 0 word");
  await send(shared, conversation("bank"));
  expect(await byFilter?.invoke({ context: shared }, '{"handle":"§1"}')).toContain("Nothing is known");
});

test("[J3] a plug that is told something wrong says so", () => {
  for (const make of [fitStep, aiSdkMiddleware, fitMiddleware, fitProcessor, fitInput])
    for (const options of [{ bugdet: 1 }, { budget: 0 }, null, 5])
      expect(() => make(options as never)).toThrow(GalleyError);
});
