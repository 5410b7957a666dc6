import type { ModelMessage, Problem, SessionEntry } from "@galley/engine";
import type { RuntimeInitEntry } from "@galley/engine/messages";
import type { Removal } from "../disk/store-files.ts";
import type { ArchiveEdits, ContextSwitches } from "./contexts/context-types.ts";
import type { MessagePlace } from "./contexts/find-message.ts";
import type { ChatMessage, DecisionEntry, TranscriptLine } from "./lines/chat-line.ts";
import type { Target } from "./lines/chat-writer.ts";
import type { Exchange } from "./contexts/commit-exchange.ts";
import type { ChatPins } from "./contexts/chat-pins.ts";
import type { Alternate } from "./contexts/alternates.ts";
import type { ContextStamp } from "./contexts/context-stamp.ts";
import type { Window, WindowLimits } from "./lines/read-window.ts";
import type { ChatContext, Question, WholeContext } from "./lines/session-entries.ts";

/** What an import has left in a chat. */
interface ImportedChat {
  readonly messages: readonly ChatMessage[];
  /** Entries that a chat does not keep: calls of tools, compactions. */
  readonly left: number;
}

/** A chat on disk: its transcript, its active working context and its archived ones. */
export interface Chat extends ContextSwitches, ArchiveEdits, ChatPins {
  readonly key: string;
  readonly folder: string;
  /** What was found and mended since the chat was opened. */
  readonly problems: readonly Problem[];
  /** Resolves when the messages are durable, in the order of the calls; all of one call or none. */
  append(messages: readonly ModelMessage[], to?: Target): Promise<readonly ChatMessage[]>;
  /** Takes in the entries of an import, with names, other versions, narrators and hidden lines [X1b]; all of them or none. */
  importEntries(entries: readonly SessionEntry[]): Promise<ImportedChat>;
  /** A time for a message: never the same twice, and later than that of all that was appended here. */
  nextTime(): number;
  /** Writes what a run leaves behind, with times that were chosen before; a branch where it says so. */
  commitExchange(exchange: Exchange): Promise<void>;
  /** Which context is active and where it ends, for a turn that is opened now [T6]. */
  stamp(): ContextStamp;
  /** The answers of the active context that were regenerated and not chosen, oldest first [T13]. */
  alternates(): readonly Alternate[];
  /** Makes an alternate answer the message, and the message an alternate [T13]. */
  chooseAlternate(messageId: string): Promise<void>;
  /** The end of the active context. */
  window(limits?: WindowLimits): Window;
  /** The end of the transcript. */
  transcript(limits?: WindowLimits): Window;
  /** What a build reads: the window with what stands before it, files in place. */
  entries(limits?: WindowLimits): readonly SessionEntry[];
  /** The whole active context, however long: it is read in slices. */
  whole(): Promise<WholeContext>;
  /** The same as `entries`, for a question that is not on disk yet. */
  context(limits: WindowLimits, asked: Question): ChatContext;
  /** The messages of these entries, once they are written, are read as these very entries by `context` with `maxBytes` [T11]. */
  adopt(entries: readonly SessionEntry[]): void;
  /** Where a message stands now, or with a branch that begins at `cutFrom`. It may look at all archives. */
  findMessage(messageId: string, cutFrom?: string): MessagePlace;
  /** The tasks whose results are written down here [A1]. */
  recordedResults(): ReadonlySet<string>;
  /** Keeps what a build decided about the active context; a context that does not exist yet begins with `head`. */
  recordDecision(entry: DecisionEntry, head?: TranscriptLine): Promise<void>;
  /** Keeps what the active context was begun with [T5]. */
  recordRuntimeInit(entry: Pick<RuntimeInitEntry, "id" | "data">, head?: TranscriptLine): Promise<void>;
  /** Deletes the whole chat for good; its key is asked for again. The handle is closed. */
  deleteChat(confirmation: string): Promise<Removal>;
  /** Takes a message out of every later build, export and search [M7]; `purgeChat` removes its bytes. */
  redact(messageId: string): Promise<Removal>;
  /** Closes files that are kept open between writes. The chat stays usable: what is needed is opened again. */
  closeIdleFiles(): Promise<void>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}
