import { reminderIn } from "../fit/log-names.ts";
import { anyListCheck } from "../model/check/input.ts";
import type { CompactionEntry, SessionEntry } from "../model/entries.ts";
import { checkedPath } from "./checked-path.ts";
import { lastOf } from "../model/last.ts";
import { addNames, namesIn, saidIn } from "../model/names.ts";
import { windowAfter } from "./window-after.ts";

/** A name that was gone after a compaction and used again. */
export interface LostName {
  readonly name: string;
  /** The entry in which it stood last, and which message of the conversation that is, from 1. */
  readonly stoodIn: string;
  readonly stoodAt: number;
  /** The first reply that used it again, how many messages later, and how many replies did. */
  readonly neededBy: string;
  readonly neededAt: number;
  readonly after: number;
  readonly uses: number;
}

/** What one compaction kept and lost [R4]. */
export interface CompactionLoss {
  /** The compaction entry. */
  readonly entryId: string;
  readonly ts: string | number;
  /** Who made it: an agent, or the compactor; nothing where messages were dropped without a summary. */
  readonly by: string | undefined;
  /** Names from before it that replies used again, before anything else said them. */
  readonly usedAgain: number;
  /** How many of these the window still showed. */
  readonly survived: number;
  /** The others; first those that were missed soonest and most often. */
  readonly lost: readonly LostName[];
}

/**
 * What each compaction of a session lost, Galley's own or the agent's [R4]: names that were said before it, are not in the
 * input after it, and were used again by a later reply.
 *
 * @example
 * const said = (id, role, content) => ({ id, ts: 0, type: "message", message: { role, content } });
 * const cut = { id: "c", ts: 0, type: "compaction", firstKeptEntryId: null, summary: "They looked." };
 * const log = [said("a", "user", "Look at src/hull.ts"), cut, said("b", "assistant", "I open src/hull.ts again.")];
 * lostNames(log)[0].lost[0].name; // → "src/hull.ts"
 */
export function lostNames(entries: readonly SessionEntry[]): readonly CompactionLoss[] {
  return lastOf(lostNamesSteps(entries));
}

/**
 * The same in steps, for long logs: other work can be done between any two. The last one has the answer.
 *
 * @example
 * const steps = lostNamesSteps([]);
 * let step = steps.next();
 * while (!step.done) step = steps.next();
 * step.value; // → []
 */
export function* lostNamesSteps(entries: readonly SessionEntry[]): Generator<undefined, readonly CompactionLoss[]> {
  anyListCheck(entries, "entries");
  const path = checkedPath(entries);
  const cuts = path.flatMap((entry, at) => (entry.type === "compaction" ? [at] : []));
  // What was said before the last of a thousand compactions was said before most others too, and is read once.
  const before = new Set<string>();
  const counts = [0];
  for (const { type } of path) counts.push((counts.at(-1) ?? 0) + (type === "message" ? 1 : 0));
  let read = 0;
  const losses: CompactionLoss[] = [];
  for (const [index, at] of cuts.entries()) {
    for (; read < at; read += 1) {
      addNames(entryText(path[read]), before);
      yield;
    }
    losses.push(yield* lossOf(path, { at, end: cuts[index + 1] ?? path.length, before, counts }));
  }
  return losses;
}

interface Cut {
  readonly at: number;
  /** The next one, or the end. */
  readonly end: number;
  /** The names that were said before it. */
  readonly before: ReadonlySet<string>;
  /** How many messages stand before each entry. */
  readonly counts: readonly number[];
}

function* lossOf(
  path: readonly SessionEntry[],
  { at, end, before, counts }: Cut,
): Generator<undefined, CompactionLoss> {
  const compaction = path[at] as CompactionEntry;
  const reminders = remindersAfter(path, at);
  const { summary = "", messages } = windowAfter(path.slice(0, at + 1));
  const after = [summary, ...messages.map(saidIn), ...reminders.values()].join("\n");
  const seen = new Set<string>();
  const uses = new Map<string, Omit<LostName, "name" | "stoodIn" | "stoodAt"> & { uses: number }>();
  const earlier = counts[at] ?? 0;
  let survived = 0;
  for (let index = at + 1, count = 0; index < end; index += 1) {
    const entry = path[index];
    if (entry?.type !== "message") continue;
    count += 1;
    if (reminders.has(entry)) continue;
    for (const name of namesIn(saidIn(entry.message))) {
      yield;
      const known = uses.get(name);
      if (known && entry.message.role === "assistant") known.uses += 1;
      if (seen.has(name)) continue;
      seen.add(name);
      if (entry.message.role !== "assistant" || !before.has(name)) continue;
      if (after.includes(name)) survived += 1;
      else uses.set(name, { neededBy: entry.id, neededAt: earlier + count, after: count, uses: 1 });
    }
  }
  const lost: LostName[] = [];
  for (const [name, use] of uses) lost.push({ name, ...(yield* lastWith(path, { at, counts }, name)), ...use });
  const worth = (one: LostName): number => one.uses / one.after;
  return {
    entryId: compaction.id,
    ts: compaction.ts,
    by: compaction.summarisedBy,
    usedAgain: survived + lost.length,
    survived,
    lost: lost.sort((a, b) => worth(b) - worth(a) || (a.name < b.name ? -1 : 1)),
  };
}

/** What an entry has said, itself or as a summary: a name stays needed when a compaction before this one lost it. */
function entryText(entry: SessionEntry | undefined): string {
  if (entry?.type === "message") return saidIn(entry.message);
  return entry?.type === "compaction" ? (entry.summary ?? "") : "";
}

/** What Galley reminded the agent of before its first reply [L7]: it stands in the window as the summary does. */
function remindersAfter(path: readonly SessionEntry[], at: number): ReadonlyMap<SessionEntry, string> {
  const found = new Map<SessionEntry, string>();
  for (let index = at + 1; index < path.length; index += 1) {
    const entry = path[index] as SessionEntry;
    if (entry.type === "message" && entry.message.role === "assistant") break;
    const text = reminderIn(entry);
    if (text !== undefined) found.set(entry, text);
  }
  return found;
}

function* lastWith(
  path: readonly SessionEntry[],
  { at, counts }: Pick<Cut, "at" | "counts">,
  name: string,
): Generator<undefined, Pick<LostName, "stoodIn" | "stoodAt">> {
  let index = at - 1;
  for (; index >= 0 && !entryText(path[index]).includes(name); index -= 1) yield;
  return { stoodIn: path[index]?.id ?? "", stoodAt: counts[index + 1] ?? 0 };
}
