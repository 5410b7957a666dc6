import type { MessageEntry } from "./entries.ts";
import type { ModelMessage } from "./messages.ts";

/**
 * How many system messages a session begins with. They say how the model is to behave, as the first message of every
 * OpenAI-shaped list does, and are never left out [F6].
 */
export function headLength(entries: readonly MessageEntry[]): number {
  const end = entries.findIndex((entry) => !isSystemMessage(entry));
  return end < 0 ? entries.length : end;
}

/** Also for entries that have not been checked yet: they may lack a message. */
export function isSystemMessage(entry: MessageEntry): boolean {
  const message: ModelMessage | undefined = entry.message;
  return message?.role === "system";
}
