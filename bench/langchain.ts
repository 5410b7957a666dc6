import type { MessageEntry, TokenAccount } from "@galley/engine";
import { type LangChainMessage, loadLangChain, plainOf } from "./peer-modules.ts";

interface LangChainOptions {
  readonly maxTokens: number;
  /** The documented choice for chat models: what is kept starts with a user message. */
  readonly startsOnHuman: boolean;
  /** Whether counts are remembered by message id. */
  readonly isMemoised: boolean;
}

export interface LangChainTrimmer {
  convert(entry: MessageEntry): LangChainMessage;
  system(text: string): LangChainMessage;
  /** Gives the ids of what is left. */
  trim(messages: readonly LangChainMessage[], options: LangChainOptions): Promise<string[]>;
}

const systemId = "system";

/** LangChain's trimMessages with our counter. */
export async function langChainTrimmer(account: TokenAccount): Promise<LangChainTrimmer> {
  const { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } = await loadLangChain();
  // By id and not by object: trimMessages copies every message before it counts.
  const known = new Map<string, number>();
  const sources = new Map<string, MessageEntry>();
  const countPlainly = ({ id = "" }: LangChainMessage): number => {
    const source = sources.get(id);
    // A new object, or our own account would remember it.
    return source ? account.countMessage({ ...source.message }) : (known.get(id) ?? 0);
  };
  const countOnce = (message: LangChainMessage): number => {
    const { id = "" } = message;
    let tokens = known.get(id);
    if (tokens === undefined) known.set(id, (tokens = countPlainly(message)));
    return tokens;
  };
  const counter =
    (count: (message: LangChainMessage) => number) =>
    (messages: readonly LangChainMessage[]): number => {
      let tokens = 3;
      for (const message of messages) tokens += count(message);
      return tokens;
    };
  return {
    convert(entry) {
      const { id, message } = entry;
      sources.set(id, entry);
      const { text, calls, answers } = plainOf(message);
      if (answers !== undefined) return new ToolMessage({ id, content: text, tool_call_id: answers });
      if (message.role === "user") return new HumanMessage({ id, content: text });
      const toolCalls = calls.map(({ id, name, input }) => ({ id, name, args: input, type: "tool_call" }));
      return new AIMessage({ id, content: text, tool_calls: toolCalls });
    },
    system(text) {
      known.set(systemId, account.countPlain(text));
      return new SystemMessage({ id: systemId, content: text });
    },
    async trim(messages, { maxTokens, startsOnHuman, isMemoised }) {
      const left = await trimMessages(messages, {
        maxTokens,
        tokenCounter: counter(isMemoised ? countOnce : countPlainly),
        strategy: "last",
        includeSystem: true,
        ...(startsOnHuman ? { startOn: "human" } : {}),
      });
      // Where no user message is left, it gives a list with nothing in it: [undefined].
      return left.flatMap((message) => (message?.id === undefined || message.id === systemId ? [] : [message.id]));
    },
  };
}
