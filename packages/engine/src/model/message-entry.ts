import { objectCheck } from "./check-input.ts";
import type { MessageEntry, SessionEntry } from "./entries.ts";

/** Whether an entry is sent as a message. */
export function isMessageEntry(entry: SessionEntry): entry is MessageEntry {
  objectCheck(entry, "entry");
  return entry.type === "message" || entry.type === "result";
}

/** Whether the user said it: results of tasks have the role of a user as well [A1]. */
export function isOfUser({ type, message }: MessageEntry): boolean {
  return type === "message" && message.role === "user";
}
