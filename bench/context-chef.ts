import type { ModelMessage, TokenAccount } from "@galley/engine";
import type { InputOf } from "@galley/engine/proof";
import { type ChefMessage, loadContextChef, plainOf } from "./peer-modules.ts";

/**
 * context-chef's Janitor with an exact counter and without a model: what is older than its share of the window is discarded. It
 * is given back what it left, as its page says.
 */
export async function contextChef(
  messages: readonly ModelMessage[],
  account: TokenAccount,
  budget: number,
): Promise<InputOf> {
  const { Janitor } = await loadContextChef();
  const sources = new Map<ChefMessage, ModelMessage>();
  const count = (message: ChefMessage): number => {
    const source = sources.get(message);
    return source ? account.countMessage(source) : account.countPlain(message.content);
  };
  const janitor = new Janitor({
    contextWindow: budget,
    tokenizer: (history) => history.reduce((sum, message) => sum + count(message), 3),
  });
  let [kept, read]: [readonly ChefMessage[], number] = [[], 0];
  return async (index) => {
    const fresh = messages.slice(read, index).map((message) => {
      const converted = chefMessage(message);
      sources.set(converted, message);
      return converted;
    });
    read = index;
    kept = await janitor.compress([...kept, ...fresh]);
    return kept.map((message): ModelMessage => sources.get(message) ?? { role: "user", content: message.content });
  };
}

function chefMessage(message: ModelMessage): ChefMessage {
  const { text, calls, answers } = plainOf(message);
  const base = { role: message.role, content: text };
  if (answers !== undefined) return { ...base, tool_call_id: answers };
  if (calls.length === 0) return base;
  const called = calls.map(({ id, name, input }) => {
    return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  });
  return { ...base, tool_calls: called };
}
