import { ContextManager, type ModelMessage, type SessionEntry, type Tokenizer, loadTokenizer } from "@galley/engine";
import { sha256 } from "../packages/host/src/disk/sha256.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, mean, median, medianRatio } from "./measure.ts";
import {
  type Pair,
  corpus,
  entryOf,
  freshPair,
  freshSession,
  medianPairs,
  systemPrompt,
  textsOf,
  tokenise,
  toolSpecs,
} from "./sessions.ts";

/** One agent's session, in memory, as a host keeps it: it grows by what each build asks to append. */
export class Session {
  readonly log: SessionEntry[];
  readonly manager: ContextManager;
  window: readonly ModelMessage[] = [];
  #next = 0;

  constructor(length: number, tokenizer: Tokenizer, maxInputTokens: number) {
    this.log = freshSession(length);
    this.manager = new ContextManager({ config: { maxInputTokens }, tokenizer, systemPrompt, sha256 });
  }

  async build(inputMessages: readonly ModelMessage[] = []): Promise<void> {
    const { modelMessages, entriesToAppend } = await this.manager.buildContext({
      sessionEntries: this.log,
      inputMessages,
      toolSpecs,
    });
    for (const entry of entriesToAppend) this.log.push(entry);
    this.window = modelMessages;
  }

  /** The caller keeps the log and gives ids. */
  turn(pair: Pair): Promise<void> {
    for (const message of pair) this.log.push(entryOf(`n${(this.#next += 1)}`, message));
    return this.build();
  }
}

function freshTurn(round: number): readonly [Pair, Pair] {
  return [freshPair(round), freshPair(round)];
}

export async function turnReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const claims: Claim[] = [];
  const notes: string[] = [];
  for (const budget of [32_000, 200_000]) {
    const [claim, note] = await againstTokenising(budget, tokenizer);
    claims.push(...claim);
    notes.push(note);
  }
  claims.push(await againstShortLog(tokenizer));
  const texts = medianPairs.map((pair) => pair.flatMap(textsOf));
  const characters = median(texts.map((pair) => pair.join("").length));
  const tokens = median(texts.map((pair) => pair.reduce((sum, text) => sum + tokenizer.count(text), 0)));
  return {
    claims,
    notes: [
      `Source: ${corpus.source}. A turn appends a tool call and its result (median pair of the source: ${characters} characters, ${tokens} tokens; new texts every round) and awaits buildContext, with a system prompt and three tools.`,
      "The session is longer than the budget; each compaction entry is persisted. Peer: tokenising the two messages (a call's arguments as JSON, as both sides have to write them) and copying the array of the window's messages.",
      "Ratios are medians over the rounds, each side beside the other of the same round.",
      "“entries”: the caller appends entries that have ids. “inputMessages”: the messages come without ids, which are the SHA-256 of their content; the peer hashes them too.",
      ...notes,
    ],
  };
}

// All sides tokenise and only one fits: it needs this many rounds until its code is compiled as well as the tokenizer's.
const rounds = { rounds: 2000, warmUp: 1000 };

async function againstTokenising(budget: number, tokenizer: Tokenizer): Promise<[Claim[], string]> {
  const byEntries = new Session(3000, tokenizer, budget);
  const byInput = new Session(3000, tokenizer, budget);
  const windows: number[] = [];
  await byEntries.build();
  await byInput.build();
  const times = await interleave(
    {
      ...rounds,
      prepare: (round) => {
        windows.push(byEntries.window.length);
        return freshTurn(round);
      },
    },
    {
      peer: ([pair]) => [tokenise(pair, tokenizer), byEntries.window.slice()],
      hashed: ([, pair]) => {
        const hashes = pair.map((message) => sha256(JSON.stringify(message)));
        return [tokenise(pair, tokenizer), byInput.window.slice(), hashes];
      },
      entries: ([pair]) => byEntries.turn(pair),
      input: ([, pair]) => byInput.build(pair),
    },
  );
  const claimOf = (own: number[], how: string, peer: number[], against: string, limit: number): Claim => ({
    claim: `a turn at ${budget / 1000}k, ${how}`,
    against: `tokenising two messages + ${against}`,
    peer: inMs(median(peer)),
    own: inMs(median(own)),
    ratio: medianRatio(own, peer),
    limit,
  });
  const means = `${inMs(mean(times.peer))} / ${inMs(mean(times.entries))} / ${inMs(mean(times.input))}`;
  return [
    [
      claimOf(times.entries, "entries", times.peer, "copying the window", 1.5),
      claimOf(times.input, "inputMessages", times.hashed, "hashing them + copying the window", 2),
    ],
    `${budget / 1000}k: ${median(windows)} messages in the window (median). Means, turns that cut again included: peer / entries / inputMessages ${means}.`,
  ];
}

async function againstShortLog(tokenizer: Tokenizer): Promise<Claim> {
  // Both end with the same messages, so that both cut at the same place and have the same window.
  const cycle = 99_000;
  const long = new Session(cycle + 1000, tokenizer, 32_000);
  const short = new Session(0, tokenizer, 32_000);
  short.log.push(...long.log.slice(cycle).map((entry) => ({ ...entry })));
  await long.build();
  await short.build();
  const times = await interleave(
    { ...rounds, prepare: freshTurn },
    {
      peer: ([pair]) => short.turn(pair),
      own: ([, pair]) => long.turn(pair),
    },
  );
  if (long.window.length !== short.window.length) throw new Error("The two sessions have different windows.");
  return {
    claim: "a turn at 32k with 100,000 entries",
    against: "the same with 1,000 entries",
    peer: inMs(median(times.peer)),
    own: inMs(median(times.own)),
    ratio: medianRatio(times.own, times.peer),
    limit: 1.2,
  };
}
