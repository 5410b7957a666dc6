import type { ModelMessage } from "@galley/engine";
import { loadAiSdk } from "./peer-modules.ts";

/** The AI SDK's pruneMessages with the settings of its own page. It has no budget and counts nothing: it takes old calls out. */
export async function aiSdkPruner(): Promise<(messages: readonly ModelMessage[]) => ModelMessage[]> {
  const { pruneMessages } = await loadAiSdk();
  return (messages) =>
    pruneMessages({
      messages,
      reasoning: "before-last-message",
      toolCalls: "before-last-2-messages",
      emptyMessages: "remove",
    });
}
