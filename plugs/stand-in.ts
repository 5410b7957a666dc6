import { loadTokenizer, tokenAccount } from "@galley/engine";
import { type WireImport, type WireProvider, importFrom } from "@galley/engine/wire";
import { judgeRequest } from "../packages/host/src/models/testing/judge-server.ts";
import type { LlmAnswer } from "../packages/host/src/models/testing/llm-protocols.ts";
import { type Asked, startScriptedServer } from "../packages/host/src/models/testing/scripted-server.ts";

/** What an example is told: where the stand-in provider is, how much it may send, and how often it may ask. */
export interface Task {
  readonly url: string;
  readonly budget: number;
  readonly requests: number;
}

/** What a provider would have seen of an agent's loop. */
export interface Loop {
  readonly requests: number;
  /** Requests that a provider would have refused, and why. */
  readonly refused: readonly string[];
  readonly overBudget: number;
  readonly largest: number;
  /** Of all input, the share that stood in the same place in the request before. */
  readonly cachedShare: number;
}

export interface StandIn {
  readonly url: string;
  readonly bodies: string[];
  close(): Promise<Loop>;
}

export interface StandInOptions {
  readonly requests: number;
  readonly budget: number;
  /** What the model says instead of reading the next file. */
  readonly instead?: (asked: Asked) => LlmAnswer | undefined;
}

/** A provider whose model reads files until it has made this many requests, and then answers. */
export async function startStandIn({ requests, budget, instead }: StandInOptions): Promise<StandIn> {
  const refused: string[] = [];
  const read: WireImport[] = [];
  const server = await startScriptedServer((asked) => {
    const { protocol, json, n, request, say } = asked;
    for (const { path, why } of judgeRequest(protocol.name, json)) {
      // Fields that a framework sends beside what we know of: none of them is the plug's.
      if (!why.startsWith("Unrecognized key")) refused.push(`request ${n}: ${path}: ${why}`);
    }
    read.push(importFrom(protocol.name as WireProvider, json));
    const other = instead?.(asked);
    if (other) return say({ n: n + 1, ...other });
    const tool = request.tools[0];
    if (n >= requests - 1 || !tool) return say({ text: "All files are read.", n: n + 1 });
    return say({ tool, input: { path: `src/file-${n}.ts` }, n: n + 1 });
  });
  return {
    url: server.url,
    bodies: server.bodies,
    async close() {
      await server.close();
      return { requests: server.bodies.length, refused, ...(await measure(read, budget)) };
    },
  };
}

async function measure(inputs: readonly WireImport[], budget: number): Promise<Omit<Loop, "requests" | "refused">> {
  const account = tokenAccount(await loadTokenizer("o200k_base"));
  let [cached, total, overBudget, largest] = [0, 0, 0, 0];
  let before: readonly string[] = [];
  for (const { messages, tools } of inputs) {
    const { tokens } = account.countInput(messages, tools);
    if (tokens > budget) overBudget += 1;
    largest = Math.max(largest, tokens);
    // A provider caches from the front: tools, then message by message.
    const parts = [JSON.stringify(tools), ...messages.map((message) => JSON.stringify(message))];
    const sizes = [account.countOverhead(tools), ...messages.map((message) => account.countMessage(message))];
    const same = parts.findIndex((part, index) => part !== before[index]);
    for (const size of sizes.slice(0, same < 0 ? sizes.length : same)) cached += size;
    total += tokens;
    before = parts;
  }
  return { overBudget, largest, cachedShare: cached / total };
}

/** What a file says: the same each time, some 800 to 3,500 tokens. */
export function fileText(path: string): string {
  const seed = [...path].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
  const line = (index: number): string =>
    `export const value${seed + index} = compute(${(seed * (index + 3)) % 977}, "${path}");`;
  return Array.from({ length: 40 + (seed % 120) }, (_, index) => line(index)).join("\n");
}
