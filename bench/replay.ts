import {
  ContextManager,
  GalleyError,
  type MessageEntry,
  type ModelMessage,
  type SessionEntry,
  type TokenAccount,
  type Tokenizer,
} from "@galley/engine";
import { langChainTrimmer } from "./langchain.ts";

/** A long agent session that is called once before each of its assistant messages. */
export interface Replay {
  readonly systemPrompt: string;
  readonly entries: readonly MessageEntry[];
}

/** Gives the input of the next call, without its system prompt, for a session of this many entries. */
type Strategy = (length: number) => readonly ModelMessage[] | Promise<readonly ModelMessage[]>;

export interface Shares {
  readonly calls: number;
  /** Tokens of all inputs but the first. */
  readonly input: number;
  /** Those of them that are an unchanged prefix of the call before. */
  readonly prefix: number;
  /** Calls that changed something in front of the end. */
  readonly breaks: number;
  /** Calls for which there was no input that fits. */
  readonly refused: number;
}

/** Replays a session call by call and adds up what each call shares with the one before. */
export async function replayCalls(replay: Replay, account: TokenAccount, strategy: Strategy): Promise<Shares> {
  const system = account.countPlain(replay.systemPrompt);
  const shares = { calls: 0, input: 0, prefix: 0, breaks: 0, refused: 0 };
  let before: readonly ModelMessage[] | undefined;
  for (const [length, { message }] of replay.entries.entries()) {
    if (message.role !== "assistant" || length === 0) continue;
    let messages: readonly ModelMessage[];
    try {
      messages = await strategy(length);
    } catch (error) {
      if (!(error instanceof GalleyError) || error.code !== "ContextOverflow") throw error;
      shares.refused += 1;
      continue;
    }
    shares.calls += 1;
    if (before) {
      const common = commonPrefix(before, messages);
      shares.prefix += system;
      shares.input += system;
      for (const [index, message] of messages.entries()) {
        const tokens = account.countMessage(message);
        shares.input += tokens;
        if (index < common) shares.prefix += tokens;
      }
      if (common < before.length) shares.breaks += 1;
    }
    before = messages;
  }
  return shares;
}

const texts = new WeakMap<ModelMessage, string>();

function textOf(message: ModelMessage): string {
  let text = texts.get(message);
  if (text === undefined) texts.set(message, (text = JSON.stringify(message)));
  return text;
}

export function commonPrefix(before: readonly ModelMessage[], now: readonly ModelMessage[]): number {
  let common = 0;
  for (const [index, message] of before.entries()) {
    const other = now[index];
    if (!other || (other !== message && textOf(other) !== textOf(message))) break;
    common += 1;
  }
  return common;
}

export function pureAppend({ entries }: Replay): Strategy {
  const messages = entries.map(({ message }) => message);
  return (length) => messages.slice(0, length);
}

export interface OwnOptions {
  readonly maxInputTokens: number;
  readonly targetRatio?: number;
}

/** Galley; what each build asks to append is persisted. */
export function galley(replay: Replay, tokenizer: Tokenizer, config: OwnOptions): Strategy {
  const manager = new ContextManager({ config, tokenizer, systemPrompt: replay.systemPrompt });
  const log: SessionEntry[] = [];
  let read = 0;
  return async (length) => {
    for (; read < length; read += 1) log.push(replay.entries[read] as MessageEntry);
    const { modelMessages, entriesToAppend } = await manager.buildContext({ sessionEntries: log });
    for (const entry of entriesToAppend) log.push(entry);
    return modelMessages.slice(1);
  };
}

/** Drops the oldest whole messages, just until the rest fits. */
export function slidingWindow({ entries, systemPrompt }: Replay, account: TokenAccount, budget: number): Strategy {
  return (length) => {
    let tokens = account.countPlain(systemPrompt) + 3;
    let first = length;
    for (; first > 0; first -= 1) {
      tokens += account.countMessage((entries[first - 1] as MessageEntry).message);
      if (tokens > budget) break;
    }
    return entries.slice(first, length).map(({ message }) => message);
  };
}

/** LangChain's trimMessages. It gets a tail that is well over the budget: what it keeps does not depend on the rest. */
export async function langChain(replay: Replay, account: TokenAccount, budget: number): Promise<Strategy> {
  const trimmer = await langChainTrimmer(account);
  const system = trimmer.system(replay.systemPrompt);
  const messages = replay.entries.map((entry) => trimmer.convert(entry));
  const sources = new Map(replay.entries.map(({ id, message }) => [id, message]));
  return async (length) => {
    let first = length;
    for (let tokens = 0; first > 0 && tokens <= budget; first -= 1) {
      tokens += account.countMessage((replay.entries[first - 1] as MessageEntry).message);
    }
    const options = { maxTokens: budget, startsOnHuman: true, isMemoised: true };
    const left = await trimmer.trim([system, ...messages.slice(first, length)], options);
    return left.flatMap((id) => sources.get(id) ?? []);
  };
}
