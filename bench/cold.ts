import {
  type Compactor,
  type ContextBuildResult,
  ContextManager,
  type MessageEntry,
  type Tokenizer,
  digestOf,
  extractiveCompactor,
  loadTokenizer,
} from "@galley/engine";
import { sha256 } from "../packages/host/src/disk/sha256.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, median, medianRatio, processorTime } from "./measure.ts";
import { corpus, freshSession, systemPrompt, tokenise, toolSpecs } from "./sessions.ts";

const length = 10_000;

export async function coldReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const results = [await coldClaims(32_000, tokenizer), await coldClaims(200_000, tokenizer)];
  return {
    claims: results.flatMap(([claims]) => claims),
    notes: [
      `Source: ${corpus.source}, ${length} messages, message objects new in every round. First build with a new ContextManager, as a host has it: extractive compactor, the platform's hash; checks, counts, cut, summary, ledger, digest.`,
      "Peer: JSON.parse of the session's lines and counting all of its texts with our tokenizer, which is what it takes to have read the session at all. Without a compactor, what does not fit is dropped, and nothing of it is read again.",
      "Processor time; ratios are medians over the rounds, each side beside the other of the same round.",
      ...results.map(([, note]) => note),
    ],
  };
}

interface Round {
  readonly session: readonly MessageEntry[];
  readonly dropped: readonly MessageEntry[];
  readonly lines: readonly string[];
}

const rounds = {
  rounds: 15,
  warmUp: 5,
  clock: processorTime,
  prepare: (): Round => ({
    session: freshSession(length),
    dropped: freshSession(length),
    lines: freshSession(length).map((entry) => JSON.stringify(entry)),
  }),
};

async function coldClaims(maxInputTokens: number, tokenizer: Tokenizer): Promise<[readonly Claim[], string]> {
  const build = async (entries: readonly MessageEntry[], compactor?: Compactor): Promise<ContextBuildResult> => {
    // A tokenizer object of its own has no memory of texts that a round before has counted.
    const init = { config: { maxInputTokens }, tokenizer: { ...tokenizer }, systemPrompt, sha256, compactor };
    const result = await new ContextManager(init).buildContext({ sessionEntries: entries, toolSpecs });
    digestOf(result.build, { sha256 });
    return result;
  };
  const read = ({ lines }: Round): number =>
    tokenise(
      lines.map((line) => (JSON.parse(line) as MessageEntry).message),
      tokenizer,
    );
  const { modelMessages, stats } = await build(freshSession(length), extractiveCompactor());
  const times = await interleave(rounds, {
    peer: read,
    own: ({ session }) => build(session, extractiveCompactor()),
    dropped: ({ dropped }) => build(dropped),
  });
  const claimOf = (how: string, own: readonly number[], limit?: number): Claim => ({
    claim: `first build of ${length} messages into ${maxInputTokens / 1000}k, ${how}`,
    against: "parsing the session's lines + counting its texts",
    peer: inMs(median(times.peer)),
    own: inMs(median(own)),
    ratio: medianRatio(own, times.peer),
    ...(limit === undefined ? {} : { limit }),
  });
  return [
    [claimOf("with a summary", times.own, 2), claimOf("without a compactor", times.dropped)],
    `${maxInputTokens / 1000}k: ${modelMessages.length} messages and ${stats.inputTokens} tokens in the window.`,
  ];
}
