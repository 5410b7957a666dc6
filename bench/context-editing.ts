import type { MessageEntry, ModelMessage, TokenAccount } from "@galley/engine";
import type { InputOf } from "@galley/engine/proof";
import { langChainTrimmer } from "./langchain.ts";
import { type LangChainMessage, loadContextEditing } from "./peer-modules.ts";

/**
 * LangChain's context editing as it comes, triggered at the budget: all but the last three results of tools are cleared. It
 * drops nothing else, so that an input can stay over the budget.
 */
export async function contextEditing(
  entries: readonly MessageEntry[],
  account: TokenAccount,
  budget: number,
): Promise<InputOf> {
  const { ClearToolUsesEdit } = await loadContextEditing();
  const trimmer = await langChainTrimmer(account);
  const edit = new ClearToolUsesEdit({ trigger: { tokens: budget } });
  const converted = entries.map((entry) => trimmer.convert(entry));
  const sources = new Map(entries.map(({ id, message }) => [id, message]));
  const cleared = new Map<string, ModelMessage>();
  const sent = ({ id = "", response_metadata: facts }: LangChainMessage): ModelMessage | undefined => {
    const source = sources.get(id);
    if (!source || facts?.["context_editing"] === undefined) return source;
    const known = cleared.get(id) ?? withoutOutput(source);
    cleared.set(id, known);
    return known;
  };
  const countTokens = (messages: readonly LangChainMessage[]): number =>
    messages.reduce((sum, message) => sum + account.countMessage(sent(message) ?? { role: "user", content: "" }), 3);
  return async (index) => {
    const messages = converted.slice(0, index);
    await edit.apply({ messages, countTokens });
    return messages.flatMap((message) => sent(message) ?? []);
  };
}

function withoutOutput(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return message;
  const output = { type: "text", value: "[cleared]" } as const;
  return {
    ...message,
    content: message.content.map((part) => (part.type === "tool-result" ? { ...part, output } : part)),
  };
}
