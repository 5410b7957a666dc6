import { type ModelMessage, type TokenAccount, loadTokenizer, tokenAccount } from "@galley/engine";
import { fileText } from "../plugs/stand-in.ts";
import { aiSdkPruner } from "./ai-sdk.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { langChainTrimmer } from "./langchain.ts";
import { mastraLimiter } from "./mastra.ts";
import { callWithMemory, callsNeeded, entryOf } from "./plugs-call.ts";
import { corpusFaults } from "./plugs-corpus.ts";
import { realLoops } from "./plugs-loops.ts";
import { inPercent } from "./measure.ts";

const budget = 32_000;
const requests = 80;
const model = "gpt-6-luna";

/** Plugs: what they do to the loop of a framework, beside what the frameworks bring for it. */
export async function plugsReport(): Promise<BenchReport> {
  const account = tokenAccount(await loadTokenizer("o200k_base"));
  const loop = agentLoop(requests);
  const peers: readonly Row[] = [
    { name: "AI SDK's `pruneMessages`", ...(await shareOf(loop, await prunes(), account)) },
    { name: "LangChain's `trimMessages`", ...(await shareOf(loop, await trims(account), account)) },
    { name: "Mastra's limiter", ...(await shareOf(loop, await limits(account), account)) },
  ];
  const { plain, plugs } = await realLoops(requests, budget);
  const faults = plugs.reduce((sum, { refused, overBudget }) => sum + refused + overBudget, 0);
  const corpus = await corpusFaults(account, 8000, model);
  const shares = (rows: readonly Row[]): string => rows.map(({ cached }) => inPercent(cached)).join(" / ");
  const claims: Claim[] = [
    {
      claim: `cached share of an agent's loop of ${requests} requests that outgrows ${budget / 1000}k several times, in the real AI SDK / LangChain / Mastra / Agents SDK`,
      against: "pruneMessages / trimMessages / Mastra's limiter",
      peer: shares(peers),
      own: shares(plugs),
      ratio: Math.min(...plugs.map(({ cached }) => cached)),
      least: 0.85,
    },
    {
      claim: "requests of these loops that are refused or over the budget",
      against: "the same, over the budget",
      peer: peers.map(({ overBudget }) => String(overBudget)).join(" / "),
      own: String(faults),
      ratio: faults,
      limit: 0,
    },
    {
      claim: "requests that are refused or over a budget of 8,000, over the corpus, in three shapes",
      against: `${corpus.sessions} sessions`,
      peer: `${corpus.requests} requests`,
      own: `${corpus.refused} refused, ${corpus.overBudget} over`,
      ratio: corpus.refused + corpus.overBudget,
      limit: 0,
    },
    await callWithMemory(account, agentLoop(callsNeeded).at(-1) ?? [], { budget, model }),
  ];
  return {
    claims,
    tables: [
      { title: "The loop of 80 requests, with a budget of 32,000", rows: [plain, ...plugs, ...peers].map(rowOf) },
    ],
    notes: [
      "An agent reads a file with each request, until it has asked 80 times. The plugs run in the real frameworks (`plugs/examples/`), against a server that speaks the provider's protocol and judges each request; what the frameworks bring themselves is given the same loop as a list. trimMessages and Mastra's limiter count with our counter, trimMessages with remembered counts.",
      `Corpus: ${corpus.source}, up to 40 calls of each, as OpenAI Chat, OpenAI Responses and Anthropic; a second set of rules judges them. ${corpus.tooLarge} more calls end with a message that alone is over the budget: an error says so, and nothing is sent.`,
      "The call with memory: processor time of each plug's hook, given the framework's own messages; the dearest counts. Mastra makes its messages new for each request, the others keep theirs. What a framework adds to a call is not in it.",
    ],
  };
}

interface Row {
  readonly name: string;
  readonly cached: number;
  readonly overBudget: number;
  readonly largest: number;
  /** Not judged for what frameworks bring. */
  readonly refused?: number;
}

function rowOf({ name, cached, overBudget, largest, refused }: Row) {
  return {
    "": name,
    "over the budget": overBudget,
    "refused by the provider": refused ?? "–",
    "largest request, tokens": largest.toLocaleString("en-US"),
    "in the provider's cache": inPercent(cached),
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
): Promise<Omit<Row, "name">> {
  let [cached, total, overBudget, largest] = [0, 0, 0, 0];
  let before: readonly string[] = [];
  for (const list of loop) {
    const sent = await fitter(list);
    const texts = sent.map((message) => JSON.stringify(message));
    const same = texts.findIndex((text, index) => text !== before[index]);
    for (const message of sent.slice(0, same < 0 ? sent.length : same)) cached += account.countMessage(message);
    const { tokens } = account.countInput(sent);
    total += tokens;
    largest = Math.max(largest, tokens);
    if (tokens > budget) overBudget += 1;
    before = texts;
  }
  return { cached: cached / total, overBudget, largest };
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
