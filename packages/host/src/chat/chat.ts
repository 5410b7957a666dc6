import type { Compactor, Language, ModelMessage, Problem, Secrets, SessionEntry, UserMessage } from "@galley/engine";
import type { Archive } from "./contexts/archive-file.ts";
import type { ArchiveItem } from "./contexts/archive-index.ts";
import type { ArchiveMatch } from "../search/archive-search.ts";
import type { ChatMessage, DecisionEntry, RecallMode, TranscriptLine } from "./lines/chat-line.ts";
import type { Target } from "./lines/chat-writer.ts";
import type { Keep } from "./lines/keep-messages.ts";
import type { Window, WindowLimits } from "./lines/read-window.ts";
import type { ArchivedContext } from "./contexts/switch-context.ts";

export interface ChatOptions {
  /** Makes the summaries of archives; without one they have none. */
  readonly compactor?: Compactor;
  /** Sizes summaries; by default three bytes count as a token. */
  readonly countTokens?: (text: string) => number;
  /** Values that never reach the disk. */
  readonly secrets?: Secrets;
  /** How long to wait for another process, in ms (default: 30,000). */
  readonly patience?: number;
  /** The clock, in ms since 1970. */
  readonly now?: () => number;
}

/** Whether a call belongs to a run, whose user message is not on disk yet. */
interface SwitchOptions {
  readonly isInRun?: boolean;
  /** What the user asks in the run: labels are in its language. */
  readonly input?: UserMessage;
}

/** What a context is read for. */
export interface Question {
  /** What the user asks: labels are in its language; without it, in that of the newest message in the transcript. */
  readonly input?: UserMessage | undefined;
  /** The id that the question has, or will have, in the transcript. */
  readonly inputId?: string | undefined;
}

/** What a build reads of a chat. */
export interface ChatContext {
  readonly entries: readonly SessionEntry[];
  /** The line with which the active context begins when something is first written to it [W12]. */
  readonly head?: TranscriptLine;
}

export interface NewResult {
  /** What was put away; nothing when there was nothing to put away. */
  readonly archived?: ArchivedContext;
  /** So many unanswered messages stay in the new context. */
  readonly kept: number;
  readonly problems: readonly Problem[];
}

export interface LoadInput {
  readonly query?: string | undefined;
  readonly contextId?: string | undefined;
  readonly mode?: RecallMode | undefined;
}

export interface LoadedContext {
  readonly contextId: string;
  readonly title: string;
  readonly mode: RecallMode;
  /** So many messages became active. */
  readonly messageCount: number;
  /** The language of the label before them. */
  readonly language: Language;
}

export interface LoadResult {
  /** Nothing when no archive matched: then nothing was switched. */
  readonly loaded?: LoadedContext;
  readonly archived?: ArchivedContext;
  /** Other archives that match. */
  readonly alternatives: readonly ArchiveMatch[];
  readonly problems: readonly Problem[];
}

/** An archived context that a search has found. */
export interface FoundContext extends ArchiveItem {
  readonly score: number;
  /** The place that was found, as it was written. */
  readonly snippet: string;
}

export interface ListResult {
  /** Newest first. */
  readonly contexts: readonly ArchiveItem[];
  readonly total: number;
  /** Archives that cannot be used. */
  readonly problems: readonly Problem[];
}

/** A chat on disk: its transcript, its active working context and its archived ones. */
export interface Chat {
  readonly key: string;
  readonly folder: string;
  /** What was found and mended since the chat was opened. */
  readonly problems: readonly Problem[];
  /** Resolves when the messages are durable, in the order of the calls; all of one call or none. */
  append(messages: readonly ModelMessage[], to?: Target): Promise<readonly ChatMessage[]>;
  /** A time for a message: never the same twice, and later than that of all that was appended here. */
  nextTime(): number;
  /** Keeps what a run leaves behind, with times that were chosen before; a branch where it says so. */
  keep(kept: Keep): Promise<void>;
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
  newContext(
    input?: { readonly title?: string | undefined; readonly reason?: string | undefined },
    options?: SwitchOptions,
  ): Promise<NewResult>;
  loadContext(input: LoadInput, options?: SwitchOptions): Promise<LoadResult>;
  listContexts(limit?: number): Promise<ListResult>;
  /** Archived contexts that match, best first. */
  searchContexts(query: string, limit?: number): Promise<readonly FoundContext[]>;
  clearActive(options?: SwitchOptions): Promise<{ readonly removed: number; readonly kept: number }>;
  /** An archived context whole. */
  readContext(contextId: string): Archive;
  renameContext(contextId: string, title: string): Promise<void>;
  /** Deletes an archive for good; its id is asked for twice. */
  deleteContext(contextId: string, confirmation: string): Promise<void>;
  /** Deletes the whole chat for good; its key is asked for again. The handle is closed. */
  deleteChat(confirmation: string): Promise<void>;
  /** Takes a message out of every later build, export and search [M7]; `purgeChat` removes its bytes. */
  redact(messageId: string): Promise<void>;
  /** Lets go of files that are kept open between writes. The chat stays usable: what is needed is opened again. */
  rest(): Promise<void>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}
