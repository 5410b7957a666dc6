import type { ModelMessage } from "@galley/engine";
import type { AssistantPart } from "@galley/engine/messages";

// The files are read as they are; what a format has and a model is not sent is left out.

interface OpenAiMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content?: string | null;
  readonly tool_calls?:
    | readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]
    | null;
  readonly tool_call_id?: string;
  readonly tool_call_ids?: readonly string[] | null;
  readonly name?: string;
}

interface PiPart {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
}

interface PiLine {
  readonly message?: {
    readonly role: "user" | "assistant" | "toolResult";
    readonly content: readonly PiPart[];
    readonly toolCallId?: string;
    readonly toolName?: string;
  };
}

/** OpenAI's messages, as tau-bench and SWE-agent keep them. */
export function fromOpenAi(messages: readonly OpenAiMessage[]): ModelMessage[] {
  const names = new Map<string, string>();
  return messages.flatMap((message): ModelMessage[] => {
    const text = message.content ?? "";
    switch (message.role) {
      case "system":
      case "user":
        return [{ role: message.role, content: text }];
      case "tool": {
        const id = message.tool_call_id ?? message.tool_call_ids?.[0] ?? "";
        return [resultMessage(id, message.name ?? names.get(id) ?? "tool", text)];
      }
      case "assistant": {
        const content: AssistantPart[] = text === "" ? [] : [{ type: "text", text }];
        for (const { id, function: called } of message.tool_calls ?? []) {
          names.set(id, called.name);
          content.push({ type: "tool-call", toolCallId: id, toolName: called.name, input: parsed(called.arguments) });
        }
        return content.length > 0 ? [{ role: "assistant", content }] : [];
      }
    }
  });
}

/** A session file of pi. */
export function fromPi(lines: readonly string[]): ModelMessage[] {
  return lines.flatMap((line): ModelMessage[] => {
    const { message } = JSON.parse(line) as PiLine;
    if (!message) return [];
    const text = message.content.map((part) => part.text ?? "").join("\n");
    switch (message.role) {
      case "user":
        return [{ role: "user", content: text }];
      case "toolResult":
        return [resultMessage(message.toolCallId ?? "", message.toolName ?? "tool", text)];
      case "assistant": {
        const content = message.content.flatMap(assistantPart);
        return content.length > 0 ? [{ role: "assistant", content }] : [];
      }
    }
  });
}

function assistantPart({ type, text = "", id = "", name = "", arguments: input }: PiPart): AssistantPart[] {
  if (type === "text" && text !== "") return [{ type: "text", text }];
  if (type === "toolCall") return [{ type: "tool-call", toolCallId: id, toolName: name, input }];
  return [];
}

function resultMessage(toolCallId: string, toolName: string, value: string): ModelMessage {
  return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}
