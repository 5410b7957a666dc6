import { type Compactor, ContextManager, type ModelMessage, type Tokenizer, extractiveCompactor } from "@galley/engine";
import { fittedInputs } from "@galley/engine/proof";
import { sha256 } from "../packages/host/src/disk/sha256.ts";
import { median } from "./measure.ts";
import { systemPrompt, tokenise } from "./sessions.ts";

const rounds = 11;
/** Rounds over all conversations before the first that counts: nearly all of the code is compiled, and compiled again, in them. */
const warmingRounds = 6;

/** Processor time of a conversation's calls and of counting it, in ms. */
export interface CompactorTime {
  readonly dropping: number;
  readonly summarised: number;
  readonly counting: number;
}

const sides = ["dropping", "summarised", "counting"] as const;

/**
 * What summaries and index cost in all conversations: each call by call, in turns with dropping and with counting, with messages
 * that nothing has seen before. What the compiler takes at first counts for none of them.
 */
export async function compactorTime(
  conversations: readonly (readonly ModelMessage[])[],
  maxInputTokens: number,
  tokenizer: Tokenizer,
): Promise<CompactorTime> {
  const work = {
    dropping: (own: readonly ModelMessage[]) => callByCall(own, maxInputTokens, tokenizer),
    summarised: (own: readonly ModelMessage[]) => callByCall(own, maxInputTokens, tokenizer, extractiveCompactor()),
    counting: (own: readonly ModelMessage[]) => tokenise(own, tokenizer),
  };
  for (let round = 0; round < warmingRounds; round += 1)
    for (const messages of conversations) for (const side of sides) await timeOf(messages, work[side]);
  const total = { dropping: 0, summarised: 0, counting: 0 };
  for (const messages of conversations) {
    const times = { dropping: [] as number[], summarised: [] as number[], counting: [] as number[] };
    for (let round = 0; round < rounds; round += 1)
      for (const side of sides) times[side].push(await timeOf(messages, work[side]));
    for (const side of sides) total[side] += median(times[side]);
  }
  return total;
}

async function timeOf(
  messages: readonly ModelMessage[],
  work: (own: readonly ModelMessage[]) => unknown,
): Promise<number> {
  const own = structuredClone(messages);
  const start = process.cpuUsage();
  await work(own);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

async function callByCall(
  messages: readonly ModelMessage[],
  maxInputTokens: number,
  tokenizer: Tokenizer,
  compactor?: Compactor,
): Promise<void> {
  const config = { maxInputTokens, recall: false };
  // As a host has it, with the platform's hash. A tokenizer object of its own has no memory of texts that another side or round has counted.
  const init = { config, tokenizer: { ...tokenizer }, compactor, systemPrompt, sha256 };
  const { inputOf } = fittedInputs(messages, new ContextManager(init));
  for (const [index, { role }] of messages.entries()) if (role === "assistant") await inputOf(index);
}
