import {
  ContextManager,
  type MessageEntry,
  type ModelMessage,
  type SessionEntry,
  type TokenAccount,
  loadTokenizer,
  tokenAccount,
} from "@galley/engine";
import type { BenchReport, Claim } from "./claim.ts";
import { type LangChainTrimmer, langChainTrimmer } from "./langchain.ts";
import { llamaIndexSession } from "./llama-index.ts";
import { inMs, interleave, median } from "./measure.ts";
import { promptTsxFit } from "./prompt-tsx.ts";
import { corpus, entryOf, freshPair, freshSession, systemPrompt } from "./sessions.ts";
import { validityTable } from "./validity.ts";

const budget = 32_000;
/** A peer has few rounds, because it takes long; ours takes several turns in each, so that its median means something. */
const turnsAtOnce = 5;

/** One turn of a peer: takes the new messages in and gives the input for the next call. */
type Turn = (entries: readonly MessageEntry[]) => Promise<unknown>;

interface Contender {
  readonly name: string;
  readonly rounds: number;
  readonly turn: Turn;
  /** The least that was promised. */
  readonly least: number;
}

export async function peersReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const account = tokenAccount(tokenizer);
  const claims: Claim[] = [];
  for (const length of [100, 1000]) {
    for (const contender of await contenders(length, account)) {
      await warmUp(length, account);
      const times = await interleave(
        {
          rounds: contender.rounds,
          warmUp: contender.rounds === 1 ? 0 : 3,
          prepare: async (round) => ({ peer: freshEntries(round), own: await ownTurns(length, account, round) }),
        },
        { peer: ({ peer }) => contender.turn(peer), own: ({ own }) => own() },
      );
      claims.push(claimOf(contender, length, median(times.peer), median(times.own) / turnsAtOnce));
    }
  }
  return {
    claims,
    notes: [
      `Source: ${corpus.source}. A session of a tool-using agent; a turn appends a call and its result and fits everything into ${budget / 1000}k. All count with our exact o200k counter; the ratio is the peer's time over ours.`,
      "trimMessages: strategy last, includeSystem, startOn human. prompt-tsx: one element per message, newer ones with a higher priority, a call in one Chunk with its results, counts remembered by text. LlamaIndex Memory: getLLM, no blocks; it counts joined texts.",
      "Refused inputs: the session has no fault of its own (calls that were never answered are taken out before). “Nothing left” is the system prompt alone. LlamaIndex counts texts only, without calls and frames. All refusals of prompt-tsx come from one habit: it leaves out tool results that are empty texts, which tau-bench has; with a word in them none is refused.",
      "Plain trimMessages at 1,000 messages is timed once. Converting messages to a peer's classes is not timed.",
    ],
    tables: [await validityTable(account)],
  };
}

function claimOf({ name, least }: Contender, length: number, peer: number, own: number): Claim {
  return {
    claim: `a turn at ${length} messages into ${budget / 1000}k, times faster`,
    against: name,
    peer: inMs(peer),
    own: inMs(own),
    ratio: peer / own,
    least,
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

async function contenders(length: number, account: TokenAccount): Promise<Contender[]> {
  const isLong = length >= 1000;
  const entries = (): MessageEntry[] => freshSession(length);
  const fit = await promptTsxFit(account, systemPrompt, budget);
  const elements = entries();
  const memory = await llamaIndexSession(account, budget);
  await memory.add(entries());
  const trimmer = await langChainTrimmer(account);
  return [
    {
      name: "LangChain trimMessages, memoised counts",
      rounds: isLong ? 7 : 15,
      turn: langChainTurn(trimmer, entries(), true),
      least: isLong ? 100 : 1,
    },
    {
      name: "LangChain trimMessages, plain counts",
      rounds: isLong ? 1 : 7,
      turn: langChainTurn(trimmer, entries(), false),
      least: 1,
    },
    {
      name: "prompt-tsx, memoised counts",
      rounds: isLong ? 5 : 15,
      turn: async (added): Promise<ModelMessage[]> => {
        elements.push(...added);
        return fit(elements);
      },
      least: 1,
    },
    {
      name: "LlamaIndex Memory",
      rounds: 5,
      turn: async (added) => {
        await memory.add(added);
        return memory.fit();
      },
      least: 1,
    },
  ];
}

function langChainTurn(trimmer: LangChainTrimmer, entries: readonly MessageEntry[], isMemoised: boolean): Turn {
  const messages = [trimmer.system(systemPrompt), ...entries.map((entry) => trimmer.convert(entry))];
  return async (added) => {
    for (const entry of added) messages.push(trimmer.convert(entry));
    return trimmer.trim(messages, { maxTokens: budget, startsOnHuman: true, isMemoised });
  };
}
