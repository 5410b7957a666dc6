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
import type { FigureTable } from "./claim.ts";
import { langChainTrimmer } from "./langchain.ts";
import { llamaIndexSession } from "./llama-index.ts";
import { inPercent } from "./measure.ts";
import { promptTsxFit } from "./prompt-tsx.ts";
import { freshSession, systemPrompt } from "./sessions.ts";

const budget = 8000;
const cutPoints = 150;

/** Gives what would be sent before the assistant message at `length`, without the system prompt. */
type Fit = (length: number) => Promise<readonly ModelMessage[]>;

interface Faults {
  readonly openai: number;
  readonly anthropic: number;
  readonly tooLarge: number;
}

/** How many of each peer's inputs a provider would refuse. */
export async function validityTable(account: TokenAccount): Promise<FigureTable> {
  const entries = freshSession(3000);
  const points = cutsOf(entries);
  const rows = [];
  for (const [name, fit] of await fits(entries, account)) {
    const faults = await faultsOf(points, fit, account);
    rows.push({
      "fitted by": name,
      inputs: points.length,
      "refused by OpenAI Chat": `${faults.openai} (${inPercent(faults.openai / points.length)})`,
      "refused by Anthropic": `${faults.anthropic} (${inPercent(faults.anthropic / points.length)})`,
      "over the budget": faults.tooLarge,
    });
  }
  const title = `Inputs that a provider would refuse, by our independent validators, at ${points.length} calls of one session fitted into ${budget / 1000}k:`;
  return { title, rows };
}

/** Calls, evenly spread; those whose session already has an unanswered call are not the fit's fault and are left out. */
function cutsOf(entries: readonly MessageEntry[]): number[] {
  const calls = entries.flatMap(({ message }, index) => (message.role === "assistant" && index > 300 ? [index] : []));
  const step = calls.length / cutPoints;
  return Array.from({ length: cutPoints }, (_, index) => calls[Math.floor(index * step)] as number);
}

async function fits(entries: readonly MessageEntry[], account: TokenAccount): Promise<[string, Fit][]> {
  const sources = new Map(entries.map(({ id, message }) => [id, message]));
  const trimmer = await langChainTrimmer(account);
  const system = trimmer.system(systemPrompt);
  const converted = entries.map((entry) => trimmer.convert(entry));
  const tsx = await promptTsxFit(account, systemPrompt, budget);
  // The last hundred messages are several times the budget: what a peer keeps does not depend on what is before them.
  const near = 100;
  const trim =
    (startsOnHuman: boolean): Fit =>
    async (length) => {
      const options = { maxTokens: budget, startsOnHuman, isMemoised: true };
      const left = await trimmer.trim([system, ...converted.slice(length - near, length)], options);
      return left.flatMap((id) => sources.get(id) ?? []);
    };
  return [
    ["nothing (the last 100 messages)", async (length) => wholeTurns(entries, length - near, length)],
    ["LangChain trimMessages, startOn human", trim(true)],
    ["LangChain trimMessages, no startOn", trim(false)],
    ["prompt-tsx, calls kept with results", async (length) => tsx(entries.slice(length - near, length))],
    [
      "LlamaIndex Memory",
      async (length) => {
        const memory = await llamaIndexSession(account, budget);
        await memory.add(entries.slice(length - near, length));
        return memory.fit();
      },
    ],
    ["Galley", galleyFit(entries, account)],
  ];
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
  const faults = { openai: 0, anthropic: 0, tooLarge: 0 };
  for (const point of points) {
    const messages: ModelMessage[] = [{ role: "system", content: systemPrompt }, ...(await fit(point))];
    if (!isAccepted("openai-chat", messages)) faults.openai += 1;
    if (!isAccepted("anthropic", messages)) faults.anthropic += 1;
    if (account.countInput(messages).tokens > budget) faults.tooLarge += 1;
  }
  return faults;
}

function isAccepted(provider: WireProvider, messages: readonly ModelMessage[]): boolean {
  // Without a word from the user or a tool there is nothing to answer; OpenAI would take it, but it is not an input.
  if (messages.length < 2) return false;
  try {
    exportFor(provider, { messages });
    return true;
  } catch (error) {
    if (error instanceof GalleyError && error.code === "WireInvalid") return false;
    throw error;
  }
}
