import type { MessageEntry, SessionEntry, UserMessage } from "@galley/engine";
import { restoreFiles } from "./chat-files.ts";
import { type ChatMessage, type TranscriptLine, messageId } from "./chat-line.ts";
import { toModelMessage } from "./chat-message.ts";
import { type Window, textOf } from "./read-window.ts";
import { newestLanguage, recallNotice, transcriptNotice } from "./reference-label.ts";

/** What a context is read for. */
export interface Question {
  /** What the user asks: labels are in its language; without it, in that of the newest message in the transcript. */
  readonly input?: UserMessage | undefined;
  /** The id that the question has, or will have, in the transcript. */
  readonly inputId?: string | undefined;
}

/** What a build reads of a chat. */
export interface ChatContext {
  readonly entries: readonly SessionEntry[];
  /** The line with which the active context begins when something is first written to it [W12]. */
  readonly head?: TranscriptLine;
}

/** What a build reads of a chat: the working context, or where there is none yet the transcript as one message [W12]. */
export function chatContext(active: Window, readTranscript: () => Window, files: string, asked: Question): ChatContext {
  const head = active.exists ? undefined : transcriptHead(readTranscript().messages, asked);
  const given = head ?? active.given;
  const { recalled, decisions } = active;
  const entries: SessionEntry[] = [];
  if (given && given.said.length > 0) {
    entries.push({ id: "transcript", ts: given.ts, type: "message", message: transcriptNotice(given) });
  }
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
  return { entries, head };
}

/** What was said before the question, without the questions that were never answered. */
function transcriptHead(messages: readonly ChatMessage[], { input, inputId }: Question): TranscriptLine | undefined {
  const named = messages.map((message) => ({ id: messageId(message), message }));
  // A run that was stopped while it was written may have left its own question here.
  const own = named.findIndex(({ id }) => id === inputId);
  const before = own < 0 ? named : named.slice(0, own);
  const answered = before.filter(({ message }) => message.failed !== true);
  const last = answered.at(-1);
  if (!last) return undefined;
  return {
    type: "transcript",
    ts: last.message.ts,
    language: newestLanguage([...before.map(({ message }) => message), ...(input ? [input] : [])]),
    said: answered.map(({ id, message }) => ({ id, role: message.role, text: textOf(message) })),
  };
}

function pushDecision(entries: SessionEntry[], { decisions }: Window, index: number): void {
  const entry = decisions[index]?.line.entry;
  if (entry) entries.push(entry);
}

function entryOf(message: ChatMessage, id: string): MessageEntry {
  return { id, ts: message.ts, type: "message", message: toModelMessage(message) };
}
