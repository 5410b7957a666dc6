import {
  type FitMemory,
  type MessageEntry,
  type ModelMessage,
  type TokenAccount,
  fit,
  loadTokenizer,
  tokenAccount,
} from "@galley/engine";
import { fileText } from "../plugs/stand-in.ts";
import { aiSdkPruner } from "./ai-sdk.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { langChainTrimmer } from "./langchain.ts";
import { mastraLimiter } from "./mastra.ts";
import { inMs, inPercent, interleave, median, processorTime } from "./measure.ts";

const budget = 32_000;
const requests = 80;
const model = "gpt-6-luna";

/** Plugs: what they do to the list of a framework, beside what the frameworks bring for it. */
export async function plugsReport(): Promise<BenchReport> {
  const account = tokenAccount(await loadTokenizer("o200k_base"));
  const loop = agentLoop(requests);
  const shares = {
    galley: await shareOf(loop, ownFitter(), account),
    prune: await shareOf(loop, await prunes(), account),
    trim: await shareOf(loop, await trims(account), account),
    mastra: await shareOf(loop, await limits(account), account),
  };
  const peers = [shares.prune, shares.trim, shares.mastra].map(({ cached }) => inPercent(cached)).join(" / ");
  const claims: Claim[] = [
    {
      claim: `cached share of an agent's loop of ${requests} requests that outgrows ${budget / 1000}k several times`,
      against: "pruneMessages / trimMessages / Mastra's limiter",
      peer: peers,
      own: inPercent(shares.galley.cached),
      ratio: shares.galley.cached,
      least: 0.85,
    },
    {
      claim: "requests of that loop over the budget",
      against: "the same",
      peer: [shares.prune, shares.trim, shares.mastra].map(({ over }) => String(over)).join(" / "),
      own: String(shares.galley.over),
      ratio: shares.galley.over,
      limit: 0,
    },
    await callWithMemory(account),
  ];
  return {
    claims,
    notes: [
      "The loop is the one that `npm run test:plugs` runs in the real frameworks, as a list: an agent reads a file with each request. Processor time.",
      "All plugs fit a list with memory; what a framework adds to a call is not in these figures. trimMessages and Mastra's limiter count with our counter, trimMessages with remembered counts.",
    ],
  };
}

type Fitter = (messages: readonly ModelMessage[]) => Promise<readonly ModelMessage[]>;

/** The list of each request. */
function agentLoop(count: number): ModelMessage[][] {
  const messages: ModelMessage[] = [{ role: "user", content: "Find out where the money goes." }];
  return Array.from({ length: count }, (_, step) => {
    const list = [...messages];
    const path = `src/file-${step}.ts`;
    const call = { toolCallId: `call_${step}`, toolName: "read_file" };
    messages.push({ role: "assistant", content: [{ type: "tool-call", ...call, input: { path } }] });
    const output = { type: "text", value: fileText(path) } as const;
    messages.push({ role: "tool", content: [{ type: "tool-result", ...call, output }] });
    return list;
  });
}

async function shareOf(
  loop: readonly (readonly ModelMessage[])[],
  fitter: Fitter,
  account: TokenAccount,
): Promise<{ cached: number; over: number }> {
  let [cached, total, over] = [0, 0, 0];
  let before: readonly string[] = [];
  for (const list of loop) {
    const sent = await fitter(list);
    const texts = sent.map((message) => JSON.stringify(message));
    const same = texts.findIndex((text, index) => text !== before[index]);
    for (const message of sent.slice(0, same < 0 ? sent.length : same)) cached += account.countMessage(message);
    const { tokens } = account.countInput(sent);
    total += tokens;
    if (tokens > budget) over += 1;
    before = texts;
  }
  return { cached: cached / total, over };
}

function ownFitter(): Fitter {
  let memory: FitMemory | undefined;
  return async (messages) => {
    const fitted = await fit(messages, { budget, model, memory });
    memory = fitted.memory;
    return fitted.messages;
  };
}

async function prunes(): Promise<Fitter> {
  const prune = await aiSdkPruner();
  return async (messages) => prune(messages);
}

async function trims(account: TokenAccount): Promise<Fitter> {
  const trimmer = await langChainTrimmer(account);
  const options = { maxTokens: budget, startsOnHuman: false, isMemoised: true };
  return async (messages) => {
    const left = await trimmer.trim(
      messages.map(entryOf).map((entry) => trimmer.convert(entry)),
      options,
    );
    return left.map((id) => messages[Number(id)] as ModelMessage);
  };
}

async function limits(account: TokenAccount): Promise<Fitter> {
  const count = (text: string): number => account.tokenizer.count(text);
  const limiter = await mastraLimiter({ systemPrompt: "Be brief.", budget, count });
  return (messages) => limiter.limit(messages.map((message) => limiter.convert(message)));
}

function entryOf(message: ModelMessage, index: number): MessageEntry {
  return { id: String(index), ts: 0, type: "message", message };
}

const rounds = 60;

/** The next call on a list of 1,000 messages. */
async function callWithMemory(account: TokenAccount): Promise<Claim> {
  const [whole = []] = agentLoop(502 + rounds + 20).slice(-1);
  const trimmer = await langChainTrimmer(account);
  const converted = whole.map(entryOf).map((entry) => trimmer.convert(entry));
  const options = { maxTokens: budget, startsOnHuman: false, isMemoised: true };
  let { memory } = await fit(whole.slice(0, 1001), { budget, model });
  await trimmer.trim(converted.slice(0, 1001), options);
  const times = await interleave(
    { rounds, warmUp: 10, prepare: (round) => 1003 + 2 * (round + 10), clock: processorTime },
    {
      own: async (length) => ({ memory } = await fit(whole.slice(0, length), { budget, model, memory })),
      trim: (length) => trimmer.trim(converted.slice(0, length), options),
    },
  );
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const [own, trim] = [sum(times.own) / rounds, sum(times.trim) / rounds];
  return {
    claim: "a call with memory, 1,000 messages, against trimMessages with remembered counts",
    against: `trimMessages (median of a call: ${inMs(median(times.trim))})`,
    peer: inMs(trim),
    own: inMs(own),
    ratio: own / trim,
    limit: 0.1,
    gap: "each new result is counted, and fingerprinted when something is decided",
  };
}
