import type { MessageEntry, TokenAccount } from "@galley/engine";
import { aiSdkPruner } from "./ai-sdk.ts";
import { type LangChainTrimmer, langChainTrimmer } from "./langchain.ts";
import { llamaIndexSession } from "./llama-index.ts";
import { type MastraOptions, mastraLimiter } from "./mastra.ts";
import { promptTsxFit } from "./prompt-tsx.ts";
import { freshSession, systemPrompt } from "./sessions.ts";
import type { FitName } from "./validity.ts";

/** One turn of a peer: takes the new messages in and gives the input for the next call. */
type Turn = (entries: readonly MessageEntry[]) => Promise<unknown>;

export interface Contender {
  readonly name: string;
  /** Its row among those whose inputs are looked at, if its time belongs there. */
  readonly fittedBy?: FitName;
  readonly rounds: number;
  readonly turn: Turn;
  /** The least that was promised; nothing is promised against one that does not count exactly. */
  readonly least?: number;
}

interface Scene {
  readonly length: number;
  readonly budget: number;
  readonly account: TokenAccount;
}

/** Every peer with a session of its own of this length. */
export async function contenders(scene: Scene): Promise<Contender[]> {
  const { length, budget, account } = scene;
  const isLong = length >= 1000;
  const fit = await promptTsxFit(account, systemPrompt, budget);
  const elements = freshSession(length);
  const memory = await llamaIndexSession(account, budget);
  await memory.add(freshSession(length));
  return [
    ...(await langChainContenders(scene)),
    {
      name: "prompt-tsx, memoised counts",
      fittedBy: "prompt-tsx, calls in one Chunk with results",
      rounds: isLong ? 5 : 15,
      turn: async (added) => {
        elements.push(...added);
        return fit(elements);
      },
      least: 1,
    },
    {
      name: "LlamaIndex Memory",
      fittedBy: "LlamaIndex Memory",
      rounds: 5,
      turn: async (added) => {
        await memory.add(added);
        return memory.fit();
      },
      least: 1,
    },
    ...(await mastraContenders(scene)),
    await aiSdkContender(length),
  ];
}

async function langChainContenders({ length, budget, account }: Scene): Promise<Contender[]> {
  const isLong = length >= 1000;
  const trimmer = await langChainTrimmer(account);
  return [
    {
      name: "LangChain trimMessages, memoised counts",
      fittedBy: "LangChain trimMessages, startOn human",
      rounds: isLong ? 7 : 15,
      turn: langChainTurn(trimmer, freshSession(length), { budget, isMemoised: true }),
      least: isLong ? 100 : 1,
    },
    {
      name: "LangChain trimMessages, plain counts",
      rounds: isLong ? 1 : 7,
      turn: langChainTurn(trimmer, freshSession(length), { budget, isMemoised: false }),
      least: 1,
    },
  ];
}

interface LangChainTurnOptions {
  readonly budget: number;
  readonly isMemoised: boolean;
}

function langChainTurn(
  trimmer: LangChainTrimmer,
  entries: readonly MessageEntry[],
  { budget, isMemoised }: LangChainTurnOptions,
): Turn {
  const messages = [trimmer.system(systemPrompt), ...entries.map((entry) => trimmer.convert(entry))];
  return async (added) => {
    for (const entry of added) messages.push(trimmer.convert(entry));
    return trimmer.trim(messages, { maxTokens: budget, startsOnHuman: true, isMemoised });
  };
}

async function mastraContenders({ length, budget, account }: Scene): Promise<Contender[]> {
  const count = (text: string): number => account.tokenizer.count(text);
  return [
    {
      name: "Mastra TokenLimiter, our exact counter",
      fittedBy: "Mastra TokenLimiter, our exact counter",
      rounds: 15,
      turn: await mastraTurn(length, { systemPrompt, budget, count }),
      least: 1,
    },
    {
      name: "Mastra TokenLimiter, as it comes: estimates",
      fittedBy: "Mastra TokenLimiter, its estimates",
      rounds: 15,
      turn: await mastraTurn(length, { systemPrompt, budget }),
    },
  ];
}

async function mastraTurn(length: number, options: MastraOptions): Promise<Turn> {
  const limiter = await mastraLimiter(options);
  const messages = freshSession(length).map(({ message }) => limiter.convert(message));
  return async (added) => {
    for (const { message } of added) messages.push(limiter.convert(message));
    return limiter.limit(messages);
  };
}

async function aiSdkContender(length: number): Promise<Contender> {
  const prune = await aiSdkPruner();
  const messages = freshSession(length).map(({ message }) => message);
  return {
    name: "AI SDK pruneMessages: no budget, no counts",
    fittedBy: "AI SDK pruneMessages",
    rounds: 15,
    turn: async (added) => {
      for (const { message } of added) messages.push(message);
      return prune(messages);
    },
  };
}
