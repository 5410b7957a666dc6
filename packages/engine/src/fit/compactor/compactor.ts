import type { ModelMessage } from "../../model/messages.ts";

/** What a compactor gets. */
export interface CompactionRequest {
  /** Whole groups, oldest first. */
  readonly messages: readonly ModelMessage[];
  /** The summary in force, whose place the new one takes: what it says must be carried on. */
  readonly previousSummary?: string;
  /** The most that the new summary may cost. */
  readonly maxTokens: number;
  /** The build's own counter. */
  countTokens(text: string): number;
  /** Where its tokenizer has one, a lower bound that is found much sooner. */
  readonly atLeast?: (text: string) => number;
}

/**
 * Makes a summary of history that is not sent any more. It may fail in any way: a summary that is blank, too large or does
 * not come is not used, and the history stays as it was [F9].
 */
export interface Compactor {
  /** Names what made a summary, e.g. `extractive` or `llm:gpt-6-luna`. */
  readonly id: string;
  compact(request: CompactionRequest): Promise<string>;
  /** Awaited between the parts of a long build; a host that serves others gives them their turn here. */
  readonly pause?: () => Promise<void> | undefined;
}
