import type { AssistantMessage } from "@galley/engine";
import type { ChatMessage, RecalledLine } from "./chat-line.ts";
import { textOf } from "./read-window.ts";

/** What stands before a context that was recalled, so that old instructions are not taken for present ones [W4]. */
export function recallNotice({ from, mode }: Pick<RecalledLine, "from" | "mode">): AssistantMessage {
  const lines = [
    "以下是历史归档 context（仅供参考，可能与当前问题不一致）：",
    "The following was recalled from an archived context, for reference only; it may not fit the present question:",
    `- contextId: ${from}`,
    `- mode: ${mode}`,
  ];
  return { role: "assistant", content: lines.join("\n") };
}

/** The end of a transcript as one message, for a chat that has no working context yet [W12]. */
export function transcriptNotice(messages: readonly ChatMessage[]): AssistantMessage | undefined {
  if (messages.length === 0) return undefined;
  const lines = [
    "以下是对话历史记录（仅供参考，可能与当前问题不一致）：",
    "The following is the end of the chat's transcript, for reference only; it may not fit the present question:",
    ...messages.map((message) => `${message.role}: ${textOf(message)}`),
  ];
  return { role: "assistant", content: lines.join("\n") };
}
