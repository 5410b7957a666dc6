import { canonicalJson } from "../model/canonical-json.ts";
import type { MessageEntry, SessionEntry } from "../model/entries.ts";
import { deriveEntryId } from "../model/entry-ids.ts";
import { GalleyError, throwOnErrors } from "../model/errors.ts";
import { messageSchema } from "../model/message-schema.ts";
import type { ModelMessage } from "../model/messages.ts";
import { problemsOf } from "../model/zod-problems.ts";

/** A message that may bring its own entry id. */
export type InputMessage = ModelMessage & { readonly id?: string };

/**
 * New messages as entries [F13]. Those without an id get one from the message before them, their index and their content.
 * Messages that are the end of the session already are not added again, so that a retry does no harm [F10].
 */
export function inputEntries(
  session: readonly SessionEntry[],
  messages: readonly InputMessage[],
  now: string | undefined,
  path: string,
): MessageEntry[] {
  checkMessages(messages, path);
  const tails = lastMessages(session, messages.length);
  const tail = tails.at(-1);
  return messages.slice(overlap(tails, messages)).map((message, index) => {
    const { id: _, ...content } = message;
    return { id: idOf(message, index, tail?.id ?? null), ts: now ?? tail?.ts ?? 0, type: "message", message: content };
  });
}

/** How many of the new messages, from the first, are the last ones of the session. */
function overlap(tails: readonly MessageEntry[], messages: readonly InputMessage[]): number {
  for (let count = Math.min(tails.length, messages.length); count > 0; count -= 1) {
    const from = tails.length - count;
    if (messages.slice(0, count).every((message, index) => isSame(tails[from + index] as MessageEntry, message)))
      return count;
  }
  return 0;
}

function isSame(entry: MessageEntry, message: InputMessage): boolean {
  const { id, ...content } = message;
  if (id !== undefined) return entry.id === id;
  if (entry.message.role !== content.role || typeof entry.message.content !== typeof content.content) return false;
  if (typeof content.content === "string" && entry.message.content !== content.content) return false;
  return canonicalJson(entry.message) === canonicalJson(content);
}

function idOf(message: InputMessage, index: number, tail: string | null): string {
  const { id, ...content } = message;
  return id ?? deriveEntryId(tail, index, content);
}

function lastMessages(session: readonly SessionEntry[], count: number): MessageEntry[] {
  const found: MessageEntry[] = [];
  for (let index = session.length - 1; index >= 0 && found.length < count; index -= 1) {
    const entry = session[index];
    if (entry?.type === "message") found.push(entry);
  }
  return found.reverse();
}

function checkMessages(messages: readonly InputMessage[], path: string): void {
  if (!Array.isArray(messages)) {
    throw new GalleyError("ContextInvalidInput", `${path} is not a list of messages.`, { path });
  }
  for (const [index, message] of messages.entries()) {
    const result = messageSchema.safeParse(message);
    if (!result.success) throwOnErrors(problemsOf(result.error.issues, "ContextInvalidInput", `${path}[${index}]`));
  }
}
