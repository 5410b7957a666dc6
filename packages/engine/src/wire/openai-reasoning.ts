import type { ReasoningPart, TextPart, ToolCallPart } from "../model/messages.ts";
import type { Placed } from "./arrange-turns.ts";
import type {
  OpenAiFunctionCall,
  OpenAiInputItem,
  OpenAiInputMessage,
  OpenAiOutputMessage,
  OpenAiPhase,
  OpenAiReasoningItem,
} from "./openai-responses-request.ts";
import { providerOption } from "./provider-option.ts";

/** Reasoning can be sent back only as the item it was; without an id it cannot. */
export function reasoningItem({ part }: Placed<ReasoningPart>): OpenAiReasoningItem | undefined {
  const id = providerOption(part, "openai", "itemId");
  if (id === undefined) return undefined;
  const encrypted = providerOption(part, "openai", "reasoningEncryptedContent");
  return {
    type: "reasoning",
    id,
    summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  };
}

/** One item may come in several parts, one for each of its summaries. */
export function joinReasoning(before: OpenAiReasoningItem, next: OpenAiReasoningItem): OpenAiReasoningItem {
  return { ...before, ...next, summary: [...before.summary, ...next.summary] };
}

// OpenAI checks that reasoning is followed by the item it led to, and that an item with an id has its reasoning before
// it. So the ids of messages and calls are sent behind reasoning and nowhere else.
export function followsReasoning(items: readonly OpenAiInputItem[]): boolean {
  const last = items.at(-1);
  return last !== undefined && "type" in last && last.type === "reasoning";
}

export function assistantText(part: TextPart, isReasoned: boolean): OpenAiInputMessage | OpenAiOutputMessage {
  const phase = phaseOf(part);
  const id = isReasoned ? ownId(part, "msg") : undefined;
  if (id === undefined) return { role: "assistant", content: part.text, ...phase };
  const content: OpenAiOutputMessage["content"] = [{ type: "output_text", text: part.text, annotations: [] }];
  return { type: "message", id, role: "assistant", status: "completed", content, ...phase };
}

export function callId(part: ToolCallPart, isReasoned: boolean): Pick<OpenAiFunctionCall, "id"> {
  const id = isReasoned ? ownId(part, "fc") : undefined;
  return id === undefined ? {} : { id };
}

function ownId(part: TextPart | ToolCallPart, prefix: string): string | undefined {
  const id = providerOption(part, "openai", "itemId");
  return id?.startsWith(prefix) === true ? id : undefined;
}

function phaseOf(part: TextPart): { phase?: OpenAiPhase } {
  const phase = providerOption(part, "openai", "phase");
  return phase === "commentary" || phase === "final_answer" ? { phase } : {};
}
