import {
  type FitMemory,
  GalleyError,
  type ModelMessage,
  type TokenAccount,
  type WireProvider,
  exportFor,
  fit,
} from "@galley/engine";
import { importFrom } from "@galley/engine/wire";
import { judgeRequest } from "../packages/host/src/models/testing/judge-server.ts";
import { readCorpus } from "./corpus.ts";

/** What a fit of each call of the corpus, in each shape, came to. */
export interface CorpusFaults {
  readonly source: string;
  readonly sessions: number;
  readonly requests: number;
  readonly refused: number;
  readonly overBudget: number;
  /** The newest message alone is more than the budget: an error says so, and nothing is sent. */
  readonly tooLarge: number;
}

/** Where the list is in a request. */
const lists = { "openai-chat": "messages", "openai-responses": "input", anthropic: "messages" } as const;
type Shape = keyof typeof lists;

/** Of one session, in each shape. */
const maxCalls = 40;

/** Fits the calls of all sessions with memory, and has each request judged by rules that are not the engine's own. */
export async function corpusFaults(account: TokenAccount, budget: number, model: string): Promise<CorpusFaults> {
  const { source, kinds } = readCorpus();
  const found = { requests: 0, refused: 0, overBudget: 0, tooLarge: 0 };
  const sessions = kinds.flatMap(({ systemPrompt, sessions: all }) => all.map((each) => ({ systemPrompt, each })));
  for (const { systemPrompt, each } of sessions) {
    for (const shape of Object.keys(lists) as Shape[]) {
      let memory: FitMemory | undefined;
      for (const length of callsOf(each)) {
        const whole = requestOf(shape, [{ role: "system", content: systemPrompt }, ...each.slice(0, length)]);
        if (!whole) continue;
        const key = lists[shape];
        // Beside the list; Anthropic's may be a list of blocks.
        const beside = whole["system"] ?? whole["instructions"];
        const system = typeof beside === "object" ? JSON.stringify(beside) : (beside as string | undefined);
        const options = { budget, model, shape, memory, system };
        const fitted = await fit(whole[key] as object[], options).catch((error: unknown) => {
          if (error instanceof GalleyError && error.code === "ContextOverflow") return undefined;
          throw error;
        });
        if (!fitted) {
          found.tooLarge += 1;
          continue;
        }
        ({ memory } = fitted);
        const request = { ...whole, [key]: fitted.messages };
        found.requests += 1;
        if (judgeRequest(shape, request).length > 0) found.refused += 1;
        const { messages } = importFrom(shape, request);
        if (account.countInput(messages).tokens > budget) found.overBudget += 1;
      }
    }
  }
  return { source, sessions: sessions.length, ...found };
}

/** Where the model was asked: before each of its answers, or as many of them as are tried, evenly spread. */
function callsOf(messages: readonly ModelMessage[]): readonly number[] {
  const all = messages.flatMap(({ role }, index) => (role === "assistant" && index > 0 ? [index] : []));
  const step = Math.max(1, all.length / maxCalls);
  return Array.from({ length: Math.min(all.length, maxCalls) }, (_, index) => all[Math.floor(index * step)] as number);
}

/** The request of the whole list; nothing where the session itself is one that a provider would refuse. */
function requestOf(shape: Shape, messages: readonly ModelMessage[]): Record<string, unknown> | undefined {
  try {
    const { request } = exportFor(shape satisfies WireProvider, { messages });
    const body = { model: "m", ...(shape === "anthropic" ? { max_tokens: 1000 } : {}), ...request };
    return judgeRequest(shape, body).length > 0 ? undefined : body;
  } catch (error) {
    if (error instanceof GalleyError) return undefined;
    throw error;
  }
}
