import { hash } from "node:crypto";
import { type Archive, dayOf, deriveTitle, newContextId } from "./archive-file.ts";
import { type ChatMessage, type KeptLine, type RecalledLine, messageId } from "../lines/chat-line.ts";
import type { KnownPaths } from "../lines/chat-paths.ts";
import { isKeptLine, pinTarget } from "../lines/kept-lines.ts";
import { wholeLines } from "../lines/log-lines.ts";
import { findArchive } from "./read-archive.ts";
import { type Redactions, isRedacted } from "../lines/redactions.ts";
import { runInSlices } from "../../limits/in-slices.ts";

/** What a switch works on, while the chat's lock is held. */
export interface SwitchScope {
  readonly paths: KnownPaths;
  readonly now: number;
  /** In a run the current user message is not on disk yet. */
  readonly isInRun: boolean;
  readonly redactions: Redactions;
  /** Told when the switch has happened, with the archive that the active context became, if any. */
  readonly onSwitch: (archive: string | undefined) => void;
}

/** The active context seen whole, in one pass that keeps none of it. */
export interface ActiveScan {
  readonly recalled?: RecalledLine;
  /** The archive that it was recalled from, unless that was deleted or damaged since. */
  readonly source?: Archive | undefined;
  /** The id of its archive. */
  readonly contextId: string;
  readonly title: string;
  readonly createdAt: number;
  readonly messageCount: number;
  /** How many messages, from the first, go into the archive. */
  readonly archivedCount: number;
  /** How many of them stand for messages that the archive has: a summary that was recalled. */
  readonly summaryCount: number;
  /** The first message that stays; those between are in the archive that the context was recalled from. */
  readonly keptFrom: number;
  /** Where its line begins in the file; nothing where no message stays. */
  readonly keptStart: number | undefined;
  readonly pins: readonly PinPlace[];
}

/** A line that pins something, and how many messages stand before it. */
interface PinPlace {
  readonly id: string;
  readonly after: number;
}

interface StoredLine {
  readonly text: string;
  readonly message: ChatMessage;
  readonly start: number;
}

/**
 * Says what of the active context is to be archived [W3]. Outside a run what follows the last assistant message stays, and
 * without any such message the last one does; in a run the current message is not on disk yet, so that all goes.
 */
export function scanActive(scope: SwitchScope): Promise<ActiveScan> {
  return runInSlices(scan(scope));
}

function* scan({ paths, now, isInRun, redactions }: SwitchScope): Generator<undefined, ActiveScan> {
  const starts: number[] = [];
  let messageCount = 0;
  let answeredCount = 0;
  let first: StoredLine | undefined;
  let title: string | undefined;
  let recalled: RecalledLine | undefined;
  let isSummary = false;
  const pins: PinPlace[] = [];
  for (const line of activeLines(paths.active)) {
    yield;
    if (line.type === "recalled") {
      recalled ??= line.recalled;
      continue;
    }
    if (line.type === "kept") {
      if (line.line.type === "pin") pins.push({ id: line.line.id, after: messageCount });
      continue;
    }
    if (!first) isSummary = line.message.summaryOf !== undefined && line.message.summaryOf === recalled?.from;
    first ??= line;
    messageCount += 1;
    starts.push(line.start);
    if (line.message.role === "assistant") answeredCount = messageCount;
    else if (title === undefined && !isRedacted(line.message, redactions)) title = deriveTitle([line.message]);
  }
  const splitAt = isInRun ? messageCount : answeredCount || Math.max(0, messageCount - 1);
  // What was recalled is in its archive still, unless that was deleted or damaged since.
  const source = recalled && findArchive(paths, recalled.from);
  const isPinned = hasOtherPins(source, pins);
  const known = recalled && source ? Math.min(recalled.messageCount, messageCount) : 0;
  const keptFrom = Math.max(splitAt, known);
  return {
    recalled,
    source,
    contextId: recalled?.from ?? deriveContextId(first, paths.chatKey, now),
    title: title ?? "Untitled",
    createdAt: first?.message.ts ?? now,
    messageCount,
    archivedCount: splitAt > known || (isPinned && splitAt === known) ? splitAt : 0,
    summaryCount: isSummary && source ? 1 : 0,
    keptFrom,
    keptStart: starts[keptFrom],
    pins,
  };
}

/** Whether something was pinned or unpinned since a context was recalled: its archive is written again then. */
function hasOtherPins(source: Archive | undefined, pins: readonly PinPlace[]): boolean {
  const known = new Set(source?.kept.flatMap(({ line }) => (line.type === "pin" ? [line.id] : [])));
  return source !== undefined && pins.some(({ id }) => !known.has(id));
}

/**
 * A context has its id from its first line, until it is archived under it. So a switch that was cut short after it had
 * archived is recognised: the same context goes to the same archive again.
 */
export function deriveContextId(
  first: Pick<StoredLine, "text" | "message"> | undefined,
  chatKey: string,
  now: number,
): string {
  if (!first) return newContextId(now);
  return `c_${dayOf(first.message.ts)}_${hash("sha256", JSON.stringify([chatKey, first.text]), "hex").slice(0, 10)}`;
}

/** The id under which the active context would be archived; nothing when there is no message. */
export function activeContextId({ active, chatKey }: KnownPaths): string | undefined {
  for (const line of activeLines(active)) {
    if (line.type === "kept") continue;
    return line.type === "recalled" ? line.recalled.contextId : deriveContextId(line, chatKey, 0);
  }
  return undefined;
}

type ActiveLine =
  | { readonly type: "recalled"; readonly recalled: RecalledLine }
  | (StoredLine & { readonly type: "message" })
  | { readonly type: "kept"; readonly text: string; readonly line: KeptLine };

/** The messages of the active context and what stays with them, with the text of their lines; other lines are skipped. */
function* activeLines(file: string, from = 0): Generator<ActiveLine> {
  for (const { line, bytes, start } of wholeLines(file, from)) {
    if (line.type === "recalled") yield { type: "recalled", recalled: line };
    if (line.type === "message") yield { type: "message", message: line.message, text: bytes.toString(), start };
    if (isKeptLine(line)) yield { type: "kept", text: bytes.toString(), line };
  }
}

/** The lines of the first messages, with the typed lines that stay with them [V5]. */
export function* messageLines(file: string, until: number): Generator<string> {
  let index = 0;
  for (const line of activeLines(file)) {
    if (line.type === "recalled") continue;
    // A typed line belongs to the message before it; one before all messages goes with the first.
    if (line.type === "message") index += 1;
    if (index > until) return;
    yield line.text;
  }
}

/** The lines behind a number of messages that pin one of these, or a sentence: they go where these go [R6]. */
export function latePins(file: string, count: number, { pins }: ActiveScan): ReadonlySet<string> {
  const texts = new Set<string>();
  if (!pins.some(({ after }) => after > count)) return texts;
  const behind = new Set<string>();
  let index = 0;
  for (const line of activeLines(file)) {
    if (line.type === "message" && ++index > count) behind.add(messageId(line.message));
    const isPin = line.type === "kept" && line.line.type === "pin" && index > count;
    if (isPin && !behind.has(pinTarget(line.line))) texts.add(line.text);
  }
  return texts;
}

export function* keptLines(file: string, { keptFrom, keptStart }: ActiveScan): Generator<string> {
  // Typed lines before all messages stay with the first, also where there is none.
  const from = keptFrom === 0 ? 0 : keptStart;
  if (from === undefined) return;
  for (const line of activeLines(file, from)) if (line.type !== "recalled") yield line.text;
}

export function* activeMessageIds(file: string): Generator<string> {
  for (const line of activeLines(file)) if (line.type === "message") yield messageId(line.message);
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
