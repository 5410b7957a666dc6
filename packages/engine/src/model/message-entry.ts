import { objectCheck } from "./check/input.ts";
import type { MessageEntry, SessionEntry } from "./entries.ts";
import type { ModelMessage } from "./messages.ts";

/** Whether an entry is sent as a message. */
export function isMessageEntry(entry: SessionEntry): entry is MessageEntry {
  objectCheck(entry, "entry");
  return entry.type === "message" || entry.type === "result";
}

/** Whether the user said it: results of tasks have the role of a user as well [A1]. */
export function isOfUser({ type, message }: MessageEntry): boolean {
  return type === "message" && message.role === "user";
}

/**
 * How many system messages a session begins with. They say how the model is to behave, as the first message of every
 * OpenAI-shaped list does, and are never left out [F6].
 */
export function headLength(entries: readonly Pick<MessageEntry, "message">[]): number {
  const end = entries.findIndex((entry) => !isSystemMessage(entry));
  return end < 0 ? entries.length : end;
}

/** Also for entries that have not been checked yet: they may lack a message. */
export function isSystemMessage(entry: Pick<MessageEntry, "message">): boolean {
  const message: ModelMessage | undefined = entry.message;
  return message?.role === "system";
}
