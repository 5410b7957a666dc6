import type { ModelMessage } from "../model/messages.ts";

/** A message as the prompts of model providers have it: a list of parts, but for the system's text. */
export function asPrompt(message: ModelMessage): ModelMessage {
  const { content } = message;
  if (message.role === "system" || typeof content !== "string") return message;
  return { ...message, content: [{ type: "text", text: content }] } as ModelMessage;
}
