import { type TokenAccount, type Tokenizer, loadTokenizer, tokenAccount } from "@galley/engine";
import type { BenchReport, Claim, FigureTable } from "./claim.ts";
import type { SessionKind } from "./generated.ts";
import { inPercent } from "./measure.ts";
import {
  type OwnOptions,
  type Replay,
  type Shares,
  galley,
  langChain,
  pureAppend,
  replayCalls,
  slidingWindow,
} from "./replay.ts";
import { corpus, entryOf, joinSessions } from "./sessions.ts";

const promises = [
  { budget: 32_000, least: 0.95 },
  { budget: 8000, least: 0.85 },
] as const;
const ratios = [0.3, 0.5, 0.7] as const;
const roomForAll = 100_000_000;

interface Bench {
  readonly tokenizer: Tokenizer;
  readonly account: TokenAccount;
}

export async function cacheReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const bench: Bench = { tokenizer, account: tokenAccount(tokenizer) };
  const claims: Claim[] = [];
  const tables: FigureTable[] = [];
  claims.push(await nothingMoves(bench));
  for (const { budget, least } of promises) {
    const rows = [];
    const totals = { append: none(), own: none(), sliding: none(), trim: none() };
    for (const kind of corpus.kinds) {
      const replay = replayOf(kind, budget, bench.account);
      const shares = await allShares(replay, budget, bench);
      for (const name of ["append", "own", "sliding", "trim"] as const) totals[name] = add(totals[name], shares[name]);
      rows.push(rowOf(kind.name, replay, shares, budget, bench.account));
    }
    tables.push({ title: `Share of input tokens that a provider has read before, ${budget / 1000}k, by kind:`, rows });
    claims.push({
      claim: `cached share where the session is several times ${budget / 1000}k`,
      against: "sliding window / trimMessages",
      peer: `${inPercent(shareOf(totals.sliding))} / ${inPercent(shareOf(totals.trim))}`,
      own: inPercent(shareOf(totals.own)),
      ratio: shareOf(totals.own),
      least,
    });
  }
  tables.push(await ratioTable(bench));
  return { claims, tables, notes: notes() };
}

function notes(): string[] {
  return [
    `Source: ${corpus.source}, those of one kind joined into one long session. A call is the state before each assistant message; entriesToAppend is persisted after each.`,
    "Share: tokens of the messages from the front that are JSON-equal to those of the call before, of all input tokens; all calls but the first. The ratio of these claims is the share itself, over the tokens of all kinds together; single kinds may lie below it, see the tables.",
    "Sliding window: drops the oldest whole messages just until it fits. trimMessages: LangChain's, strategy last, includeSystem, startOn human, our counter.",
    "Ceiling: the share if inputs of the size that Galley sends never broke; new messages are never cached.",
    "User and assistant messages that are larger than half the budget are left out for all: an agent with that window would not have had them. Tool results stay, whatever their size.",
  ];
}

function replayOf(kind: SessionKind, budget: number, account: TokenAccount): Replay {
  const messages = joinSessions(kind).filter(
    (message) => message.role === "tool" || account.countMessage(message) <= budget / 2,
  );
  return {
    systemPrompt: kind.systemPrompt,
    entries: messages.map((message, index) => entryOf(`${kind.name}${index}`, message)),
  };
}

async function nothingMoves({ account, tokenizer }: Bench): Promise<Claim> {
  let append = none();
  let own = none();
  for (const kind of corpus.kinds) {
    const replay = replayOf(kind, roomForAll, account);
    append = add(append, await replayCalls(replay, account, pureAppend(replay)));
    own = add(own, await replayCalls(replay, account, galley(replay, tokenizer, { maxInputTokens: roomForAll })));
  }
  return {
    claim: "cached share where nothing has to move",
    against: "pure append",
    peer: inPercent(shareOf(append)),
    own: inPercent(shareOf(own)),
    ratio: shareOf(own) / shareOf(append),
    least: 1,
  };
}

async function allShares(
  replay: Replay,
  budget: number,
  { account, tokenizer }: Bench,
): Promise<Record<"append" | "own" | "sliding" | "trim", Shares>> {
  return {
    append: await replayCalls(replay, account, pureAppend(replay)),
    own: await replayCalls(replay, account, galley(replay, tokenizer, { maxInputTokens: budget })),
    sliding: await replayCalls(replay, account, slidingWindow(replay, account, budget)),
    trim: await replayCalls(replay, account, await langChain(replay, account, budget)),
  };
}

function rowOf(
  kind: string,
  { entries }: Replay,
  { append, own, sliding, trim }: Record<"append" | "own" | "sliding" | "trim", Shares>,
  budget: number,
  account: TokenAccount,
): FigureTable["rows"][number] {
  const tokens = entries.reduce((sum, { message }) => sum + account.countMessage(message), 0);
  return {
    kind,
    calls: own.calls + own.refused,
    "times the budget": Number((tokens / budget).toFixed(1)),
    "pure append": inPercent(shareOf(append)),
    // What is new in a call cannot have been read before: the share of inputs of this size that never break.
    ceiling: inPercent(1 - tokens / own.input),
    Galley: inPercent(shareOf(own)),
    "calls per cut": Math.round(own.calls / Math.max(1, own.breaks)),
    refused: own.refused,
    "mean input": Math.round(own.input / Math.max(1, own.calls - 1)),
    "sliding window": inPercent(shareOf(sliding)),
    trimMessages: inPercent(shareOf(trim)),
  };
}

async function ratioTable({ account, tokenizer }: Bench): Promise<FigureTable> {
  const rows = [];
  for (const { budget } of promises) {
    for (const targetRatio of ratios) {
      const config: OwnOptions = { maxInputTokens: budget, targetRatio };
      const row: Record<string, string | number> = { budget, targetRatio };
      let total = none();
      for (const kind of corpus.kinds) {
        const replay = replayOf(kind, budget, account);
        const own = await replayCalls(replay, account, galley(replay, tokenizer, config));
        row[kind.name] = inPercent(shareOf(own));
        total = add(total, own);
      }
      rows.push({
        ...row,
        all: inPercent(shareOf(total)),
        "mean input": Math.round(total.input / total.calls),
        cuts: total.breaks,
        // What is paid when a cached token costs a tenth: the share alone would favour sending more.
        "cost per call": Math.round((total.input - 0.9 * total.prefix) / total.calls),
      });
    }
  }
  return { title: "The same for other values of targetRatio (for information):", rows };
}

function none(): Shares {
  return { calls: 0, input: 0, prefix: 0, breaks: 0, refused: 0 };
}

function add(a: Shares, b: Shares): Shares {
  return {
    calls: a.calls + b.calls,
    input: a.input + b.input,
    prefix: a.prefix + b.prefix,
    breaks: a.breaks + b.breaks,
    refused: a.refused + b.refused,
  };
}

function shareOf({ input, prefix }: Shares): number {
  return input === 0 ? 1 : prefix / input;
}
