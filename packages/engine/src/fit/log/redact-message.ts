import { explain } from "../../model/check/input.ts";
import { messageCheck } from "../../model/message-schema.ts";
import type { AssistantMessage, ModelMessage, ToolCallPart, ToolMessage } from "../../model/messages.ts";

const note = "[redacted]";

/**
 * A message without its content. Calls and results stay as empty shells, because a provider refuses one without the other;
 * of any other message nothing stays.
 */
export function redactMessage(message: ModelMessage): ModelMessage | undefined {
  try {
    switch (message.role) {
      case "system":
      case "user":
        return undefined;
      case "assistant":
        return redactCalls(message);
      case "tool":
        return redactResults(message);
    }
  } catch (error) {
    throw explain(error, () => messageCheck(message, "message"));
  }
}

function redactCalls({ content }: AssistantMessage): AssistantMessage | undefined {
  if (typeof content === "string") return undefined;
  const calls = content.filter((part): part is ToolCallPart => part.type === "tool-call");
  if (calls.length === 0) return undefined;
  return {
    role: "assistant",
    content: calls.map(({ toolCallId, toolName }) => ({ type: "tool-call", toolCallId, toolName, input: {} })),
  };
}

function redactResults({ content }: ToolMessage): ToolMessage {
  return {
    role: "tool",
    content: content.map((part) => {
      if (part.type !== "tool-result") return { type: part.type, approvalId: part.approvalId, approved: part.approved };
      const { type, toolCallId, toolName } = part;
      return { type, toolCallId, toolName, output: { type: "text", value: note } };
    }),
  };
}
