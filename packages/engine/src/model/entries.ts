import type { SessionKind } from "./entry-kinds.ts";
import type { JsonObject, ModelMessage } from "./messages.ts";

/** What every entry has. Its kind is one of the register [V5]. */
interface EntryOf<Kind extends SessionKind> {
  readonly type: Kind;
  /** Unique within its session. */
  readonly id: string;
  /** When it was written: ISO 8601 with an offset, or milliseconds since 1970. The engine only carries it. */
  readonly ts: string | number;
  /** The entry it follows; without one, the entry before it in the log [M6]. `null` makes it a root. */
  readonly parentId?: string | null;
}

/** What a provider said that a call has cost. */
interface CallUsage {
  /** All that was read, what came from a cache included. Some logs do not say it. */
  readonly inputTokens?: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
}

/** The call that gave a reply, as far as the log of an agent says [L1]. Builds do not read it. */
export interface CallFacts {
  readonly model?: string;
  readonly usage?: CallUsage;
}

/**
 * One message of a session. A `result` is what another agent gave for a task: it is sent as a user message that says so, and
 * is never taken for what the user said last [A1].
 */
export interface MessageEntry extends EntryOf<"message" | "result"> {
  readonly message: ModelMessage;
  /** The task that a `result` is of. */
  readonly taskId?: string;
  /** Who said it and how, where the message alone does not tell. */
  readonly said?: Said;
  /** The message or entry of the turn that handed that task over. */
  readonly anchor?: string;
  /**
   * It was put in front of a conversation and is not one of its messages: how many of them stood before those that follow. Its
   * own handle is §0 [R1].
   */
  readonly before?: number;
  readonly call?: CallFacts;
}

/** What a scan for keys reads instead of the message [K1]. */
export interface Said {
  /** The speaker's name. */
  readonly by?: string;
  /** The text before macros were filled in and a name was put before it. */
  readonly text?: string;
  /** Its number in the chat that it was imported from, where hidden messages count as well. */
  readonly line?: number;
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

/** A name, how many messages of people and models had it, how many had it at all, and the last place of it in tokens and messages. */
export type NameRow = readonly [name: string, said: number, uses: number, last: number, ordinal: number];

/** The names of a log that may be needed again, the most likely first [R3]: every compaction carries on what it knows. */
export interface NameIndex {
  readonly rows: readonly NameRow[];
  /** About how large the log was, in tokens. */
  readonly tokens: number;
}

/** The index of a compaction: of its rows the summary shows what fits. */
export interface RecordedIndex extends NameIndex {
  /** The last message that it has read. */
  readonly through: string | null;
  /** How many characters at the end of the summary are the index: what is before them is what the compactor wrote. */
  readonly length: number;
}

/**
 * Which messages of the log are kept, counted along its path from 1: from these come the handles by which what left can be
 * asked for [R1]. Notes of compactions without them are in the form that had no handles.
 */
export interface Ordinals {
  /** Of the first message that is kept. */
  readonly first: number;
  /** Of those that are carried, in their order; 0 where it is not known. */
  readonly carried?: readonly number[];
  /** How many messages of the conversation stood before the log, where there are any: none of them was left out of it. */
  readonly before?: number;
  /** A line says which messages were left out, and how they can be asked for. */
  readonly isTold?: boolean;
}

/** What the rungs of a fit decided, as a fact that later builds apply exactly [F8]. The last one is in force. */
export interface CompactionEntry extends EntryOf<"compaction"> {
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
  readonly names?: RecordedIndex;
  /** What is pinned, without the messages themselves: they are carried or kept [R6]. */
  readonly pins?: readonly PinEntry[];
  /** How many of the carried messages are the session's head, where their roles alone do not tell. */
  readonly head?: number;
  readonly ordinals?: Ordinals;
  /** All that the summary stands for. */
  readonly summarised?: Tally;
  /** All that is sent no more and that no summary stands for. */
  readonly dropped?: Tally;
  /** The compaction that this one takes back [F15]. */
  readonly undoes?: string;
  /** The `runtime-init` in force, carried along so that it need not be looked for. */
  readonly runtimeInit?: JsonObject;
  /** The `activation` in force, carried along likewise. */
  readonly activation?: CarriedActivation;
}

/** What a compaction carries for lorebooks: the effects in force, and how many messages lie behind it. */
interface CarriedActivation extends Pick<ActivationEntry, "sticky" | "cooldown"> {
  readonly messages?: number;
  readonly userMessages?: number;
}

/** An injection that has been given a fixed place in the history [C14]. */
export interface InjectionEntry extends EntryOf<"injection"> {
  readonly stepId: string;
  /** The message it stands before; `null` when it stands where this entry does. */
  readonly beforeEntryId: string | null;
  readonly message: ModelMessage;
}

/** What a session was started with; it stands behind the system prompt of every build [F11]. */
export interface RuntimeInitEntry extends EntryOf<"runtime-init"> {
  readonly data: JsonObject;
}

/** Which lorebook entries stay for some messages, and which stay away [K2]. The last one is in force. */
export interface ActivationEntry extends EntryOf<"activation"> {
  readonly sticky: Readonly<Record<string, RecordedEffect>>;
  readonly cooldown: Readonly<Record<string, RecordedEffect>>;
  /** With a compaction: the steps that were there, until the chat goes on. What made them come may have been cut [F8]. */
  readonly active?: {
    readonly ids: readonly string[];
    /** How many messages the chat had, and the last of them. */
    readonly messages: number;
    readonly lastId: string;
  };
}

/** It holds from one number of messages up to another. */
export interface RecordedEffect {
  readonly start: number;
  readonly end: number;
  readonly hash?: number;
  /** True keeps it although the chat has not gone on since. */
  readonly protected?: boolean;
}

/** Takes the content of an earlier entry out of every later build [M7]. */
export interface RedactEntry extends EntryOf<"redact"> {
  readonly entryId: string;
}

/** Says that a person stopped the turn that this message belongs to; builds send the message with a note [T17]. */
export interface StoppedEntry extends EntryOf<"stopped"> {
  /** The reply as far as it came, or the question where nothing was said. */
  readonly entryId: string;
}

/**
 * Keeps a message, or a sentence of one's own, in every build until it is taken back [R6]. Of those about one thing the last one
 * counts, on whatever branch it was written.
 */
export interface PinEntry extends EntryOf<"pin"> {
  /** The message that is meant, or the pin of a sentence; without it, `text` is what is pinned. */
  readonly entryId?: string;
  readonly text?: string;
  readonly by?: "person" | "model";
  /** True takes the pin of `entryId` back. */
  readonly isUndone?: boolean;
  /** The message with its group, for builds that read no further back than the compaction in force. */
  readonly carried?: readonly MessageEntry[];
  /** Which messages of the log these are, from 1. */
  readonly ordinals?: readonly number[];
}

/**
 * An application's own entry. Entries of a type that this version does not know are carried under this shape too, with
 * their own `type` in place: builds skip both, and both are written back as they were read [M2].
 */
export interface CustomEntry extends EntryOf<"custom"> {
  readonly [field: string]: unknown;
}

/** One line of a session's append-only log [M2]. */
export type SessionEntry =
  | MessageEntry
  | CompactionEntry
  | InjectionEntry
  | RuntimeInitEntry
  | ActivationEntry
  | RedactEntry
  | StoppedEntry
  | PinEntry
  | CustomEntry;
