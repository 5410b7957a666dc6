import type { ModelMessage, Secrets } from "@galley/engine";
import { type ChatFile, detachFiles } from "./chat-files.ts";
import { type ChatMessage, type TranscriptLine, formatMessage, messageId } from "./chat-line.ts";
import { toChatMessage } from "./chat-message.ts";
import type { ChatPaths } from "./chat-paths.ts";
import type { ChatWriter, LogMessages } from "./chat-writer.ts";
import { readWindow } from "./read-window.ts";
import { logLines, rewriteLog } from "./log-lines.ts";

/** A message with a time of its own: written again, it is the same message. */
export interface TimedMessage {
  /** Milliseconds since 1970. */
  readonly ts: number;
  readonly message: ModelMessage;
  /** A question that was not answered. */
  readonly failed?: boolean;
}

/** What a run leaves behind, by where. */
export interface Exchange {
  readonly transcript: readonly TimedMessage[];
  readonly active: readonly TimedMessage[];
  /** With this an active context begins that does not exist yet [W12]. */
  readonly head?: TranscriptLine | undefined;
  /** The active context goes on before the message of this id [M6]; it, and what follows it, stays in the transcript only. */
  readonly cutFrom?: string | undefined;
  /** The last message that the branch leaves behind: what others have said since then stays. Without it all of them go. */
  readonly cutTo?: string | undefined;
  /** It may have been written before, by a process that was stopped: what is there is not written again. */
  readonly isRepeated?: boolean;
}

export interface ExchangeParts {
  readonly paths: ChatPaths;
  readonly writer: ChatWriter;
  readonly secrets: Secrets;
}

const nothingRedacted = { ids: new Set<string>(), latest: 0 };
/** How far back a resumed run looks for what it has already written. */
const lookBack = { maxMessages: 1000, maxCharacters: 2 ** 40 };

/** Resolves when everything is durable. After a crash on the way, the same call with `isRepeated` completes it. */
export async function commitExchange({ paths, writer, secrets }: ExchangeParts, exchange: Exchange): Promise<void> {
  const files: ChatFile[] = [];
  const store = (timed: TimedMessage): ChatMessage => {
    const detached = detachFiles(toChatMessage(timed.message, timed.ts, secrets));
    files.push(...detached.files);
    return timed.failed ? { ...detached.message, failed: true } : detached.message;
  };
  const wanted: LogMessages = {
    transcript: exchange.transcript.map(store),
    active: exchange.active.map(store),
    head: exchange.head,
  };
  if (exchange.cutFrom === undefined && !exchange.isRepeated) return writer.append(wanted, files);
  await writer.hold(async (append) => {
    const missing = exchange.isRepeated ? missingOf(wanted, paths) : wanted;
    const cut = exchange.cutFrom === undefined ? undefined : numberOf(paths.active, exchange.cutFrom);
    const last = exchange.cutTo === undefined ? undefined : numberOf(paths.active, exchange.cutTo);
    const isDone = missing.active.at(-1) !== wanted.active.at(-1);
    // A switch in the meantime has put another context there: nothing to cut then.
    if (cut === undefined || isDone) return append(missing, files);
    await append({ transcript: missing.transcript, active: [] }, files);
    const lines = wanted.active.map(formatMessage).join("");
    await rewriteLog(paths.active, ({ number, bytes, line }) => {
      if (number === cut) return lines;
      // Of what builds have decided since, the places of injections stay: the view leaves out those without a neighbour.
      const isDecided = line?.type === "decision" && line.entry.type === "compaction";
      const isLater = last !== undefined && number > last && !isDecided;
      return number < cut || isLater ? bytes : undefined;
    });
  });
}

/** The id that a message will have in the chat. */
export function timedMessageId({ ts, message }: TimedMessage, secrets: Secrets): string {
  return messageId(detachFiles(toChatMessage(message, ts, secrets)).message);
}

function missingOf({ transcript, active, head }: LogMessages, paths: ChatPaths): LogMessages {
  const said = idsIn(paths.transcript);
  const lacking = transcript.filter((message) => !said.includes(messageId(message)));
  const last = transcript.at(-1);
  // What others have said since came behind a whole write; where the context stands now is up to them.
  const isOld = last !== undefined && lacking.length === 0 && said.at(-1) !== messageId(last);
  const present = new Set(idsIn(paths.active));
  const unheard = active.filter((message) => !present.has(messageId(message)));
  return { transcript: lacking, active: isOld ? [] : unheard, head };
}

function idsIn(file: string): readonly string[] {
  return readWindow(file, lookBack, nothingRedacted).messages.map(messageId);
}

/** The line at which a message stands. */
function numberOf(file: string, id: string): number | undefined {
  for (const { number, line } of logLines(file)) {
    if (line?.type === "message" && messageId(line.message) === id) return number;
  }
  return undefined;
}
