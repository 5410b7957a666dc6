import type { ResolvedPreset } from "../../compose/preset/resolve-preset.ts";
import type { MessageEntry } from "../../model/entries.ts";
import type { Fate, LedgerRow } from "../../model/ledger.ts";
import type { ModelMessage } from "../../model/messages.ts";
import type { Normalized } from "../log/normalize.ts";
import type { SessionView } from "../log/view.ts";

/** The part of a session that a build may send. */
export interface Window {
  readonly view: SessionView;
  readonly normalized: Normalized;
  /** What is known from the build before, when this one only adds to it. */
  readonly known: KnownWindow | undefined;
}

/** What the build before found out about a window, kept so that the next turn only has to look at what is new. */
export interface KnownWindow {
  readonly sent: readonly MessageEntry[];
  /** Their messages. */
  readonly messages: readonly ModelMessage[];
  readonly tokens: readonly number[];
  readonly fates: ReadonlyMap<number, Fate>;
  readonly maskedBefore: number;
  /** Of all messages that are sent. */
  readonly total: number;
  readonly hasBinary: boolean;
  /** Ids of those that the build made up. */
  readonly made: ReadonlySet<string>;
  readonly frame: Frame | undefined;
  /** With a frame: what stands before the history, and the history. */
  readonly line: readonly ModelMessage[];
  /** The rows of the build before, by index in `sent`: good for as long as their position is right. */
  readonly rows: LedgerRow[];
}

/** All of a finished build but its history: the same in the next one, if that only adds messages. */
export interface Frame {
  readonly resolved: ResolvedPreset;
  readonly before: readonly ModelMessage[];
  readonly after: readonly ModelMessage[];
  /** In the ledger, the rows before those of the history and the rows behind them. */
  readonly rowsBefore: readonly LedgerRow[];
  readonly rowsAfter: readonly LedgerRow[];
  /** How long the history was: what stands behind it moves when it grows. */
  readonly historyLength: number;
  /** The cost of everything but the history. */
  readonly tokens: number;
  readonly droppedMessagesCount: number;
}
