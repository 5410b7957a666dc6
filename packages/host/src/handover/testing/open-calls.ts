import type { ModelMessage } from "@galley/engine";
import type { ToolCallPart } from "@galley/engine/messages";

/** The calls among messages that have no result, in order. */
export function openCallsOf(messages: readonly ModelMessage[]): ToolCallPart[] {
  const open: ToolCallPart[] = [];
  for (const { role, content } of messages) {
    if (role === "user") open.length = 0;
    if (typeof content === "string") continue;
    for (const part of content) {
      if (part.type === "tool-call" && !part.providerExecuted) open.push(part);
      if (part.type !== "tool-result") continue;
      const answered = open.findLastIndex((call) => call.toolCallId === part.toolCallId);
      if (answered >= 0) open.splice(answered, 1);
    }
  }
  return open;
}
