import { existsSync, readFileSync, readdirSync } from "node:fs";
import {
  ContextManager,
  type ModelMessage,
  type SessionEntry,
  type TokenAccount,
  type Tokenizer,
  extractiveCompactor,
  loadTokenizer,
  tokenAccount,
} from "@galley/engine";
import { readLog } from "@galley/engine/logs";
import {
  type InputOf,
  type Reaches,
  type Retention,
  fittedInputs,
  measureRetention,
  replayedMessages,
} from "@galley/engine/proof";
import { aiSdkPruner } from "./ai-sdk.ts";
import type { BenchReport, Claim, FigureTable } from "./claim.ts";
import { contextChef } from "./context-chef.ts";
import { contextEditing } from "./context-editing.ts";
import { type CompactorTime, compactorTime } from "./compactor-time.ts";
import { inPercent } from "./measure.ts";
import { commonPrefix, langChain, slidingWindow } from "./replay.ts";
import { corpus, entryOf, joinSessions, systemPrompt } from "./sessions.ts";

const folder = `${process.env["GALLEY_CORPUS"] ?? ""}/logs`;
const budgets = [8000, 32_000, 128_000] as const;
/** The promises: of names, of far names, and of the tokens against dropping alone. */
const promises: Partial<Record<number, { readonly names: number; readonly far: number; readonly others: number }>> = {
  8000: { names: 0.88, far: 0.65, others: 0.84 },
  32_000: { names: 0.98, far: 0.91, others: 0.93 },
};

interface Conversation {
  readonly name: string;
  readonly entries: readonly SessionEntry[];
}

interface Row extends Retention {
  /** Tokens of the inputs that are an unchanged prefix of the input before. */
  readonly cached: number;
  /** Processor time of all inputs, in ms. */
  readonly milliseconds: number;
}

interface Inputs {
  readonly inputOf: InputOf;
  readonly reaches?: Reaches;
}
type Strategy = (messages: readonly ModelMessage[], budget: number) => Inputs | Promise<Inputs>;

export async function retentionReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const account = tokenAccount(tokenizer);
  const conversations = readConversations(["claude-code", "codex"]);
  const claims: Claim[] = [];
  const tables: FigureTable[] = [];
  for (const budget of budgets) {
    const long = longConversations(conversations, budget, account);
    if (long.length === 0) continue;
    const rows: Record<string, Row> = {};
    for (const [name, strategy] of Object.entries(strategies(account, tokenizer))) {
      for (const messages of long) {
        const row = await measure(messages, budget, { account, strategy });
        rows[name] = rows[name] ? sum(rows[name], row) : row;
      }
    }
    tables.push({ title: `${budget / 1000}k, ${long.length} conversations:`, rows: Object.entries(rows).map(figures) });
    claims.push(...claimsFor(budget, rows, await compactorTime(long, budget, tokenizer)));
    claims.push(...(await othersClaim(budget, account, tokenizer)));
  }
  return { claims, tables, notes };
}

/** The same on logs of agents that the ranking of names was not found with. */
async function othersClaim(budget: number, account: TokenAccount, tokenizer: Tokenizer): Promise<Claim[]> {
  const promise = promises[budget];
  const long = longConversations(readConversations(["opencode", "pi"]), budget, account);
  if (!promise || long.length === 0 || !existsSync(folder)) return [];
  const all = strategies(account, tokenizer);
  const share = async (name: string): Promise<number> => {
    let [used, present] = [0, 0];
    for (const messages of long) {
      const { names } = await measure(messages, budget, { account, strategy: all[name] as Strategy });
      used += names.used;
      present += names.present;
    }
    return present / Math.max(1, used);
  };
  const [own, peer] = [await share("Galley, extractive with index"), await share("sliding window")];
  return [
    {
      claim: `names that are present on logs of opencode and pi, ${budget / 1000}k`,
      against: "sliding window",
      peer: inPercent(peer),
      own: inPercent(own),
      ratio: own,
      least: promise.others,
    },
  ];
}

function longConversations(
  conversations: readonly Conversation[],
  budget: number,
  account: TokenAccount,
): (readonly ModelMessage[])[] {
  return conversations
    .map(({ entries }) => replayedMessages(entries, account, budget))
    .filter((messages) => sizeOf(messages, account) >= 2 * budget);
}

const notes = [
  "Logs of Claude Code and Codex of the corpus, each replayed call by call, where they are at least twice the budget; without a corpus, generated sessions. Messages of people and models over half the budget are left out for all.",
  "Names: of the paths, identifiers, addresses and numbers in each reply that had occurred earlier, the share in the input of its call; far: last mentioned more than half a budget back. Lines: of 24 characters and more, that a reply repeats.",
  "Cached share: tokens of the messages from the front that are equal to those of the call before. pruneMessages has no budget; trimMessages keeps nothing where no user message is near the end.",
  "Reachable: names that are not in the input, and that a handle in it leads to, for a model with context_recall; what is neither is lost. Only the last row has handles that its model can open.",
  "Processor time of summaries and index: what the calls of each conversation take beyond those with dropping, the median of eleven rounds in turns, with messages that are new in every round, behind six rounds over all conversations, in which nearly all of the code is compiled and compiled again. All threads count, those that collect garbage too. The table has the time of one round, compiling included.",
  "Counting is the part of it that differs most between processes and machines; compare figures of several processes.",
  "context editing: LangChain's ClearToolUsesEdit as it comes, triggered at the budget; it clears results of tools and drops no message. context-chef: its Janitor, with an exact counter and without a model, given back what it left.",
];

function strategies(account: TokenAccount, tokenizer: Tokenizer): Readonly<Record<string, Strategy>> {
  const entriesOf = (messages: readonly ModelMessage[]) => messages.map((message, at) => entryOf(`m${at}`, message));
  const replay = (messages: readonly ModelMessage[]) => ({ systemPrompt, entries: entriesOf(messages) });
  const galley = (compactor?: ReturnType<typeof extractiveCompactor>, recall = false): Strategy => {
    return (messages, maxInputTokens) => {
      const manager = new ContextManager({ config: { maxInputTokens, recall }, tokenizer, compactor, systemPrompt });
      return fittedInputs(messages, manager);
    };
  };
  return {
    "sliding window": (messages, budget) => ({ inputOf: slidingWindow(replay(messages), account, budget) }),
    "LangChain trimMessages": async (messages, budget) => ({
      inputOf: await langChain(replay(messages), account, budget),
    }),
    "LangChain context editing": async (messages, budget) => ({
      inputOf: await contextEditing(entriesOf(messages), account, budget),
    }),
    "AI SDK pruneMessages": async (messages) => {
      const prune = await aiSdkPruner();
      return { inputOf: (index) => prune(messages.slice(0, index)) };
    },
    "context-chef": async (messages, budget) => ({ inputOf: await contextChef(messages, account, budget) }),
    "Galley, dropping": galley(),
    "Galley, extractive with index": galley(extractiveCompactor()),
    "Galley, extractive with index and recall": galley(extractiveCompactor(), true),
  };
}

async function measure(
  messages: readonly ModelMessage[],
  budget: number,
  { account, strategy }: { readonly account: TokenAccount; readonly strategy: Strategy },
): Promise<Row> {
  const { inputOf: own, reaches } = await strategy(messages, budget);
  let before: readonly ModelMessage[] = [];
  let [cached, milliseconds] = [0, 0];
  const inputOf: InputOf = async (index) => {
    const start = process.cpuUsage();
    const input = await own(index);
    const { user, system } = process.cpuUsage(start);
    milliseconds += (user + system) / 1000;
    const common = commonPrefix(before, input);
    for (const message of input.slice(0, common)) cached += account.countMessage(message);
    before = input;
    return input;
  };
  return { ...(await measureRetention(messages, { account, budget, inputOf, reaches })), cached, milliseconds };
}

function sum(a: Row, b: Row): Row {
  const share = (x: Retention["names"], y: Retention["names"]) => ({
    used: x.used + y.used,
    present: x.present + y.present,
    reachable: x.reachable + y.reachable,
    lost: x.lost + y.lost,
  });
  return {
    calls: a.calls + b.calls,
    refused: a.refused + b.refused,
    tokens: a.tokens + b.tokens,
    overBudget: a.overBudget + b.overBudget,
    cached: a.cached + b.cached,
    milliseconds: a.milliseconds + b.milliseconds,
    names: share(a.names, b.names),
    farNames: share(a.farNames, b.farNames),
    lines: share(a.lines, b.lines),
  };
}

function figures([name, row]: readonly [string, Row]): Readonly<Record<string, string | number>> {
  return {
    "fitted by": name,
    calls: row.calls + row.refused,
    names: inPercent(shareOf(row.names)),
    reachable: inPercent(shareOf(row.names, "reachable")),
    lost: inPercent(shareOf(row.names, "lost")),
    "far names": inPercent(shareOf(row.farNames)),
    "far, lost": inPercent(shareOf(row.farNames, "lost")),
    lines: inPercent(shareOf(row.lines)),
    "mean tokens": Math.round(row.tokens / Math.max(1, row.calls)),
    "over budget": row.overBudget,
    refused: row.refused,
    "cached share": inPercent(row.cached / row.tokens),
    "ms of processor": Math.round(row.milliseconds),
  };
}

function claimsFor(budget: number, rows: Readonly<Record<string, Row>>, time: CompactorTime): Claim[] {
  const own = rows["Galley, extractive with index"];
  const dropping = rows["Galley, dropping"];
  const sliding = rows["sliding window"];
  const promise = promises[budget];
  if (!own || !dropping || !sliding || !promise) return [];
  const size = `${budget / 1000}k`;
  const share = (what: "names" | "farNames", least: number): Claim => ({
    claim: `${what === "names" ? "names" : "far names"} that are present, ${size}`,
    against: "sliding window",
    peer: inPercent(shareOf(sliding[what])),
    own: inPercent(shareOf(own[what])),
    ratio: shareOf(own[what]),
    least,
    gap: "by tenths of a point: what is far in these logs was mostly said once.",
  });
  return [
    share("names", promise.names),
    share("farNames", promise.far),
    {
      claim: `tokens sent with summaries and index, ${size}`,
      against: "dropping",
      peer: String(dropping.tokens),
      own: String(own.tokens),
      ratio: own.tokens / dropping.tokens,
      limit: 1.03,
    },
    {
      claim: `cached share with summaries and index, ${size}`,
      against: "dropping",
      peer: inPercent(dropping.cached / dropping.tokens),
      own: inPercent(own.cached / own.tokens),
      ratio: own.cached / own.tokens - dropping.cached / dropping.tokens,
      least: -0.005,
      gap: "a summary takes room that dropping gives to messages, so that the next cut comes sooner.",
    },
    {
      claim: `summaries and index, processor time for what they take in, ${size}`,
      against: "counting it once",
      peer: `${Math.round(time.counting)} ms`,
      own: `${Math.round(time.summarised - time.dropping)} ms`,
      ratio: (time.summarised - time.dropping) / time.counting,
      limit: 2,
      gap: "each cut reads what it takes in for names and again for what was said and failed; how much that is against counting depends on the process (see the notes).",
    },
  ];
}

function shareOf(of: Retention["names"], part: "present" | "reachable" | "lost" = "present"): number {
  return of.used === 0 ? Number(part === "present") : of[part] / of.used;
}

function sizeOf(messages: readonly ModelMessage[], account: TokenAccount): number {
  return messages.reduce((total, message) => total + account.countMessage(message), 0);
}

/** Main conversations of the corpus' logs; what sub-agents did has sessions of its own, and is short. */
function readConversations(formats: readonly string[]): readonly Conversation[] {
  if (!existsSync(folder)) {
    return corpus.kinds.map((kind) => ({
      name: kind.name,
      entries: joinSessions(kind).map((message, at) => entryOf(`m${at}`, message)),
    }));
  }
  return formats.flatMap((format) =>
    readdirSync(`${folder}/${format}`)
      .filter((file) => /\.jsonl?$/.test(file) && !file.includes("agent-"))
      .sort()
      .flatMap((file) => conversationsIn(file, readFileSync(`${folder}/${format}/${file}`, "utf8"))),
  );
}

function conversationsIn(name: string, text: string): readonly Conversation[] {
  const log = readLog({ name });
  const found = new Map<string, SessionEntry[]>();
  for (const { session, entry } of [...log.push(text).entries, ...log.end().entries]) {
    const own = found.get(session) ?? [];
    found.set(session, own);
    own.push(entry);
  }
  return [...found].map(([id, entries]) => ({ name: id, entries }));
}
