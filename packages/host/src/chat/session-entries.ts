import type { MessageEntry, SessionEntry } from "@galley/engine";
import { restoreFiles } from "./chat-files.ts";
import { type ChatMessage, messageId } from "./chat-line.ts";
import { toModelMessage } from "./chat-message.ts";
import type { Window } from "./read-window.ts";
import { recallNotice, transcriptNotice } from "./recall-notice.ts";

/** What a build reads of a chat: the working context, or where there is none yet the transcript as one message [W12]. */
export function sessionEntries(active: Window, readTranscript: () => Window, files: string): readonly SessionEntry[] {
  if (!active.exists) {
    const { messages } = readTranscript();
    const message = transcriptNotice(messages);
    return message ? [{ id: "transcript", ts: messages.at(-1)?.ts ?? 0, type: "message", message }] : [];
  }
  const entries: SessionEntry[] = [];
  const { recalled, decisions } = active;
  if (recalled) {
    entries.push({
      id: `recalled-${recalled.contextId}`,
      ts: recalled.ts,
      type: "message",
      message: recallNotice(recalled),
    });
  }
  let next = 0;
  for (const [index, message] of active.messages.entries()) {
    for (; (decisions[next]?.at ?? Infinity) <= index; next += 1) pushDecision(entries, active, next);
    entries.push(entryOf(restoreFiles(message, files), messageId(message)));
  }
  for (; next < decisions.length; next += 1) pushDecision(entries, active, next);
  return entries;
}

function pushDecision(entries: SessionEntry[], { decisions }: Window, index: number): void {
  const entry = decisions[index]?.line.entry;
  if (entry) entries.push(entry);
}

function entryOf(message: ChatMessage, id: string): MessageEntry {
  return { id, ts: message.ts, type: "message", message: toModelMessage(message) };
}
