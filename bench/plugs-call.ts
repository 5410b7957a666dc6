import type { MessageEntry, ModelMessage, TokenAccount } from "@galley/engine";
import { fitStep } from "@galley/engine/ai-sdk";
import { fitMiddleware } from "@galley/engine/langchain";
import { fitProcessor } from "@galley/engine/mastra";
import { fitInput } from "@galley/engine/openai-agents";
import type { Claim } from "./claim.ts";
import { langChainTrimmer } from "./langchain.ts";
import { inMs, interleave, mean, processorTime } from "./measure.ts";
import { plainOf } from "./peer-modules.ts";

const [rounds, warmUp] = [80, 10];
const length = 1001;

/** How many calls the loop must have: each round goes on from the one before. */
export const callsNeeded = (length - 1) / 2 + rounds + warmUp + 10;

interface Call {
  readonly to: number;
  /** The messages as objects that are new. */
  readonly prompt: readonly ModelMessage[];
}

export function entryOf(message: ModelMessage, index: number): MessageEntry {
  return { id: String(index), ts: 0, type: "message", message };
}

/** The next call on a list of 1,000 messages, by the hook of each plug. */
export async function callWithMemory(
  account: TokenAccount,
  whole: readonly ModelMessage[],
  { budget, model }: { readonly budget: number; readonly model: string },
): Promise<Claim> {
  const trimmer = await langChainTrimmer(account);
  const converted = whole.map(entryOf).map((entry) => trimmer.convert(entry));
  const items = whole.flatMap(itemsOf);
  const options = { maxTokens: budget, startsOnHuman: false, isMemoised: true };
  const plug = { budget, model };
  const [step, middleware, processor, filter] = [
    fitStep(plug),
    fitMiddleware(plug),
    fitProcessor(plug),
    fitInput(plug),
  ];
  const runtime = { configurable: { thread_id: "t" } };
  const callOf = (to: number): Call => ({ to, prompt: whole.slice(0, to).map(remade) });
  const hooks: readonly ((call: Call) => unknown)[] = [
    ({ to }) => step({ model, messages: whole.slice(0, to) }),
    ({ to }) => middleware.wrapModelCall({ messages: converted.slice(0, to), runtime }, () => undefined),
    ({ prompt }) => processor.processLLMRequest({ prompt, model, state: {} }),
    // A message of the user is one item, and so is each call and each result.
    ({ to }) => filter({ modelData: { input: items.slice(0, to) }, agent: {} }),
  ];
  const own: number[] = [];
  const trims: number[] = [];
  for (const hook of hooks) {
    // A conversation of this length has had a call for every other message.
    for (let to = 1; to <= length; to += 2) await hook(callOf(to));
    const times = await interleave(
      {
        rounds,
        warmUp,
        prepare: (round) => callOf(length + 2 * (round + warmUp + 1)),
        // What one side leaves behind is not swept up in the other's time.
        before: () => globalThis.gc?.({ type: "minor" }),
        clock: processorTime,
      },
      { hook, trim: ({ to }: Call) => trimmer.trim(converted.slice(0, to), options) },
    );
    own.push(mean(times.hook));
    trims.push(mean(times.trim));
  }
  const trim = mean(trims);
  return {
    claim: "a plug's call with memory, 1,000 messages: AI SDK / LangChain / Mastra / Agents SDK",
    against: "trimMessages with remembered counts",
    peer: inMs(trim),
    own: own.map(inMs).join(" / "),
    ratio: Math.max(...own.map((time, index) => time / (trims[index] ?? 0))),
    limit: 0.1,
    gap: "each new result is counted, and fingerprinted when something is decided",
  };
}

/** A message as items of the Agents SDK. */
function itemsOf(message: ModelMessage): readonly object[] {
  const { text, calls, answers } = plainOf(message);
  if (answers !== undefined)
    return [{ type: "function_call_result", callId: answers, name: "read_file", output: { type: "text", text } }];
  if (message.role === "user") return [{ type: "message", role: "user", content: text }];
  return calls.map(({ id, name, input }) => ({
    type: "function_call",
    callId: id,
    name,
    arguments: JSON.stringify(input),
    status: "completed",
  }));
}

/** Other objects with the same texts. */
function remade<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(remade) as Value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, remade(each) as unknown])) as Value;
}
