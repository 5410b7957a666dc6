import { entryKinds } from "@galley/engine/messages";
import { asideId } from "./aside-line.ts";
import {
  type ChatLine,
  type ChatMessage,
  type KeptLine,
  type PinLine,
  type RedactedLine,
  type ResultLine,
  formatLine,
  formatMessage,
  messageId,
} from "./chat-line.ts";
import { type Redactions, isRedacted } from "./redactions.ts";

/** A typed line that stays with the messages around it, and how many messages stand before it. */
export interface Kept {
  readonly at: number;
  readonly line: KeptLine;
}

/** What a file of messages holds besides first lines and decisions of builds. */
export type StoredItem = ChatMessage | KeptLine;

export function isMessage(item: StoredItem): item is ChatMessage {
  return !("type" in item);
}

/** Whether a line goes into an archive and comes back: the register says so, or does not know its kind [V5]. */
export function isKeptLine(line: ChatLine): line is KeptLine {
  if (line.type === "other") return true;
  return line.type !== "message" && line.type in entryKinds && archiveOf(line.type) === "kept";
}

function archiveOf(type: string): string {
  return entryKinds[type as keyof typeof entryKinds].archive;
}

/** Whether a line must not be shown, because what it belongs to was redacted [M7]. */
export function isLineRedacted(line: KeptLine, redactions: Redactions): boolean {
  const { ids } = redactions;
  if (ids.size === 0) return false;
  switch (line.type) {
    case "steps":
      return line.of.some((id) => ids.has(id));
    case "alternate":
      return ids.has(line.of) || isRedacted(line.message, redactions);
    case "stopped":
      return ids.has(line.entryId);
    case "result":
      return ids.has(resultId(line));
    case "pin":
      return ids.has(pinTarget(line));
    case "aside":
      return ids.has(asideId(line));
    case "other": {
      // What a newer version says of a message goes with it.
      const text = JSON.stringify(line.line);
      return [...ids].some((id) => text.includes(id));
    }
    case "runtime-init":
    case "redacted":
      return false;
  }
}

/** The message or the kept line that a line of a file is. */
export function storedItem(line: ChatLine | undefined): StoredItem | undefined {
  if (line?.type === "message") return line.message;
  return line && isKeptLine(line) ? line : undefined;
}

/**
 * A message or a line as it may be shown [M7]: itself, its place where it was redacted, or nothing where it took none. A summary
 * from before a redaction takes none: it stood in front of what was said.
 */
export function shownItem(item: StoredItem | undefined, redactions: Redactions): StoredItem | undefined {
  if (!item) return undefined;
  if (!("type" in item)) {
    if (!isRedacted(item, redactions)) return item;
    return item.summaryOf === undefined ? placeOf(item.ts, messageId(item)) : undefined;
  }
  if (!isLineRedacted(item, redactions)) return item;
  if (item.type === "steps") return placeOf(item.ts, item.of.at(-1) ?? "", item.messages?.length ?? 0);
  if (item.type === "result") return placeOf(item.ts, resultId(item));
  return item.type === "aside" && !item.isHidden ? placeOf(item.ts, asideId(item)) : undefined;
}

function placeOf(ts: number, entryId: string, count?: number): RedactedLine | undefined {
  return count === 0 ? undefined : { type: "redacted", ts, entryId, ...(count === undefined ? {} : { count }) };
}

/** The message that a pin is about, or the pin of a sentence. */
export function pinTarget({ id, entryId }: PinLine): string {
  return entryId ?? id;
}

/** The id by which builds and redactions know the result of a task. */
export function resultId({ taskId }: ResultLine): string {
  return `result-${taskId}`;
}

export function* interleave(messages: readonly ChatMessage[], kept: readonly Kept[]): Generator<StoredItem> {
  let next = 0;
  for (const [index, message] of messages.entries()) {
    for (; (kept[next]?.at ?? Infinity) <= index; next += 1) yield (kept[next] as Kept).line;
    yield message;
  }
  for (; next < kept.length; next += 1) yield (kept[next] as Kept).line;
}

export function splitItems(items: readonly StoredItem[]): { readonly messages: ChatMessage[]; readonly kept: Kept[] } {
  const messages: ChatMessage[] = [];
  const kept: Kept[] = [];
  for (const item of items) {
    if ("type" in item) kept.push({ at: messages.length, line: item });
    else messages.push(item);
  }
  return { messages, kept };
}

/**
 * The end of a list: the messages from an index on, with the lines that belong to them. A line belongs to the message before it;
 * what is pinned stays, wherever it was said [R6].
 */
export function keptFrom(kept: readonly Kept[], first: number): readonly Kept[] {
  return kept
    .filter(({ at, line }) => at > first || line.type === "pin")
    .map(({ at, line }) => ({ at: Math.max(0, at - first), line }));
}

export function formatStored(item: StoredItem): string {
  return "type" in item ? formatLine(item) : formatMessage(item);
}

/** The same for the same item: a message has its id, a typed line its text. */
export function storedKey(item: StoredItem): string {
  return "type" in item ? formatLine(item) : messageId(item);
}
