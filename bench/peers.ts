import {
  ContextManager,
  type MessageEntry,
  type SessionEntry,
  type TokenAccount,
  loadTokenizer,
  tokenAccount,
} from "@galley/engine";
import type { BenchReport, Claim, FigureTable } from "./claim.ts";
import { type Contender, contenders } from "./contenders.ts";
import { inMs, interleave, median } from "./measure.ts";
import { corpus, entryOf, freshPair, freshSession, systemPrompt } from "./sessions.ts";
import { type Validity, validityOf } from "./validity.ts";

const budget = 32_000;
/** A peer has few rounds, because it takes long; ours takes several turns in each, so that its median means something. */
const turnsAtOnce = 5;

export async function peersReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const account = tokenAccount(tokenizer);
  const claims: Claim[] = [];
  const speeds: Speed[] = [];
  for (const length of [100, 1000]) {
    const own: number[] = [];
    for (const contender of await contenders({ length, budget, account })) {
      await warmUp(length, account);
      const times = await interleave(
        {
          rounds: contender.rounds,
          warmUp: contender.rounds === 1 ? 0 : 3,
          prepare: async (round) => ({ peer: freshEntries(round), own: await ownTurns(length, account, round) }),
        },
        { peer: ({ peer }) => contender.turn(peer), own: ({ own }) => own() },
      );
      const [peer, ours] = [median(times.peer), median(times.own) / turnsAtOnce];
      own.push(ours);
      claims.push(claimOf(contender, length, peer, ours));
      if (contender.fittedBy) speeds.push({ fittedBy: contender.fittedBy, length, time: peer });
    }
    speeds.push({ fittedBy: "Galley", length, time: median(own) });
  }
  return {
    claims,
    notes: [
      `Source: ${corpus.source}. A session of a tool-using agent; a turn appends a call and its result and fits everything into ${budget / 1000}k. All count with our exact o200k counter; the ratio is the peer's time over ours.`,
      "trimMessages: strategy last, includeSystem, startOn human. prompt-tsx: one element per message, newer ones with a higher priority, a call in one Chunk with its results, counts remembered by text. LlamaIndex Memory: getLLM, no blocks; it counts joined texts. Mastra: the TokenLimiter's step before the call of a model (processLLMRequest), best fit.",
      "Nothing is promised against those that do not count exactly: Mastra as it comes estimates by length, and the AI SDK's pruneMessages (reasoning before the last message, calls before the last 2 messages, as its page has it) has neither budget nor counts. Mastra with our counter in the place of its estimate is compared.",
      "Refused inputs: the session has no fault of its own (calls that were never answered are taken out before). “Nothing left” is the system prompt alone. “Over the budget” is by our count of texts, calls and frames, which a validator of requests does not look at: LlamaIndex counts texts only, without calls and frames; Mastra takes something off for each call. All refusals of prompt-tsx come from one habit: it leaves out tool results that are empty texts, which tau-bench has; with a word in them none is refused.",
      "Plain trimMessages at 1,000 messages is timed once. Converting messages to a peer's classes is not timed.",
    ],
    tables: [tableOf(await validityOf(account), speeds)],
  };
}

function claimOf({ name, least }: Contender, length: number, peer: number, own: number): Claim {
  return {
    claim: `a turn at ${length} messages into ${budget / 1000}k, times faster`,
    against: name,
    peer: inMs(peer),
    own: inMs(own),
    ratio: peer / own,
    ...(least === undefined ? {} : { least }),
  };
}

interface Speed {
  readonly fittedBy: string;
  readonly length: number;
  readonly time: number;
}

/** How long each takes, beside how much of what it gives would be refused. */
function tableOf({ inputs, budget: small, rows }: Validity, speeds: readonly Speed[]): FigureTable {
  const timeOf = (name: unknown, length: number): string => {
    const speed = speeds.find((one) => one.fittedBy === name && one.length === length);
    return speed ? inMs(speed.time) : "";
  };
  return {
    title: `A turn at 100 and at 1,000 messages (median, into ${budget / 1000}k), and inputs that a provider would refuse, by our independent validators, at ${inputs} calls of one session fitted into ${small / 1000}k`,
    rows: rows.map(({ "fitted by": name, ...faults }) => ({
      "fitted by": name,
      "turn at 100": timeOf(name, 100),
      "turn at 1,000": timeOf(name, 1000),
      ...faults,
    })),
  };
}

let made = 0;

function freshEntries(round: number): MessageEntry[] {
  made += 1;
  return freshPair(round).map((message, index) => entryOf(`n${made}-${index}`, message));
}

/** Turns of a session that has been built before and has just this length. */
async function ownTurns(length: number, account: TokenAccount, round: number): Promise<() => Promise<void>> {
  const { tokenizer } = account;
  const manager = new ContextManager({ config: { maxInputTokens: budget }, tokenizer, systemPrompt });
  const log: SessionEntry[] = freshSession(length);
  const build = async (): Promise<void> => {
    const { entriesToAppend } = await manager.buildContext({ sessionEntries: log });
    log.push(...entriesToAppend);
  };
  // The first build cuts, the second reads what was kept: from there on it is a turn like any other.
  await build();
  await build();
  const turns = Array.from({ length: turnsAtOnce }, () => freshEntries(round));
  return async () => {
    for (const entries of turns) {
      log.push(...entries);
      await build();
    }
  };
}

async function warmUp(length: number, account: TokenAccount): Promise<void> {
  for (let round = 0; round < 60; round += 1) await (await ownTurns(length, account, round))();
}
