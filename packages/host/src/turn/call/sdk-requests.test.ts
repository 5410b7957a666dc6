import Anthropic from "@anthropic-ai/sdk";
import { type ModelMessage, build, exportFor, loadTokenizer, tokenAccount } from "@galley/engine";
import { generateText } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readCorpus } from "../../../../../bench/corpus.ts";
import { modelsSchema } from "../../config/models-schema.ts";
import { openModels } from "../../models/open-models.ts";
import type { Galley } from "../../galley/galley.ts";
import { galleyIn } from "../../galley/testing/temp-galley.ts";
import { awkwardSession } from "../../models/testing/awkward-session.ts";
import {
  type NamedTurn,
  type Source,
  agentSessions,
  corpusTurns,
  entriesOf,
  tavernChats,
  toolsOf,
} from "../../models/testing/corpus-turns.ts";
import { startJudge } from "../../models/testing/judge-server.ts";
import type { ScriptedServer } from "../../models/testing/scripted-server.ts";
import { type Sender, sdkSenders } from "../../models/testing/sdk-senders.ts";

let server: ScriptedServer;
let senders: readonly Sender[];
beforeAll(async () => {
  server = await startJudge();
  senders = await sdkSenders(server.url);
});
afterAll(() => server.close());

/** Sends a turn by every SDK; gives the refusals. */
async function refusals({ name, ...turn }: NamedTurn): Promise<string[]> {
  const told = await Promise.all(
    senders.map(async (sender) => {
      try {
        await sender.send(turn);
        return [];
      } catch (error) {
        return [`${sender.name}: ${name}: ${String(error).slice(0, 500)}`];
      }
    }),
  );
  return told.flat();
}

test("[P5] a session with everything that providers stumble over is taken from every official SDK", async () => {
  const account = tokenAccount(await loadTokenizer("other"));
  const entries = entriesOf(awkwardSession);
  const tools = toolsOf(entries);
  const refused: string[] = [];
  for (let end = 1; end <= entries.length; end += 1) {
    const next = awkwardSession[end];
    if (next !== undefined && next.role !== "assistant") continue;
    const config = { maxInputTokens: 9000 };
    const { messages } = build({ entries: entries.slice(0, end), tools, account, config, systemPrompt: "Be brief." });
    refused.push(...(await refusals({ name: `the first ${end}`, messages, tools })));
  }
  expect(refused).toEqual([]);
});

/** Turns as users get them: the session in a store, what the user says now as the input. */
async function turnOf(galley: Galley, sessionId: string, source: Omit<Source, "name">): Promise<NamedTurn> {
  const last = source.entries.findLastIndex((entry) => entry.type === "message" && entry.message.role === "user");
  const entry = source.entries[last];
  const input = entry?.type === "message" && entry.message.role === "user" ? entry.message : "Go on.";
  await galley.store.sessions.append(
    { projectId: galley.project, sessionId },
    source.entries.slice(0, Math.max(0, last)),
  );
  const preset = source.preset ? { preset: source.preset } : {};
  const turn = await galley.turn({ session: sessionId, input, budget: 24_000, ...preset });
  const { messages, tools } = turn;
  await turn.abort();
  return { name: sessionId, messages, tools };
}

test(
  "[P5] turn.messages of every session of the corpus are taken from every official SDK",
  { timeout: 300_000 },
  async () => {
    const galley = await galleyIn();
    const own = { name: "awkward", entries: entriesOf(awkwardSession) };
    const sources: readonly Source[] = [own, ...agentSessions(readCorpus().kinds), ...tavernChats()];
    const refused: string[] = [];
    let turns = 0;
    for (const source of sources) {
      const turn = await turnOf(galley, `corpus-${turns}`, source);
      // As a host of the session would offer them.
      refused.push(
        ...(await refusals({ ...turn, name: source.name, tools: [...turn.tools, ...toolsOf(source.entries)] })),
      );
      turns += 1;
    }
    process.stdout.write(`${turns} turns of openGalley by ${senders.length} ways: ${refused.length} refused\n`);
    expect(refused.slice(0, 10)).toEqual([]);
    expect(turns).toBeGreaterThan(50);
  },
);

test("[P5] a run sends what the providers take, in all four protocols", async () => {
  const types = { openai: "/v1", anthropic: "/v1", google: "/v1beta", "openai-compatible": "/v1" } as const;
  const providers = Object.entries(types).map(([type, path]) => ({
    name: `house-${type}`,
    type: type as keyof typeof types,
    baseUrl: server.url + path,
    apiKey: "none-of-your-business",
  }));
  const galley = await galleyIn(undefined, { config: { models: { providers } } });
  for (const { name } of providers) {
    const ref = { projectId: galley.project, sessionId: name };
    await galley.store.sessions.append(ref, entriesOf(awkwardSession.slice(0, -1)));
    const { result } = galley.run({ session: name, model: `${name}/tiny`, input: "And now?" });
    expect(await result).toMatchObject({ text: "Taken." });
  }
});

const sixHundredSeconds = 600_000;

test("[P5] every turn of the corpus is taken from every official SDK", { timeout: sixHundredSeconds }, async () => {
  const refused: string[] = [];
  let [turns, heard] = [0, 0];
  server.bodies.length = 0;
  const { source, kinds } = readCorpus();
  for await (const turn of corpusTurns(kinds)) {
    turns += 1;
    refused.push(...(await refusals(turn)));
    heard += server.bodies.splice(0).length;
  }
  process.stdout.write(
    `${source}: ${turns} turns by ${senders.length} ways: ${heard} requests, ${refused.length} refused\n`,
  );
  expect(refused.slice(0, 10)).toEqual([]);
  expect(turns).toBeGreaterThan(100);
  expect(heard).toBe(turns * senders.length);
});

const asked: ModelMessage[] = [
  { role: "user", content: "Look it up." },
  { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: { a: 1 } }] },
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c1", toolName: "look", output: { type: "text", value: "x" } }],
  },
];
const tools = [{ name: "look", inputSchema: { type: "object" } as const }];

/** Faults by protocol: each is a change of a good request, as text. */
const faults = {
  "openai-chat": {
    path: "/v1/chat/completions",
    more: { model: "m" },
    changes: [
      ['"tool_call_id":"c1"', '"tool_call_id":"c2"'],
      ['"role":"user"', '"role":"narrator"'],
      ['"arguments":"{\\"a\\":1}"', '"arguments":"a"'],
      ['"content":"Look it up."', '"content":""'],
      ['"content":"x"', '"content":"x","colour":"red"'],
    ],
  },
  "openai-responses": {
    path: "/v1/responses",
    more: { model: "m" },
    changes: [
      ['"type":"function_call_output","call_id":"c1"', '"type":"function_call_output","call_id":"c2"'],
      ['"role":"user"', '"role":"tool"'],
      ['"name":"look"', '"name":"look it up"'],
    ],
  },
  anthropic: {
    path: "/v1/messages",
    more: { model: "m", max_tokens: 9 },
    changes: [
      ['"tool_use_id":"c1"', '"tool_use_id":"c2"'],
      ['"id":"c1"', '"id":"c 1"'],
      ['"max_tokens":9', '"max_tokens":0'],
      ["Look it up.", " "],
      ['"role":"user"', '"role":"assistant"'],
    ],
  },
  gemini: {
    path: "/v1beta/models/m:generateContent",
    more: {},
    changes: [
      ['"functionResponse":{', '"functionResponse":{"colour":"red",'],
      ['"functionResponse":{"name":"look"', '"functionResponse":{"name":"other"'],
      ['"role":"model"', '"role":"assistant"'],
      ["Look it up.", ""],
    ],
  },
} as const;

test.each(Object.keys(faults) as (keyof typeof faults)[])(
  "[P5] the judge of %s refuses what is wrong, and nothing else",
  async (wire) => {
    const { path, more, changes } = faults[wire];
    const good = JSON.stringify({ ...more, ...exportFor(wire, { messages: asked, tools }).request });
    const status = async (body: string): Promise<number> =>
      (await fetch(server.url + path, { method: "POST", body, headers: { "content-type": "application/json" } }))
        .status;
    expect(await status(good)).toBe(200);
    for (const [from, to] of changes) {
      const bad = good.replace(from, to);
      expect(bad).not.toBe(good);
      expect([from, to, await status(bad)]).toEqual([from, to, 400]);
    }
  },
);

test("[P5] what is sent past the exporters is refused, and the official SDKs say why", async () => {
  const plain = { apiKey: "none", maxRetries: 0 };
  const call = { id: "c1", type: "function" as const, function: { name: "look", arguments: "{}" } };
  const openai = new OpenAI({ ...plain, baseURL: `${server.url}/v1` }).chat.completions.create({
    model: "m",
    messages: [
      { role: "assistant", tool_calls: [call] },
      { role: "user", content: "Well?" },
    ],
  });
  await expect(openai).rejects.toThrow("calls without results: c1");
  const anthropic = new Anthropic({ ...plain, baseURL: server.url }).messages.create({
    model: "m",
    max_tokens: 9,
    messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c1" }] }],
  });
  await expect(anthropic).rejects.toThrow("unexpected tool_use_id");
  const late: ModelMessage[] = [
    { role: "user", content: "a" },
    { role: "assistant", content: "  " },
  ];
  const models = modelsSchema.parse({
    providers: [{ name: "house", type: "anthropic", baseUrl: `${server.url}/v1`, apiKey: "none" }],
  });
  const { model } = (await openModels({ config: { models }, env: {} })).resolve("house/m");
  await expect(generateText({ model, messages: late, maxRetries: 0 })).rejects.toThrow("non-whitespace");
});
