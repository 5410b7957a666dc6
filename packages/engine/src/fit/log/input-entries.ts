import { anyListCheck, explain, issuesOf, textCheck, throwProblems, wrongInput } from "../../model/check/input.ts";
import { canonicalJson } from "../../model/canonical-json.ts";
import type { MessageEntry, SessionEntry } from "../../model/entries.ts";
import { deriveEntryId } from "../../model/entry-ids.ts";
import { GalleyError } from "../../model/check/errors.ts";
import { isMessageEntry } from "../../model/message-entry.ts";
import { messageSchema } from "../../model/message-schema.ts";
import type { MessagePart, ModelMessage } from "../../model/messages.ts";
import { isPlainContent } from "../../model/check/plain-message.ts";
import type { Sha256 } from "../../model/sha256.ts";
import { newEntries } from "../../model/session-log.ts";
import { problemsOf } from "../../model/check/zod-problems.ts";
import { checkEntry } from "./check-entry.ts";
import { idsOf } from "./repeats.ts";

/** A message that may bring the id and the time of its entry. */
export type InputMessage = ModelMessage & { readonly id?: string; readonly ts?: MessageEntry["ts"] };

/**
 * New messages as entries [F13]. Those without an id get one from the message before them, their index and their content.
 * Messages that the session has already are not added again, so that a retry does no harm [F10]; one that says something
 * else under an id of the session is a `DuplicateId`.
 */
export function inputEntries(
  session: readonly SessionEntry[],
  messages: readonly InputMessage[],
  now: string | undefined,
  path: string,
  sha256?: Sha256,
): MessageEntry[] {
  textCheck(path, "path");
  anyListCheck(session, "session");
  checkMessages(messages, path);
  if (messages.length === 0) return [];
  try {
    return entriesOf(session, messages, now, path, sha256);
  } catch (error) {
    throw explain(error, () => {
      for (const entry of session) checkEntry(entry, session);
    });
  }
}

function entriesOf(...[session, messages, now, path, sha256]: Parameters<typeof inputEntries>): MessageEntry[] {
  const tails = lastMessages(session, messages.length);
  const tail = tails.at(-1);
  const from = overlap(tails, messages);
  const entries = messages.slice(from).map((input, index): MessageEntry => {
    const { id, ts, ...message } = input;
    const own = id ?? deriveEntryId(tail?.id ?? null, index, message, sha256);
    return { id: own, ts: ts ?? now ?? tail?.ts ?? 0, type: "message", message };
  });
  // Ids that the engine makes are those of their content.
  if (messages.every(({ id }) => id === undefined)) return entries;
  return newEntries(entries, entriesWith(session, entries), (index) => `${path}[${from + index}].id`);
}

/** The entries of a log that have the ids of these, however far back [F13]. */
function entriesWith(session: readonly SessionEntry[], entries: readonly MessageEntry[]): Map<string, SessionEntry> {
  const { firstOf, carried } = idsOf(session);
  const found = new Map<string, SessionEntry>();
  for (const { id } of entries) {
    const entry = session[firstOf.get(id) ?? -1] ?? carried.get(id);
    if (entry) found.set(id, entry);
  }
  return found;
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
  if (message.id !== undefined && entry.id !== message.id) return false;
  if (entry.message.role !== message.role || differs(entry.message.content, message.content)) return false;
  const { id: _, ts: _ts, ...content } = message;
  return canonicalJson(entry.message) === canonicalJson(content);
}

/** True when that is plain at a glance: most messages are not the last one again. */
function differs(a: ModelMessage["content"], b: ModelMessage["content"]): boolean {
  if (typeof a === "string" || typeof b === "string") return a !== b;
  return a.length !== b.length || a.some((part, index) => partDiffers(part, b[index]));
}

function partDiffers(a: MessagePart, b: MessagePart | undefined): boolean {
  if (a.type !== b?.type) return true;
  if (a.type === "text" && b.type === "text") return a.text !== b.text;
  if (a.type === "tool-call" && b.type === "tool-call") return a.toolCallId !== b.toolCallId;
  if (a.type !== "tool-result" || b.type !== "tool-result") return false;
  if (a.toolCallId !== b.toolCallId) return true;
  return a.output.type === "text" && b.output.type === "text" && a.output.value !== b.output.value;
}

function lastMessages(session: readonly SessionEntry[], count: number): MessageEntry[] {
  const { repeats } = idsOf(session);
  const found: MessageEntry[] = [];
  for (let index = session.length - 1; index >= 0 && found.length < count; index -= 1) {
    const entry = session[index];
    if (entry && isMessageEntry(entry) && !repeats.has(index)) found.push(entry);
  }
  return found.reverse();
}

function checkMessages(messages: readonly InputMessage[], path: string): void {
  anyListCheck(messages, path);
  for (const [index, message] of messages.entries()) {
    const isPlain = isPlainContent(message) && !("providerOptions" in message);
    const issues = isPlain ? [] : issuesOf(messageSchema, message);
    if (issues.length > 0) throwProblems(problemsOf(issues, "ContextInvalidInput", `${path}[${index}]`));
    const { id, ts }: { readonly id?: unknown; readonly ts?: unknown } = message;
    if (ts !== undefined && typeof ts !== "string" && typeof ts !== "number") {
      const hint = "Leave the time out to have it taken from `now`.";
      throw wrongInput(`${path}[${index}].ts`, "a time, as a number or a text", ts, { hint });
    }
    if (id === undefined || (typeof id === "string" && id !== "")) continue;
    throw new GalleyError("ContextInvalidInput", `${path}[${index}].id is not a text of at least one character.`, {
      path: `${path}[${index}].id`,
      hint: "Leave the id out to have one made from the content.",
    });
  }
}
