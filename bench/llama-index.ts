import type { MessageEntry, ModelMessage, TokenAccount } from "@galley/engine";
import { loadLlamaIndex, plainOf } from "./peer-modules.ts";

export interface LlamaIndexSession {
  add(entries: readonly MessageEntry[]): Promise<void>;
  fit(): Promise<ModelMessage[]>;
}

/** LlamaIndex's Memory with our counter. It counts joined texts, so that counts cannot be remembered. */
export async function llamaIndexSession(account: TokenAccount, budget: number): Promise<LlamaIndexSession> {
  const { createMemory } = await loadLlamaIndex((text) => account.tokenizer.count(text));
  const memory = createMemory([], { tokenLimit: budget, shortTermTokenLimitRatio: 1 });
  return {
    async add(entries) {
      for (const { message } of entries) {
        const { text } = plainOf(message);
        const role = message.role === "tool" ? "user" : message.role;
        await memory.add({ role, content: text, options: { source: message } });
      }
    },
    async fit() {
      const messages = await memory.getLLM();
      return messages.map(({ options }) => options["source"] as ModelMessage);
    },
  };
}
