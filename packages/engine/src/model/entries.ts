import type { JsonObject, ModelMessage } from "./messages.ts";

interface EntryBase {
  /** Unique within its session. */
  readonly id: string;
  /** When it was written: ISO 8601 with an offset, or milliseconds since 1970. The engine only carries it. */
  readonly ts: string | number;
  /** The entry it follows; without one, the entry before it in the log [M6]. `null` makes it a root. */
  readonly parentId?: string | null;
}

/** One message of a session. */
export interface MessageEntry extends EntryBase {
  readonly type: "message";
  readonly message: ModelMessage;
}

/** A number of messages and what they cost. */
export interface Tally {
  readonly count: number;
  readonly tokens: number;
}

/** One part of a message that is sent with its middle left out. */
export interface ShrunkPart {
  readonly entryId: string;
  /** Index of the part in the message's content. */
  readonly part: number;
  /** How many characters stay at either end. */
  readonly keep: number;
}

/** What the rungs of a fit decided, as a fact that later builds apply exactly [F8]. The last one is in force. */
export interface CompactionEntry extends EntryBase {
  readonly type: "compaction";
  /** The oldest message that is still sent; `null` when none of those before this entry is. */
  readonly firstKeptEntryId: string | null;
  /** Messages from before that one that are sent all the same: the session's head, the user message of a long run. */
  readonly carried?: readonly MessageEntry[];
  /** Frozen injections that stand before what is kept. */
  readonly injections?: readonly InjectionEntry[];
  /** Tool results before this entry are sent as a note. */
  readonly maskedBefore?: string | null;
  /** Steps with a priority that had to go. */
  readonly droppedSteps?: readonly string[];
  readonly shrunk?: readonly ShrunkPart[];
  readonly summary?: string;
  /** What made the summary. */
  readonly summarisedBy?: string;
  /** All that the summary stands for. */
  readonly summarised?: Tally;
  /** All that is sent no more and that no summary stands for. */
  readonly dropped?: Tally;
  /** The compaction that this one takes back [F15]. */
  readonly undoes?: string;
  /** The `runtime-init` in force, carried along so that it need not be looked for. */
  readonly runtimeInit?: JsonObject;
}

/** An injection that has been given a fixed place in the history [C14]. */
export interface InjectionEntry extends EntryBase {
  readonly type: "injection";
  readonly stepId: string;
  /** The message it stands before; `null` when it stands where this entry does. */
  readonly beforeEntryId: string | null;
  readonly message: ModelMessage;
}

/** What a session was started with; it stands behind the system prompt of every build [F11]. */
export interface RuntimeInitEntry extends EntryBase {
  readonly type: "runtime-init";
  readonly data: JsonObject;
}

/** Takes the content of an earlier entry out of every later build [M7]. */
export interface RedactEntry extends EntryBase {
  readonly type: "redact";
  readonly entryId: string;
}

/**
 * An application's own entry. Entries of a type that this version does not know are carried under this shape too, with
 * their own `type` in place: builds skip both, and both are written back as they were read [M2].
 */
export interface CustomEntry extends EntryBase {
  readonly type: "custom";
  readonly [field: string]: unknown;
}

/** One line of a session's append-only log [M2]. */
export type SessionEntry =
  | MessageEntry
  | CompactionEntry
  | InjectionEntry
  | RuntimeInitEntry
  | RedactEntry
  | CustomEntry;
