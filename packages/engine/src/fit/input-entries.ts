import type { MessageEntry, SessionEntry } from "../model/entries.ts";
import { deriveEntryId } from "../model/entry-ids.ts";
import { GalleyError, throwOnErrors } from "../model/errors.ts";
import { messageSchema } from "../model/message-schema.ts";
import type { ModelMessage } from "../model/messages.ts";
import { problemsOf } from "../model/zod-problems.ts";

/** A message that may bring its own entry id. */
export type InputMessage = ModelMessage & { readonly id?: string };

/**
 * New messages as entries [F13]. Those without an id get one from the message before them, their index and their content;
 * when just these messages are the end of the session already, nothing is added, so that a retry does no harm.
 */
export function inputEntries(
  session: readonly SessionEntry[],
  messages: readonly InputMessage[],
  now: string | undefined,
  path: string,
): MessageEntry[] {
  checkMessages(messages, path);
  const tails = lastMessages(session, messages.length + 1);
  const before = tails[tails.length - messages.length - 1] ?? null;
  if (messages.length > 0 && tails.length >= messages.length) {
    const present = tails.slice(tails.length - messages.length);
    const isRetry = messages.every((message, index) => present[index]?.id === idOf(message, index, before?.id ?? null));
    if (isRetry) return [];
  }
  const tail = tails.at(-1);
  return messages.map((message, index) => {
    const { id: _, ...content } = message;
    const id = idOf(message, index, tail?.id ?? null);
    return { id, ts: now ?? tail?.ts ?? 0, type: "message", message: content };
  });
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
