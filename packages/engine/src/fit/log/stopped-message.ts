import type { AssistantMessage, ModelMessage } from "../../model/messages.ts";

/** The reply of a turn that a person stopped before anything was said [T17]. */
export const nothingSaid = "[Stopped by the person before there was an answer.]";

const note = "[The person stopped the reply here.]";

/** A message of a turn that a person stopped, as it is sent: the model must not take half a reply for a whole one [T17]. */
export function withStopNote<Message extends ModelMessage>(message: Message): Message | AssistantMessage {
  if (message.role !== "assistant" || message.content === nothingSaid) return message;
  const { content } = message;
  if (typeof content === "string") return { ...message, content: `${content}\n\n${note}` };
  return { ...message, content: [...content, { type: "text", text: note }] };
}
