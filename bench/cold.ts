import { hash } from "node:crypto";
import {
  type ContextBuildResult,
  ContextManager,
  type MessageEntry,
  type Tokenizer,
  digestOf,
  loadTokenizer,
} from "@galley/engine";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, median } from "./measure.ts";
import { corpus, freshSession, systemPrompt, textsOf, toolSpecs } from "./sessions.ts";

const length = 10_000;

/** What the host hands to the engine: the platform's own hash. */
const sha256 = (text: string): string => hash("sha256", text, "hex");

export async function coldReport(): Promise<BenchReport> {
  const tokenizer = await loadTokenizer("o200k_base");
  const results = [await coldClaim(32_000, tokenizer), await coldClaim(200_000, tokenizer)];
  return {
    claims: results.map(([claim]) => claim),
    notes: [
      `Source: ${corpus.source}, ${length} messages, message objects new in every round. First build with a new ContextManager: checks, counts, cut, ledger, digest.`,
      "Peer: tokenising every text that is in the finished window, and nothing else.",
      ...results.map(([, note]) => note),
    ],
  };
}

/** What has to be seen of every message, to know that it is one. */
function visit(session: readonly MessageEntry[]): number {
  let seen = 0;
  for (const { type, message } of session) {
    if (type === "message" && (typeof message.content === "string" || message.content[0] !== undefined)) seen += 1;
  }
  return seen;
}

async function coldClaim(maxInputTokens: number, tokenizer: Tokenizer): Promise<[Claim, string]> {
  const build = async (sessionEntries: readonly MessageEntry[]): Promise<ContextBuildResult> => {
    // A tokenizer object of its own has no memory of texts that a round before has counted.
    const manager = new ContextManager({ config: { maxInputTokens }, tokenizer: { ...tokenizer }, systemPrompt });
    const result = await manager.buildContext({ sessionEntries, toolSpecs });
    digestOf(result.build, { sha256 });
    return result;
  };
  const { modelMessages, stats, build: first } = await build(freshSession(length));
  const texts = modelMessages.flatMap(textsOf);
  const times = await interleave(
    { rounds: 41, warmUp: 40, prepare: () => freshSession(length) },
    {
      peer: () => texts.reduce((sum, text) => sum + tokenizer.count(text), 0),
      floor: (session) => [
        visit(session),
        session.slice(-modelMessages.length).map(({ message }) => sha256(JSON.stringify(message))),
        texts.reduce((sum, text) => sum + tokenizer.count(text), 0),
      ],
      own: build,
    },
  );
  const [peer, floor, own] = [median(times.peer), median(times.floor), median(times.own)];
  const claim: Claim = {
    claim: `first build of ${length} messages into ${maxInputTokens / 1000}k`,
    against: "tokenising what is in the window",
    peer: inMs(peer),
    own: inMs(own),
    ratio: own / peer,
    limit: 1.5,
  };
  const masked = first.ledger.filter(({ fate }) => fate === "masked").length;
  const note = `${maxInputTokens / 1000}k: ${modelMessages.length} messages (${masked} masked) and ${stats.inputTokens} tokens in the window. Looking at each message once, writing those of the window as JSON, hashing and tokenising them, and nothing else: ${inMs(floor)}, ${(floor / peer).toFixed(1)} × the tokenising alone; Galley takes ${(own / floor).toFixed(1)} × that.`;
  return [claim, note];
}
