import { hash } from "node:crypto";
import { type Archive, dayOf, deriveTitle, newContextId } from "./archive-file.ts";
import type { ChatMessage, RecalledLine } from "../lines/chat-line.ts";
import type { ChatPaths } from "../lines/chat-paths.ts";
import { wholeLines } from "../lines/log-lines.ts";
import { findArchive } from "./read-archive.ts";
import { type Redactions, isRedacted } from "../lines/redactions.ts";

/** What a switch works on, while the chat's lock is held. */
export interface SwitchScope {
  readonly paths: ChatPaths;
  readonly chatKey: string;
  readonly now: number;
  /** In a run the current user message is not on disk yet. */
  readonly isInRun: boolean;
  readonly redactions: Redactions;
}

/** The active context seen whole, in one pass that keeps none of it. */
export interface ActiveScan {
  readonly recalled?: RecalledLine;
  readonly contextId: string;
  readonly title: string;
  readonly createdAt: number;
  readonly messageCount: number;
  /** How many messages, from the first, go into the archive. */
  readonly archivedCount: number;
  /** The first message that stays; those between are in the archive that the context was recalled from. */
  readonly keptFrom: number;
}

interface StoredLine {
  readonly text: string;
  readonly message: ChatMessage;
}

/**
 * Says what of the active context is to be archived [W3]. Outside a run what follows the last assistant message stays, and
 * without any such message the last one does; in a run the current message is not on disk yet, so that all goes.
 */
export function scanActive({ paths, chatKey, now, isInRun, redactions }: SwitchScope): ActiveScan {
  let messageCount = 0;
  let answeredCount = 0;
  let first: StoredLine | undefined;
  let title: string | undefined;
  let recalled: RecalledLine | undefined;
  for (const line of activeLines(paths.active)) {
    if (line.type === "recalled") {
      recalled ??= line.recalled;
      continue;
    }
    first ??= line;
    messageCount += 1;
    if (line.message.role === "assistant") answeredCount = messageCount;
    else if (title === undefined && !isRedacted(line.message, redactions)) title = deriveTitle([line.message]);
  }
  const splitAt = isInRun ? messageCount : answeredCount || Math.max(0, messageCount - 1);
  // What was recalled is in its archive still, unless that was deleted or damaged since.
  const source = recalled && findArchive(paths.archive, recalled.from, chatKey);
  const known = recalled && source ? Math.min(recalled.messageCount, messageCount) : 0;
  return {
    recalled,
    contextId: recalled?.contextId ?? deriveContextId(first, chatKey, now),
    title: title ?? "Untitled",
    createdAt: first?.message.ts ?? now,
    messageCount,
    archivedCount: splitAt > known ? splitAt : 0,
    keptFrom: Math.max(splitAt, known),
  };
}

/**
 * A context has its id from its first line, until it is archived under it. So a switch that was cut short after it had
 * archived is recognised: the same context goes to the same archive again.
 */
function deriveContextId(first: StoredLine | undefined, chatKey: string, now: number): string {
  if (!first) return newContextId(now);
  return `c_${dayOf(first.message.ts)}_${hash("sha256", JSON.stringify([chatKey, first.text]), "hex").slice(0, 10)}`;
}

/** The id under which the active context would be archived; nothing when there is no message. */
export function activeContextId(file: string, chatKey: string): string | undefined {
  for (const line of activeLines(file)) {
    return line.type === "recalled" ? line.recalled.contextId : deriveContextId(line, chatKey, 0);
  }
  return undefined;
}

type ActiveLine =
  | { readonly type: "recalled"; readonly recalled: RecalledLine }
  | (StoredLine & { readonly type: "message" });

/** The messages of the active context, with the text of their lines; other lines are skipped. */
function* activeLines(file: string): Generator<ActiveLine> {
  for (const { line, bytes } of wholeLines(file)) {
    if (line.type === "recalled") yield { type: "recalled", recalled: line };
    if (line.type === "message") yield { type: "message", message: line.message, text: bytes.toString() };
  }
}

/** The lines of some of the messages, by their numbers. */
export function* messageLines(file: string, from: number, until: number): Generator<string> {
  let index = 0;
  for (const line of activeLines(file)) {
    if (line.type !== "message") continue;
    if (index >= until) return;
    if (index >= from) yield line.text;
    index += 1;
  }
}

/** Whether an archive holds nothing but the first messages of the active context. */
export function isStartOf(file: string, archive: Archive): boolean {
  let index = 0;
  for (const line of activeLines(file)) {
    if (line.type !== "message") continue;
    const other = archive.messages[index];
    if (!other) return true;
    const { ts, role, content } = line.message;
    if (other.ts !== ts || other.role !== role || JSON.stringify(other.content) !== JSON.stringify(content))
      return false;
    index += 1;
  }
  return index >= archive.messages.length;
}
