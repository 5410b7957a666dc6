import type { ModelMessage, Secrets } from "@galley/engine";
import { deriveTitle } from "./archive-file.ts";
import type { ArchiveIndex } from "./archive-index.ts";
import { type ContextStamp, type ContextStampReader, destinationOf } from "./context-stamp.ts";
import { regenerated } from "./alternates.ts";
import { findArchive, updateArchive, writeArchive } from "./read-archive.ts";
import { deriveContextId } from "./scan-active.ts";
import { type ChatFile, detachFiles } from "../lines/chat-files.ts";
import {
  type ChatMessage,
  type KeptLine,
  type PinLine,
  type ResultLine,
  type TranscriptLine,
  formatMessage,
  messageId,
} from "../lines/chat-line.ts";
import { toChatMessage } from "../lines/chat-message.ts";
import type { ChatPaths, KnownPaths } from "../lines/chat-paths.ts";
import type { ChatWriter, LogMessages } from "../lines/chat-writer.ts";
import {
  type StoredItem,
  formatStored,
  interleave,
  isMessage,
  pinTarget,
  splitItems,
  storedKey,
} from "../lines/kept-lines.ts";
import { logLines, rewriteLog } from "../lines/log-lines.ts";
import { readWindow } from "../lines/read-window.ts";
import { nothingRedacted } from "../lines/redactions.ts";

/** A message with a time of its own: written again, it is the same message. */
export interface TimedMessage {
  /** Milliseconds since 1970. */
  readonly ts: number;
  readonly message: ModelMessage;
  /** A question that was not answered. */
  readonly failed?: boolean;
  /** The turn that this is the reply of: the same commit again is found by it [T7]. */
  readonly turn?: string | undefined;
}

/** Calls and results between a question and its reply [T8]. */
interface ExchangeSteps {
  readonly messages: readonly ModelMessage[];
  readonly tokens: number;
  /** Whether the chat keeps them, or only their number. */
  readonly isKept: boolean;
}

/** What a run leaves behind, by where. */
export interface Exchange {
  readonly transcript: readonly TimedMessage[];
  readonly active: readonly TimedMessage[];
  readonly steps?: ExchangeSteps | undefined;
  /** What builds decided about the context meanwhile, as lines; left out where the context has moved on. */
  readonly decided?: string;
  /** What came back from tasks since the last turn, in front of the question; each is recorded once [A1]. */
  readonly results?: readonly ResultLine[];
  /** Set when a person stopped the run: its reply is marked [T17]. */
  readonly isStopped?: boolean;
  /** Where the turn was opened; without it nothing is compared [T6]. */
  readonly opened?: ContextStamp | undefined;
  /** What to do when the place has moved on since then. */
  readonly onConflict?: "fail" | "append";
  /** With this an active context begins that does not exist yet [W12]. */
  readonly head?: TranscriptLine | undefined;
  /** The active context goes on before the message of this id [M6]; it, and what follows it, stays in the transcript only. */
  readonly cutFrom?: string | undefined;
  /** The last message that the branch leaves behind: what others have said since then stays. Without it all of them go. */
  readonly cutTo?: string | undefined;
  /** Whether the reply that was cut stays as an alternate of the new one [T13]. */
  readonly keepsAlternate?: boolean;
  /** It may have been written before, by a process that was stopped: what is there is not written again. */
  readonly isRepeated?: boolean;
}

export interface ExchangeParts {
  readonly paths: KnownPaths;
  readonly writer: ChatWriter;
  readonly secrets: Secrets;
  readonly index: Pick<ArchiveIndex, "list">;
  /** Of the active context at this moment. */
  readonly stamp: ContextStampReader;
}

const toActive = { kind: "active", isMoved: true } as const;
/** How far back a resumed run looks for what it has already written. */
const lookBack = { maxMessages: 1000, maxCharacters: 2 ** 40 };

/**
 * Resolves when everything is durable. After a crash on the way, the same call with `isRepeated` completes it. A place that
 * has moved on since the turn was opened is a `SessionConflict`, and nothing is written [T6].
 */
export async function commitExchange(parts: ExchangeParts, exchange: Exchange): Promise<void> {
  const { paths, writer, stamp } = parts;
  const { opened, isRepeated = false, results = [] } = exchange;
  const stored = storedExchange(parts, exchange);
  const { files } = stored;
  const isPlain = exchange.cutFrom === undefined && !isRepeated && opened === undefined && results.length === 0;
  if (isPlain) return writer.append(stored.wanted, files);
  await writer.hold(async (append) => {
    const wanted = results.length === 0 ? stored.wanted : withoutRecorded(stored.wanted, recordedResults(paths));
    const missing = isRepeated ? missingOf(wanted, paths) : wanted;
    const isDone = missing.active.at(-1) !== wanted.active.at(-1);
    const isAppended = exchange.onConflict === "append" || exchange.cutFrom !== undefined || isRepeated;
    const present = stamp.read();
    const begunSince = () => firstBegun(parts, exchange);
    const left = opened && stamp.leftAs(opened);
    const to =
      opened && !isDone ? await destinationOf(paths, { opened, present, isAppended, left, begunSince }) : toActive;
    if (to.kind === "archive") {
      await append({ transcript: missing.transcript, active: [] }, files);
      return putIntoArchive(parts, to.contextId, { ...exchange, items: wanted.active });
    }
    const cut = exchange.cutFrom === undefined ? undefined : numberOf(paths.active, exchange.cutFrom);
    // A switch in the meantime has put another context there: nothing to cut then.
    const decided = to.isMoved ? undefined : exchange.decided;
    if (cut === undefined || isDone) {
      await append({ ...missing, decided }, files);
      const last = missing.active.findLast(isMessage);
      if (last) stamp.wrote(messageId(last));
      return;
    }
    await append({ transcript: missing.transcript, active: [] }, files);
    await replaceBranch(paths, { ...exchange, cut, items: wanted.active });
  });
}

/** The archive of the first context that was begun behind the question of an exchange. */
async function firstBegun({ index }: ExchangeParts, { active }: Exchange): Promise<string | undefined> {
  const since = active[0]?.ts ?? Infinity;
  const begun = (await index.list()).items.filter(({ createdAt }) => createdAt > since);
  return begun.toSorted((a, b) => a.createdAt - b.createdAt)[0]?.contextId;
}

interface Wanted {
  readonly wanted: LogMessages;
  readonly files: readonly ChatFile[];
}

function storedExchange({ secrets }: ExchangeParts, exchange: Exchange): Wanted {
  const files: ChatFile[] = [];
  const store = ({ message, ts, failed, turn }: TimedMessage): ChatMessage => {
    const detached = detachFiles(toChatMessage(message, ts, secrets));
    files.push(...detached.files);
    return { ...detached.message, ...(failed ? { failed } : {}), ...(turn === undefined ? {} : { turn }) };
  };
  const transcript = exchange.transcript.map(store);
  // What is said and heard is one message, and written out once.
  const active = exchange.active.map((timed) => transcript[exchange.transcript.indexOf(timed)] ?? store(timed));
  const { results = [], head } = exchange;
  const wanted = {
    transcript: [...results, ...transcript],
    active: [...results, ...withLines(active, exchange)],
    head,
  };
  return { wanted, files };
}

/** Without results that another turn has recorded since this one was opened. */
function withoutRecorded({ transcript, active, head }: LogMessages, recorded: ReadonlySet<string>): LogMessages {
  const isNew = (item: StoredItem): boolean =>
    !("type" in item) || item.type !== "result" || !recorded.has(item.taskId);
  return { transcript: transcript.filter(isNew), active: active.filter(isNew), head };
}

/** The tasks whose results are written down in a chat, in whatever context: the transcript has them all. */
export function recordedResults({ transcript }: ChatPaths): ReadonlySet<string> {
  const { kept } = readWindow(transcript, lookBack, nothingRedacted);
  return new Set(kept.flatMap(({ line }) => (line.type === "result" ? [line.taskId] : [])));
}

/** The messages of an exchange with its typed lines: the steps before the reply, the mark of a stop behind it. */
function withLines(active: readonly ChatMessage[], { steps, isStopped }: Exchange): readonly StoredItem[] {
  const reply = active.at(-1);
  if (!reply) return [];
  const lines: KeptLine[] = [];
  if (steps && steps.messages.length > 0) {
    const { messages, tokens, isKept } = steps;
    const of = active.map(messageId);
    lines.push({ type: "steps", ts: reply.ts, of, count: messages.length, tokens, ...(isKept ? { messages } : {}) });
  }
  const mark: KeptLine[] = isStopped ? [{ type: "stopped", ts: reply.ts, entryId: messageId(reply) }] : [];
  return [...active.slice(0, -1), ...lines, reply, ...mark];
}

interface Branched extends Exchange {
  readonly items: readonly StoredItem[];
}

/** Puts an exchange in the place of a branch, in one rename. */
async function replaceBranch(paths: ChatPaths, branch: Branched & { readonly cut: number }): Promise<void> {
  const { cut, cutTo, items, keepsAlternate, cutFrom } = branch;
  const last = cutTo === undefined ? undefined : numberOf(paths.active, cutTo);
  const others = keepsAlternate && cutFrom !== undefined ? regenerated(logLines(paths.active), cutFrom) : [];
  const pins = pinsToKeep(paths, cut, last);
  const lines = [...resultsToKeep(paths, cut), ...pins, ...items, ...others].map(formatStored).join("");
  await rewriteLog(paths.active, ({ number, bytes, line }) => {
    if (number === cut) return lines;
    // Of what builds have decided since, the places of injections stay: the view leaves out those without a neighbour.
    const isDecided = line?.type === "decision" && line.entry.type === "compaction";
    const isLine = line?.type === "alternate" || line?.type === "stopped" || line?.type === "pin";
    const isLater = last !== undefined && number > last && !isDecided && !isLine;
    return number < cut || isLater ? bytes : undefined;
  });
}

/** Results behind a cut that were asked for before it: they stay, in front of what takes the place of the branch [A1]. */
function resultsToKeep({ active }: ChatPaths, cut: number): readonly ResultLine[] {
  const before = new Set<string>();
  const results: ResultLine[] = [];
  for (const { number, line } of logLines(active)) {
    if (number < cut && line?.type === "message") before.add(messageId(line.message));
    if (number > cut && line?.type === "result" && line.anchor !== undefined && before.has(line.anchor))
      results.push(line);
  }
  return results;
}

/** Pins behind a cut, but for those of messages that go with it [R6]. */
function pinsToKeep({ active }: ChatPaths, cut: number, last = Infinity): readonly PinLine[] {
  const gone = new Set<string>();
  const pins: PinLine[] = [];
  for (const { number, line } of logLines(active)) {
    if (number < cut) continue;
    if (line?.type === "message" && number <= last) gone.add(messageId(line.message));
    if (line?.type === "pin") pins.push(line);
  }
  return pins.filter((line) => !gone.has(pinTarget(line)));
}

/** Puts an exchange behind the messages of an archive: its context was put away while the turn was open [T6]. */
async function putIntoArchive(
  { paths }: ExchangeParts,
  contextId: string | undefined,
  branch: Branched,
): Promise<void> {
  const { items, cutFrom } = branch;
  const messages = items.filter(isMessage);
  const [first] = messages;
  if (!first) return;
  const last = messages.at(-1) ?? first;
  if (contextId === undefined) {
    const id = deriveContextId({ text: formatMessage(first), message: first }, paths.chatKey, first.ts);
    if (findArchive(paths, id)) return;
    const about = {
      contextId: id,
      title: deriveTitle(messages),
      createdAt: first.ts,
      archivedAt: last.ts,
      archiveReason: "switched",
    };
    return writeArchive(paths, { ...about, messageCount: messages.length, lines: items });
  }
  await updateArchive(paths, contextId, (archive) => {
    if (archive.messages.some((message) => messageId(message) === messageId(last))) return archive;
    const cut = archive.messages.findIndex((message) => messageId(message) === cutFrom);
    const before = cut < 0 ? archive.messages : archive.messages.slice(0, cut);
    const kept = archive.kept.filter(({ at }) => at <= before.length);
    const all = [...interleave(before, kept), ...items];
    // A summary from before does not know of it.
    const { summary: _, ...rest } = archive;
    return { ...rest, ...splitItems(all) };
  });
}

/** The id that a message will have in the chat. */
export function timedMessageId({ ts, message }: TimedMessage, secrets: Secrets): string {
  return messageId(detachFiles(toChatMessage(message, ts, secrets)).message);
}

function missingOf({ transcript, active, head }: LogMessages, paths: ChatPaths): LogMessages {
  const said = keysIn(paths.transcript);
  const lacking = transcript.filter((item) => !said.includes(storedKey(item)));
  const last = transcript.at(-1);
  // What others have said since came behind a whole write; where the context stands now is up to them.
  const isOld = last !== undefined && lacking.length === 0 && said.at(-1) !== storedKey(last);
  const present = new Set(keysIn(paths.active));
  const unheard = active.filter((item) => !present.has(storedKey(item)));
  return { transcript: lacking, active: isOld ? [] : unheard, head };
}

function keysIn(file: string): readonly string[] {
  const { messages, kept } = readWindow(file, lookBack, nothingRedacted);
  return [...interleave(messages, kept)].map(storedKey);
}

/** The line at which a message stands. */
function numberOf(file: string, id: string): number | undefined {
  for (const { number, line } of logLines(file)) {
    if (line?.type === "message" && messageId(line.message) === id) return number;
  }
  return undefined;
}
