import type { Language, MessageEntry, SessionEntry, Tally, UserMessage } from "@galley/engine";
import { runAtOnce } from "../../limits/in-slices.ts";
import { type AsideLine, asideId } from "./aside-line.ts";
import { restoreFiles } from "./chat-files.ts";
import { type ChatMessage, type KeptLine, type RedactedLine, type TranscriptLine, messageId } from "./chat-line.ts";
import { toModelMessage } from "./chat-message.ts";
import { resultId } from "./kept-lines.ts";
import { type Window, textOf } from "./read-window.ts";
import { newestLanguage, recallNotice, transcriptNotice } from "./reference-label.ts";

/** What a context is read for. */
export interface Question {
  /** What the user asks: labels are in its language; without it, in that of the newest message in the transcript. */
  readonly input?: UserMessage | undefined;
  /** Of labels, where the settings name one [A9]. */
  readonly language?: Language | undefined;
  /** The id that the question has, or will have, in the transcript. */
  readonly inputId?: string | undefined;
  /** Only what stands before the message of this id, which is regenerated or edited [M6]. */
  readonly cutFrom?: string | undefined;
}

/** What a build reads of a chat. */
export interface ChatContext {
  readonly entries: readonly SessionEntry[];
  /** The line with which the active context begins when something is first written to it [W12]. */
  readonly head?: TranscriptLine;
  /** Steps with tools that the chat did not keep: how many messages they were [T8]. */
  readonly unkept: Tally;
}

/** An active context from its first message on. */
export interface WholeContext extends Pick<ChatContext, "entries" | "head"> {
  readonly messages: readonly ChatMessage[];
  /** The archive that it was loaded from. */
  readonly loadedFrom?: string | undefined;
}

/** What a build reads of a chat: the working context, or where there is none yet the transcript as one message [W12]. */
export function chatContext(active: Window, readTranscript: () => Window, files: string, asked: Question): ChatContext {
  return runAtOnce(contextSteps(active, readTranscript, files, asked));
}

/** The same in steps. */
export function* contextSteps(
  active: Window,
  readTranscript: () => Window,
  files: string,
  asked: Question,
): Generator<undefined, ChatContext> {
  const head = active.exists ? undefined : transcriptHead(readTranscript().messages, asked);
  const given = head ?? active.given;
  const { recalled, decisions } = active;
  const entries: SessionEntry[] = [];
  if (given && given.said.length > 0) {
    entries.push({ id: "transcript", ts: given.ts, type: "message", message: transcriptNotice(given), before: 0 });
  }
  if (recalled) {
    entries.push({
      id: `recalled-${recalled.contextId}`,
      ts: recalled.ts,
      type: "message",
      message: recallNotice(recalled),
      before: recalled.before ?? 0,
    });
  }
  let next = 0;
  let unkept: Tally = nothingUnkept;
  let nextKept = 0;
  const pushLines = (index: number): void => {
    for (let kept = active.kept[nextKept]; kept && kept.at <= index; kept = active.kept[(nextKept += 1)]) {
      entries.push(...entriesOfLine(kept.line, files));
      unkept = addUnkept(unkept, kept.line);
    }
    for (let made = decisions[next]; made && made.at <= index; made = decisions[(next += 1)])
      entries.push(made.line.entry);
  };
  for (const [index, message] of active.messages.entries()) {
    yield;
    pushLines(index);
    const inFront =
      message.summaryOf !== undefined && message.summaryOf === recalled?.from ? recalled.before : undefined;
    entries.push({ ...messageEntry(message, files), ...(inFront === undefined ? {} : { before: inFront }) });
    if (index === 0 && active.unread) entries.push(...unreadEntry(entries, active.unread));
  }
  pushLines(active.messages.length);
  return { entries: before(entries, active.kept, asked.cutFrom), head, unkept };
}

/** Stands for what lies further back than a build reads: as much as that was dropped, and the ledger counts it [T12]. */
function unreadEntry(entries: readonly SessionEntry[], dropped: Tally): readonly SessionEntry[] {
  const first = entries.find(({ type }) => type === "message");
  if (!first) return [];
  return [{ id: `unread-${first.id}`, ts: first.ts, type: "compaction", firstKeptEntryId: first.id, dropped }];
}

/** What a branch goes on from: what stands before the cut, results behind it that were asked for before it [A1], and pins [R6]. */
function before(
  entries: readonly SessionEntry[],
  kept: Window["kept"],
  cutFrom: string | undefined,
): readonly SessionEntry[] {
  const at = cutFrom === undefined ? -1 : entries.findIndex(({ id }) => id === cutFrom);
  if (at < 0) return entries;
  const ids = new Set(entries.slice(0, at).map(({ id }) => id));
  const cut = new Set(entries.slice(at).map(({ id }) => id));
  const asked = new Set(
    kept.flatMap(({ line }) => {
      if (line.type === "pin") return line.entryId !== undefined && cut.has(line.entryId) ? [] : [line.id];
      return line.type === "result" && ids.has(line.anchor ?? "") ? [resultId(line)] : [];
    }),
  );
  return entries.filter(({ id }, index) => index < at || asked.has(id));
}

const nothingUnkept: Tally = { count: 0, tokens: 0 };

/** Counts the steps of which a chat has kept only the number. */
export function addUnkept(before: Tally, line: KeptLine): Tally {
  if (line.type !== "steps" || line.messages) return before;
  return { count: before.count + line.count, tokens: before.tokens + line.tokens };
}

/** What a build reads of a typed line: steps that the chat keeps are messages again, alternates are not sent. */
export function entriesOfLine(line: KeptLine, files = ""): readonly SessionEntry[] {
  const { ts } = line;
  switch (line.type) {
    case "steps":
      return (line.messages ?? []).map((message, index) => {
        return { id: `${line.of.at(-1)}/${index + 1}`, ts, type: "message", message };
      });
    case "stopped":
      return [{ id: `stopped-${line.entryId}`, ts, type: "stopped", entryId: line.entryId }];
    case "result": {
      const { taskId, content, anchor } = line;
      const asked = anchor === undefined ? {} : { anchor };
      return [{ id: resultId(line), ts, type: "result", taskId, ...asked, message: { role: "user", content } }];
    }
    case "runtime-init":
      return [{ id: line.id, ts, type: "runtime-init", data: line.data }];
    case "pin": {
      const { type, id, entryId, text, by, isUndone, message, ordinal = 0 } = line;
      const meant = { ...(entryId === undefined ? {} : { entryId }), ...(text === undefined ? {} : { text }) };
      const brought = message ? { carried: [messageEntry(message, files)], ordinals: [ordinal] } : {};
      return [{ id, ts, type, ...meant, ...(by ? { by } : {}), ...(isUndone ? { isUndone } : {}), ...brought }];
    }
    case "alternate":
    case "other":
      return [];
    case "redacted":
      return idsIn(line).flatMap((id): SessionEntry[] => [
        { id, ts, type: "message", message: { role: "user", content: "" } },
        { id: `redact-${id}`, ts, type: "redact", entryId: id },
      ]);
    case "aside":
      return [asideEntry(line)];
  }
}

function idsIn({ entryId, count }: RedactedLine): readonly string[] {
  return count === undefined ? [entryId] : Array.from({ length: count }, (_, index) => `${entryId}/${index + 1}`);
}

/** An imported line that is not a message of user or assistant; a hidden one is not sent. */
function asideEntry(line: AsideLine): SessionEntry {
  const { ts, role, content, isHidden, said, sillytavern } = line;
  const kept = sillytavern === undefined ? {} : { sillytavern };
  const id = asideId(line);
  if (isHidden) return { id, ts, type: "custom", ...kept };
  return { id, ts, type: "message", message: { role, content }, ...(said && { said }), ...kept };
}

/** What was said before the question, without the questions that were never answered. */
function transcriptHead(
  messages: readonly ChatMessage[],
  { input, inputId, language }: Question,
): TranscriptLine | undefined {
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
    language: language ?? newestLanguage([...before.map(({ message }) => message), ...(input ? [input] : [])]),
    said: answered.map(({ id, message }) => ({ id, role: message.role, text: textOf(message) })),
  };
}

/** A message of a chat as an entry, its files in place. */
export function messageEntry(message: ChatMessage, files: string): MessageEntry {
  const sent = toModelMessage(restoreFiles(message, files));
  const { ts, said, sillytavern } = message;
  const imported = { ...(said && { said }), ...(sillytavern && { sillytavern }) };
  return { id: messageId(message), ts, type: "message", message: sent, ...imported };
}

/**
 * A log from the first entry that its compaction in force keeps. Pins from before stay, behind that one: a person may have pinned
 * something while the turn was under way that decided the compaction, and did not know of it [R6].
 */
export function keptEntries(entries: readonly SessionEntry[], first: number): readonly SessionEntry[] {
  const pins = entries.slice(0, first).filter(({ type }) => type === "pin");
  if (pins.length === 0) return first === 0 ? entries : entries.slice(first);
  return [...entries.slice(first, first + 1), ...pins, ...entries.slice(first + 1)];
}
