import type { ModelMessage, Problem, SessionEntry } from "@galley/engine";
import type { Removal } from "../disk/store-files.ts";
import type { ArchiveEdits, ContextSwitches } from "./contexts/context-types.ts";
import type { ChatMessage, DecisionEntry, TranscriptLine } from "./lines/chat-line.ts";
import type { Target } from "./lines/chat-writer.ts";
import type { Exchange } from "./lines/commit-exchange.ts";
import type { Window, WindowLimits } from "./lines/read-window.ts";
import type { ChatContext, Question } from "./lines/session-entries.ts";

/** A chat on disk: its transcript, its active working context and its archived ones. */
export interface Chat extends ContextSwitches, ArchiveEdits {
  readonly key: string;
  readonly folder: string;
  /** What was found and mended since the chat was opened. */
  readonly problems: readonly Problem[];
  /** Resolves when the messages are durable, in the order of the calls; all of one call or none. */
  append(messages: readonly ModelMessage[], to?: Target): Promise<readonly ChatMessage[]>;
  /** A time for a message: never the same twice, and later than that of all that was appended here. */
  nextTime(): number;
  /** Writes what a run leaves behind, with times that were chosen before; a branch where it says so. */
  commitExchange(exchange: Exchange): Promise<void>;
  /** The end of the active context. */
  window(limits?: WindowLimits): Window;
  /** The end of the transcript. */
  transcript(limits?: WindowLimits): Window;
  /** What a build reads: the window with what stands before it, files in place. */
  entries(limits?: WindowLimits): readonly SessionEntry[];
  /** The same, for a question that is not on disk yet. */
  context(limits: WindowLimits, asked: Question): ChatContext;
  /** Keeps what a build decided about the active context; a context that does not exist yet begins with `head`. */
  recordDecision(entry: DecisionEntry, head?: TranscriptLine): Promise<void>;
  /** Deletes the whole chat for good; its key is asked for again. The handle is closed. */
  deleteChat(confirmation: string): Promise<Removal>;
  /** Takes a message out of every later build, export and search [M7]; `purgeChat` removes its bytes. */
  redact(messageId: string): Promise<Removal>;
  /** Closes files that are kept open between writes. The chat stays usable: what is needed is opened again. */
  closeIdleFiles(): Promise<void>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}
