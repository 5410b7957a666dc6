import { anyListCheck, explain, fieldsCheck, textCheck } from "../../model/check/input.ts";
import type {
  ActivationEntry,
  CompactionEntry,
  InjectionEntry,
  MessageEntry,
  SessionEntry,
  Tally,
} from "../../model/entries.ts";
import type { Problem } from "../../model/check/errors.ts";
import type { JsonObject } from "../../model/messages.ts";
import { isMessageEntry, isSystemMessage } from "../../model/message-entry.ts";
import { type Pins, carriedMessages, pinsInForce, withoutBack } from "./pins.ts";
import { checkEntry } from "./check-entry.ts";
import { redactMessage } from "./redact-message.ts";
import { withStopNote } from "./stopped-message.ts";
import { type ViewOptions, entryOf, walkBack } from "./walk-back.ts";

/** What a session says now: the one way in which its log is read [M5]. */
export interface SessionView {
  /** The compaction in force. */
  readonly compaction: CompactionEntry | undefined;
  /** The messages that are still there in full, oldest first: what the compaction carried and kept, then all after it. */
  readonly messages: readonly MessageEntry[];
  /** Which message of the log each of them is, from 1; 0 for what stands in front, and where it is not known [R1]. */
  readonly ordinals: readonly number[];
  /** The ordinal of the first that was read from the log: carried ones stand further back. */
  readonly firstOrdinal: number;
  /** The ordinal that the next message will have. */
  readonly nextOrdinal: number;
  /** How many messages of the conversation stood before the log. */
  readonly before: number;
  /** How many of them stood before the compaction in force was made. */
  readonly earlier: number;
  /** How many of them, from the first, are the system messages that the session begins with [F6]. */
  readonly head: number;
  /** Frozen injections whose neighbour is among the messages [C14]. */
  readonly injections: readonly FrozenInjection[];
  readonly runtimeInit: JsonObject | undefined;
  /** Which entries of lorebooks stay, and which stay away [K2]. */
  readonly activation: Pick<ActivationEntry, "sticky" | "cooldown" | "active"> | undefined;
  /** What stays until it is unpinned [R6]. */
  readonly pins: Pins;
  /** Ids of the messages that stand further back than those that were read. */
  readonly carried: ReadonlySet<string>;
  /** What lies behind the compaction. */
  readonly summarised: Tally;
  readonly dropped: Tally;
  /** Messages of which nothing is left [M7]. */
  readonly redacted: readonly Vanished[];
  /** Messages whose id is taken by an entry before them; the first one counts. */
  readonly duplicates: readonly Vanished[];
  readonly problems: readonly Problem[];
  /** Where in the log the reading began; nothing when it did not follow the log without a gap. */
  readonly start: number | undefined;
}

/** A message of the log that is not among the messages of the view. */
interface Vanished {
  readonly id: string;
  /** The index of the message before which it stood. */
  readonly at: number;
}

interface FrozenInjection {
  readonly entry: InjectionEntry;
  /** The index of the message that it stands before. */
  readonly at: number;
}

const nothing: Tally = { count: 0, tokens: 0 };

/** Reads a session from its end, and no further than the compaction in force reaches [F14]. */
export function view(entries: readonly SessionEntry[], options: ViewOptions = {}): SessionView {
  try {
    return read(entries, options);
  } catch (error) {
    throw explain(error, () => {
      optionsCheck(options, "options");
      for (const list of [entries, options.added ?? []]) anyListCheck(list, "sessionEntries");
      for (const entry of [...entries, ...(options.added ?? [])]) checkEntry(entry, entries);
    });
  }
}

const optionsCheck = fieldsCheck({ leafId: textCheck, added: anyListCheck });

function read(entries: readonly SessionEntry[], options: ViewOptions): SessionView {
  const { path, isRepeat, erased, stopped, problems, isWhole, start, ...walk } = walkBack(entries, options);
  const compaction = redactCompaction(walk.compaction, erased, walk.isErasedSince);
  // Of a compaction whose first kept entry is lost, only what comes after it is there.
  const first = walk.compaction && !isWhole ? walk.compactionAt : 0;
  const { draft, add, endHead, headLength } = newDraft(entries, erased, stopped);
  const pins = pinsInForce(walk.pins, compaction, erased);
  const isOnPath = (id: string): boolean => path.some((at) => entryOf(entries, options.added ?? [], at).id === id);
  const { leading, rest, broughtBack } = carriedMessages(compaction, walk.pins, pins, isOnPath);
  for (const { entry, ordinal } of leading) add(entry, ordinal);
  if (compaction || rest.length > 0) endHead();
  for (const { entry, ordinal } of rest) add(entry, ordinal);
  const opening = ordinalAtStart(compaction, entries, path[first] ?? 0);
  let ordinal = opening;
  let before = compaction?.ordinals?.before ?? 0;
  let earlier = draft.messages.length;
  // A log that begins behind them cannot tell.
  const carried = new Set([...leading, ...rest].map(({ entry }) => entry.id));
  const frozen = (compaction?.injections ?? []).map((entry) => ({ entry, at: 0 }));
  const carriedInjections = new Set(frozen.map(({ entry }) => entry.id));
  let { runtimeInit, activation }: Partial<Pick<SessionView, "runtimeInit" | "activation">> = compaction ?? {};
  for (let index = first; index < path.length; index += 1) {
    const at = path[index] as number;
    const entry = entryOf(entries, options.added ?? [], at);
    if (index <= walk.compactionAt) earlier = draft.messages.length;
    if (isMessageEntry(entry)) {
      if (isRepeat(at) || carried.has(entry.id)) draft.duplicates.push({ id: entry.id, at: draft.messages.length });
      else add(entry, isInFront(entry, compaction) ? 0 : ordinal);
      if (isInFront(entry, compaction))
        [before, ordinal] = [entry.before, numberBehind(entry.before, compaction, opening)];
      else if (!isRepeat(at)) ordinal += 1;
    } else if (isRepeat(at) || erased.has(entry.id)) continue;
    else if (entry.type === "injection" && !carriedInjections.has(entry.id)) {
      frozen.push({ entry, at: draft.messages.length });
    } else if (entry.type === "runtime-init") runtimeInit = entry.data;
    else if (entry.type === "activation") activation = entry;
  }
  const head = headLength();
  return {
    ...draft,
    head,
    firstOrdinal: opening,
    nextOrdinal: ordinal,
    before,
    earlier: compaction ? earlier : 0,
    compaction,
    injections: liveInjections(frozen, draft.messages, head),
    runtimeInit,
    activation,
    pins,
    carried,
    ...withoutBack(
      { summarised: compaction?.summarised ?? nothing, dropped: droppedBy(compaction, entries, path[first] ?? 0) },
      broughtBack,
    ),
    problems,
    start: isWhole ? start : undefined,
  };
}

/** The messages of a view while they are collected: without what was redacted, with a note at what was stopped. */
function newDraft(entries: readonly SessionEntry[], erased: ReadonlySet<string>, stopped: ReadonlySet<string>) {
  const draft = {
    messages: [] as MessageEntry[],
    ordinals: [] as number[],
    redacted: [] as Vanished[],
    duplicates: [] as Vanished[],
  };
  // A compaction says what the head is: the log in front of what it keeps is not read [F14].
  let head = 0;
  let isHead = true;
  return {
    draft,
    headLength: () => head,
    endHead: () => void (isHead = false),
    add: (entry: MessageEntry, ordinal: number): void => {
      isHead &&= isSystemMessage(entry);
      const rest = erased.has(entry.id) ? redactEntry(entry, entries) : entry;
      if (rest) {
        draft.messages.push(stopped.has(entry.id) ? stoppedEntry(rest, entries) : rest);
        draft.ordinals.push(ordinal);
      } else draft.redacted.push({ id: entry.id, at: draft.messages.length });
      if (isHead) head = draft.messages.length;
    },
  };
}

/** What may still be sent of an entry. It is checked here, because nothing can be taken out of what is not a message. */
function redactEntry(entry: MessageEntry, entries: readonly SessionEntry[]): MessageEntry | undefined {
  checkEntry(entry, entries);
  const message = redactMessage(entry.message);
  return message && { ...entry, message };
}

/** A message of a turn that a person stopped; checked here, because a note can only be put behind a message [T17]. */
function stoppedEntry(entry: MessageEntry, entries: readonly SessionEntry[]): MessageEntry {
  checkEntry(entry, entries);
  return { ...entry, message: withStopNote(entry.message) };
}

/** A compaction without what was redacted of it: its summary, or an injection that it carries [M7]. */
function redactCompaction(
  compaction: CompactionEntry | undefined,
  erased: ReadonlySet<string>,
  isErasedSince: boolean,
): CompactionEntry | undefined {
  if (!compaction || erased.size === 0) return compaction;
  const { summary, injections, names, ...rest } = compaction;
  // An index may hold names of what was erased since: it is left out, and the next compaction reads the log again for one.
  const isStale = names !== undefined && isErasedSince;
  const told = isStale ? summary?.slice(0, summary.length - names.length) : summary;
  return {
    ...rest,
    ...(names && !isStale ? { names } : {}),
    ...(told === undefined || told === "" || erased.has(compaction.id) ? {} : { summary: told }),
    ...(injections ? { injections: injections.filter((entry) => !erased.has(entry.id)) } : {}),
  };
}

/** An injection leaves together with the message that it stands before. The head is in front of all of them [C5]. */
function liveInjections(
  frozen: readonly { readonly entry: InjectionEntry; readonly at: number }[],
  messages: readonly MessageEntry[],
  head: number,
): FrozenInjection[] {
  return frozen
    .map(({ entry, at }) => {
      const neighbour = messages.findIndex((message) => message.id === entry.beforeEntryId);
      return { entry, at: entry.beforeEntryId === null ? at : neighbour };
    })
    .filter(({ at }) => at >= 0)
    .map(({ entry, at }) => ({ entry, at: Math.max(at, head) }))
    .sort((a, b) => a.at - b.at);
}

/**
 * Whether a message takes no number, because it was put in front of the conversation. Where a compaction of an earlier version
 * gave it one, it has that one still: what was shown is replayed as it was [F8].
 */
export function isInFront(
  entry: MessageEntry,
  compaction: CompactionEntry | undefined,
): entry is MessageEntry & { readonly before: number } {
  return entry.before !== undefined && (compaction?.ordinals?.first ?? 0) <= 0;
}

/** The ordinal of the message behind those in front. A compaction without ordinals says only how many are gone. */
export function numberBehind(before: number, compaction: CompactionEntry | undefined, opening: number): number {
  return before + (compaction && !compaction.ordinals ? opening : 1);
}

/**
 * The ordinal of the first message that was read. Where a compaction of an earlier version does not say it, it is behind all
 * that is counted as gone: any number that leaves room for them will do, since handles are told from here in both directions.
 */
function ordinalAtStart(
  compaction: CompactionEntry | undefined,
  entries: readonly SessionEntry[],
  first: number,
): number {
  if (!compaction) return 1;
  const { ordinals, summarised = nothing, carried = [] } = compaction;
  return ordinals?.first ?? summarised.count + droppedBy(compaction, entries, first).count + carried.length + 1;
}

function droppedBy(compaction: CompactionEntry | undefined, entries: readonly SessionEntry[], first: number): Tally {
  return compaction?.dropped ?? (compaction ? countBehind(entries, first) : nothing);
}

/** For logs whose compactions do not say how much lies behind them. */
function countBehind(entries: readonly SessionEntry[], first: number): Tally {
  return { count: entries.slice(0, first).filter(isMessageEntry).length, tokens: 0 };
}
