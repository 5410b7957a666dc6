import type { Compactor, Language, Problem, Secrets, UserMessage } from "@galley/engine";
import type { Removal } from "../../disk/store-files.ts";
import type { ArchiveMatch } from "../../search/archive-search.ts";
import type { RecallMode } from "../lines/chat-line.ts";
import type { Archive } from "./archive-file.ts";
import type { TimedMessage } from "./commit-exchange.ts";
import type { ArchiveItem } from "./archive-index.ts";

/** What is in force when a context is switched. */
export interface SwitchSettings {
  /** Makes the summary of what is put away [A8]; without one it has none. */
  readonly compactor?: Compactor | undefined;
  /** Of labels [A9]; that of the user's newest message if absent. */
  readonly language?: Language | undefined;
}

/** How a chat is opened. */
export interface ChatOptions {
  /** What the chat's settings say at this moment; if absent, summaries are extracted. */
  readonly settings?: () => Promise<SwitchSettings>;
  /** Values that never reach the disk. */
  readonly secrets?: Secrets;
  /** How long to wait for another process, in ms (default: 30,000). */
  readonly patience?: number;
  /** The clock, in ms since 1970. */
  readonly now?: () => number;
}

/** Whether a call belongs to a run, whose user message is not on disk yet. */
export interface SwitchOptions {
  readonly isInRun?: boolean;
  /** What the user asks in the run: labels are in its language. */
  readonly input?: UserMessage;
  /** A search may also find the context that is active: for a caller that does not have it before its eyes. */
  readonly mayBeActive?: boolean;
  /** Names the call of a tool. Made again because its process was stopped in between, it loads what it has loaded before. */
  readonly call?: string | undefined;
  /** Those of the run; those of the chat if absent. */
  readonly settings?: SwitchSettings | undefined;
}

/** An archive that a switch has made. */
export interface ArchivedContext {
  readonly contextId: string;
  readonly title: string;
  readonly messageCount: number;
}

/** What is said of a context that is put away. */
export interface NewInput {
  readonly title?: string | undefined;
  readonly reason?: string | undefined;
  /** What to remember of it, at most 20,000 characters; given back first when it is loaded [A7]. */
  readonly note?: string | undefined;
  /**
   * The archive that the note is about; that of the active context if absent. Where the active context came from another one,
   * only this archive's note changes.
   */
  readonly contextId?: string | undefined;
}

/** What starting a new context did. */
export interface NewResult {
  /** What was put away; nothing when there was nothing to put away. */
  readonly archived?: ArchivedContext;
  /** How many unanswered messages stay in the new context. */
  readonly kept: number;
  readonly problems: readonly Problem[];
}

/** Which archived context to bring back: by id, or by what it was about. */
export interface LoadInput {
  readonly query?: string | undefined;
  readonly contextId?: string | undefined;
  readonly mode?: RecallMode | undefined;
}

/** The context that was brought back. */
export interface LoadedContext {
  readonly contextId: string;
  readonly title: string;
  readonly mode: RecallMode;
  /** How many messages became active. */
  readonly messageCount: number;
  /** The language of the label before them. */
  readonly language: Language;
  /** What was to be remembered; it comes before them. */
  readonly note?: string | undefined;
}

/** What bringing a context back did. */
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

/** The archived contexts, newest first. */
export interface ListResult {
  /** Newest first. */
  readonly contexts: readonly ArchiveItem[];
  readonly total: number;
  /** Archives that cannot be used. */
  readonly problems: readonly Problem[];
}

/** What a chat's tools and its pages do with its contexts. */
export interface ContextSwitches {
  newContext(input?: NewInput, options?: SwitchOptions): Promise<NewResult>;
  loadContext(input: LoadInput, options?: SwitchOptions): Promise<LoadResult>;
  listContexts(limit?: number): Promise<ListResult>;
  /** Archived contexts that match, best first. */
  searchContexts(query: string, limit?: number): Promise<readonly FoundContext[]>;
  clearActive(options?: SwitchOptions): Promise<{ readonly removed: number; readonly kept: number }>;
}

/** What is done with a single archived context. */
export interface ArchiveEdits {
  /** An archived context whole. */
  readContext(contextId: string): Archive;
  /** Makes a conversation that was kept elsewhere an archive; the same source is one archive. */
  importArchive(source: string, messages: readonly TimedMessage[]): Promise<ArchivedContext | undefined>;
  renameContext(contextId: string, title: string): Promise<void>;
  /** Deletes an archive for good; its id is asked for twice. */
  deleteContext(contextId: string, confirmation: string): Promise<Removal>;
}
