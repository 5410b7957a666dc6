import type { RecipeMatch } from "../compose/preset/select-recipe.ts";
import type { SessionEntry } from "../model/entries.ts";
import type { Problem } from "../model/check/errors.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { ModelMessage, ToolSpec } from "../model/messages.ts";
import type { TokenFigure } from "../tokens/account.ts";

/** The figures of a build. */
export interface BuildStats {
  readonly inputTokens: number;
  readonly messageCount: number;
  /** Messages of the session that are not sent. */
  readonly droppedMessagesCount: number;
  readonly exactness: TokenFigure["exactness"];
  readonly tokenizer: string;
}

/** One assembled model input, with the reason for everything in it and out of it. */
export interface Build {
  /** Exactly what is sent. */
  readonly messages: readonly ModelMessage[];
  /** In the given order, unfiltered [F12]. */
  readonly tools: readonly ToolSpec[];
  readonly stats: BuildStats;
  readonly ledger: readonly LedgerRow[];
  readonly recipe: RecipeMatch | undefined;
  /** What was decided, to be appended to the session: building from there gives the same bytes [F8]. */
  readonly entriesToAppend: readonly SessionEntry[];
  /** Length of the prefix that appends do not change: a provider may cache it. */
  readonly stablePrefix: number;
  readonly problems: readonly Problem[];
}
