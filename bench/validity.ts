import {
  ContextManager,
  GalleyError,
  type MessageEntry,
  type ModelMessage,
  type SessionEntry,
  type TokenAccount,
  type WireProvider,
  exportFor,
} from "@galley/engine";
import { aiSdkPruner } from "./ai-sdk.ts";
import { langChainTrimmer } from "./langchain.ts";
import { llamaIndexSession } from "./llama-index.ts";
import { type MastraOptions, mastraLimiter } from "./mastra.ts";
import { inPercent } from "./measure.ts";
import { plainOf } from "./peer-modules.ts";
import { promptTsxFit } from "./prompt-tsx.ts";
import { freshSession, systemPrompt } from "./sessions.ts";

const budget = 8000;
const cutPoints = 150;
/** The last messages are more than the budget: what a peer that keeps the end keeps does not depend on what is before. */
const near = 250;

/** Gives what would be sent before the assistant message at `length`, without the system prompt. */
type Fit = (length: number) => Promise<readonly ModelMessage[]>;

/** Nothing but the system prompt is left; a call or a result is alone; anything else. */
type Refusal = "empty" | "parted" | "other";

interface Faults extends Readonly<Record<Refusal, number>> {
  readonly openai: number;
  readonly anthropic: number;
  readonly tooLarge: number;
  readonly largest: number;
}

export type FitName =
  | "nothing, the last messages"
  | "LangChain trimMessages, startOn human"
  | "LangChain trimMessages, no startOn"
  | "prompt-tsx, calls in one Chunk with results"
  | "LlamaIndex Memory"
  | "Mastra TokenLimiter, our exact counter"
  | "Mastra TokenLimiter, its estimates"
  | "AI SDK pruneMessages"
  | "Galley";

export interface Validity {
  readonly inputs: number;
  readonly budget: number;
  readonly rows: readonly (Readonly<Record<string, string | number>> & { readonly "fitted by": FitName })[];
}

/** How many of each peer's inputs a provider would refuse. */
export async function validityOf(account: TokenAccount): Promise<Validity> {
  const entries = soundSession(freshSession(3000));
  const points = cutsOf(entries);
  const rows = [];
  for (const [name, fit] of Object.entries(await fits(entries, account)) as [FitName, Fit][]) {
    const faults = await faultsOf(points, fit, account);
    rows.push({
      "fitted by": name,
      "refused by OpenAI Chat": `${faults.openai} (${inPercent(faults.openai / points.length)})`,
      "refused by Anthropic": `${faults.anthropic} (${inPercent(faults.anthropic / points.length)})`,
      "nothing left": faults.empty,
      "call or result alone": faults.parted,
      other: faults.other,
      "over the budget": faults.tooLarge,
      "largest input": faults.largest,
    });
  }
  return { inputs: points.length, budget, rows };
}

/**
 * The session without calls that were never answered, and with an id of its own for every call: what is refused then is
 * the fit's doing, and a result that a peer gives back can be told from others.
 */
function soundSession(entries: readonly MessageEntry[]): MessageEntry[] {
  const sound: MessageEntry[] = [];
  for (let from = 0, to = 0; from < entries.length; from = to) {
    to = from + 1;
    while (entries[to]?.message.role === "tool") to += 1;
    const group = entries.slice(from, to);
    const calls = group.flatMap(({ message }) => plainOf(message).calls.map(({ id }) => id));
    const answers = group.flatMap(({ message }) => plainOf(message).answers ?? []);
    const isSound = calls.length === answers.length && calls.every((id) => answers.includes(id));
    if (isSound) sound.push(...group.map((entry) => ({ ...entry, message: withOwnIds(entry.message, from) })));
  }
  return sound;
}

function withOwnIds(message: ModelMessage, group: number): ModelMessage {
  if (typeof message.content === "string") return message;
  const content = message.content.map((part) =>
    "toolCallId" in part ? { ...part, toolCallId: `${group}_${part.toolCallId}`.slice(0, 40) } : part,
  );
  return { ...message, content } as ModelMessage;
}

/** Calls, evenly spread. */
function cutsOf(entries: readonly MessageEntry[]): number[] {
  const calls = entries.flatMap(({ message }, index) => (message.role === "assistant" && index > 300 ? [index] : []));
  const step = calls.length / cutPoints;
  return Array.from({ length: cutPoints }, (_, index) => calls[Math.floor(index * step)] as number);
}

async function fits(entries: readonly MessageEntry[], account: TokenAccount): Promise<Record<FitName, Fit>> {
  const tsx = await promptTsxFit(account, systemPrompt, budget);
  const prune = await aiSdkPruner();
  const messages = entries.map(({ message }) => message);
  const trim = await trimmed(entries, account);
  const count = (text: string): number => account.tokenizer.count(text);
  return {
    "nothing, the last messages": async (length) => wholeTurns(entries, length - near, length),
    "LangChain trimMessages, startOn human": trim(true),
    "LangChain trimMessages, no startOn": trim(false),
    "prompt-tsx, calls in one Chunk with results": async (length) => tsx(entries.slice(length - near, length)),
    "LlamaIndex Memory": async (length) => {
      const memory = await llamaIndexSession(account, budget);
      await memory.add(entries.slice(length - near, length));
      return memory.fit();
    },
    "Mastra TokenLimiter, our exact counter": await limited(messages, { systemPrompt, budget, count }),
    "Mastra TokenLimiter, its estimates": await limited(messages, { systemPrompt, budget }),
    // It has no budget: from the first message on, as its caller would have them.
    "AI SDK pruneMessages": async (length) => prune(messages.slice(0, length)),
    Galley: galleyFit(entries, account),
  };
}

async function trimmed(
  entries: readonly MessageEntry[],
  account: TokenAccount,
): Promise<(startsOnHuman: boolean) => Fit> {
  const sources = new Map(entries.map(({ id, message }) => [id, message]));
  const trimmer = await langChainTrimmer(account);
  const system = trimmer.system(systemPrompt);
  const converted = entries.map((entry) => trimmer.convert(entry));
  return (startsOnHuman) => async (length) => {
    const options = { maxTokens: budget, startsOnHuman, isMemoised: true };
    const left = await trimmer.trim([system, ...converted.slice(length - near, length)], options);
    return left.flatMap((id) => sources.get(id) ?? []);
  };
}

async function limited(messages: readonly ModelMessage[], options: MastraOptions): Promise<Fit> {
  const limiter = await mastraLimiter(options);
  const converted = messages.map((message) => limiter.convert(message));
  return async (length) => limiter.limit(converted.slice(0, length));
}

/** From the first user message on, so that only what the session itself has wrong is counted. */
function wholeTurns(entries: readonly MessageEntry[], from: number, to: number): ModelMessage[] {
  const messages = entries.slice(from, to).map(({ message }) => message);
  return messages.slice(
    Math.max(
      0,
      messages.findIndex(({ role }) => role === "user"),
    ),
  );
}

function galleyFit(entries: readonly MessageEntry[], account: TokenAccount): Fit {
  const { tokenizer } = account;
  const manager = new ContextManager({ config: { maxInputTokens: budget }, tokenizer, systemPrompt });
  const log: SessionEntry[] = [];
  let read = 0;
  return async (length) => {
    for (; read < length; read += 1) log.push(entries[read] as MessageEntry);
    const { modelMessages, entriesToAppend } = await manager.buildContext({ sessionEntries: log });
    log.push(...entriesToAppend);
    return modelMessages.slice(1);
  };
}

async function faultsOf(points: readonly number[], fit: Fit, account: TokenAccount): Promise<Faults> {
  const faults = { openai: 0, anthropic: 0, tooLarge: 0, largest: 0, empty: 0, parted: 0, other: 0 };
  for (const point of points) {
    const messages: ModelMessage[] = [{ role: "system", content: systemPrompt }, ...(await fit(point))];
    const reason = refusalOf("openai-chat", messages);
    if (reason) {
      faults.openai += 1;
      faults[reason] += 1;
    }
    if (refusalOf("anthropic", messages)) faults.anthropic += 1;
    const { tokens } = account.countInput(messages);
    if (tokens > budget) faults.tooLarge += 1;
    faults.largest = Math.max(faults.largest, tokens);
  }
  return faults;
}

function refusalOf(provider: WireProvider, messages: readonly ModelMessage[]): Refusal | undefined {
  // Without a word from the user or a tool there is nothing to answer; OpenAI would take it, but it is not an input.
  if (messages.length < 2) return "empty";
  try {
    exportFor(provider, { messages });
    return undefined;
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "WireInvalid") throw error;
    return /has no result|has no call/.test(error.message) ? "parted" : "other";
  }
}
