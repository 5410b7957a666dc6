import type { Compactor, Language, Problem, Secrets, UserMessage } from "@galley/engine";
import type { Removal } from "../../disk/store-files.ts";
import type { ArchiveMatch } from "../../search/archive-search.ts";
import type { RecallMode } from "../lines/chat-line.ts";
import type { Archive } from "./archive-file.ts";
import type { ArchiveItem } from "./archive-index.ts";
import type { ArchivedContext } from "./switch-context.ts";

/** How a chat is opened. */
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
  newContext(
    input?: { readonly title?: string | undefined; readonly reason?: string | undefined },
    options?: SwitchOptions,
  ): Promise<NewResult>;
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
  renameContext(contextId: string, title: string): Promise<void>;
  /** Deletes an archive for good; its id is asked for twice. */
  deleteContext(contextId: string, confirmation: string): Promise<Removal>;
}
