import { type ActivationSettings, effectKey } from "./activation.ts";
import { orderComparer } from "./entry-order.ts";
import type { ActiveReason } from "../../model/ledger.ts";
import { type CheckInput, type InactiveRule, type RoundState, decideEntry, scoreOf } from "./decide-entry.ts";
import type { Candidate, CompiledEntry, CompiledKeys } from "./compile-keys.ts";
import { chooseFromGroups } from "./choose-from-groups.ts";

/** An entry that came. */
export interface ActiveEntry {
  readonly candidate: Candidate;
  readonly text: string;
  readonly why: ActiveReason;
}

export interface RoundsInput {
  /** In the order in which they are looked at. */
  readonly sequence: readonly Candidate[];
  readonly compiled: CompiledKeys;
  readonly settings: ActivationSettings;
  readonly checks: CheckInput;
  /** What all entries together may cost. */
  readonly budget: number;
  readonly count: (text: string) => number;
  /** Fills the macros of an entry's text; asked once for each that comes, in the order in which they come. */
  readonly fill: (candidate: Candidate) => string;
  /** From 0 up to 1, by the name alone. */
  readonly draw: (name: string) => number;
  /** Why each did not come, as far as it is known. */
  readonly inactive: Map<Candidate, { rule: InactiveRule; until?: number }>;
}

type RoundKind = "first" | "recursion" | "further-back";

/** No scan needs more; entries that wake each other one by one are many already. */
const maxTotalRounds = 1000;

/** Looks at all candidates again and again, until nothing new comes [K1]. */
export function runRounds(input: RoundsInput): readonly ActiveEntry[] {
  const { sequence, settings, checks } = input;
  const { recursive = true, minActivations = 0, maxScanDepth = 0, scanDepth = 2, maxRounds = 0 } = settings;
  const limit = maxRounds > 0 ? Math.min(maxRounds, maxTotalRounds) : maxTotalRounds;
  const draft = newDraft(sequence);
  const levels = [...new Set(sequence.map(({ activation }) => activation.delayUntilRecursion ?? 0))]
    .filter((level) => level > 0)
    .sort((a, b) => a - b);
  let level = levels.shift() ?? 0;
  let skew = 0;
  let kind: RoundKind = "first";
  for (let round = 1; round <= limit; round += 1) {
    const isRecursion = kind === "recursion";
    const state: RoundState = { round, isRecursion, level, skew, readsEntries: kind !== "further-back" };
    const toRead = runRound(input, draft, state);
    let next: RoundKind | undefined;
    const mayGoOn = recursive && !draft.isFull;
    if (mayGoOn && toRead.length > 0) next = "recursion";
    else if (mayGoOn && kind === "further-back" && draft.read !== "") next = "recursion";
    else if (!draft.isFull && minActivations > 0 && draft.active.size < minActivations) {
      const depth = scanDepth + skew;
      const isOver = (maxScanDepth > 0 && depth > maxScanDepth) || depth > checks.chat.length;
      if (!isOver) {
        next = "further-back";
        skew += 1;
      }
    }
    if (!next && levels.length > 0) {
      next = "recursion";
      level = levels.shift() ?? 0;
    }
    if (!next) break;
    readTexts(input, draft, toRead);
    kind = next;
  }
  return [...draft.active.values()];
}

/** What the rounds so far have come to. */
interface Draft {
  /** Where each candidate stands in the sequence. */
  readonly position: ReadonlyMap<Candidate, number>;
  readonly active: Map<string, ActiveEntry>;
  readonly failed: Set<Candidate>;
  readonly texts: Map<Candidate, string>;
  isFull: boolean;
  /** What entries have said in earlier rounds, and what it costs at most. */
  read: string;
  readMost: number;
  /** Groups of which one has come. */
  readonly filled: Set<string>;
  /** What the round before was, what it found and what its entries said that was new. */
  before?: { readonly state: RoundState; readonly found: readonly Candidate[]; readonly news: readonly number[] };
}

function newDraft(sequence: readonly Candidate[]): Draft {
  return {
    position: new Map(sequence.map((candidate, index) => [candidate, index])),
    active: new Map(),
    failed: new Set(),
    texts: new Map(),
    isFull: false,
    read: "",
    readMost: 0,
    filled: new Set(),
  };
}

/** Looks at all candidates once, and returns those whose text is read next. */
function runRound(input: RoundsInput, draft: Draft, state: RoundState): readonly Candidate[] {
  const { isSticky } = input.checks.timing;
  const { position, filled } = draft;
  const reasons = search(input, draft, state);
  draft.before = { state, found: [...reasons.keys()], news: [] };
  const found = [...reasons.keys()].sort(
    (a, b) => Number(isSticky(b)) - Number(isSticky(a)) || (position.get(a) ?? 0) - (position.get(b) ?? 0),
  );
  const losers = chooseFromGroups({
    found,
    filled,
    settings: input.settings,
    isSticky,
    scoreOf: (candidate) => scoreOf(entryOf(candidate, input), state, input.checks.texts),
    draw: (group) => input.draw(`group ${group} ${state.round}`),
    byOrder: orderComparer(input.settings),
  });
  for (const candidate of losers) input.inactive.set(candidate, { rule: "group" });
  admit(found, reasons, input, draft, state.round);
  return found.filter((candidate) => !draft.failed.has(candidate) && !candidate.activation.preventRecursion);
}

function readTexts({ checks, budget, count }: RoundsInput, draft: Draft, candidates: readonly Candidate[]): void {
  if (candidates.length === 0) return;
  const own = candidates.map((candidate) => ({
    id: candidate.id,
    text: draft.texts.get(candidate) ?? candidate.activation.text ?? candidate.content,
  }));
  const news = checks.texts.addRecursion(own);
  if (draft.before) draft.before = { ...draft.before, news };
  if (budget !== Infinity) for (const { text } of own) draft.readMost += count(`${text}\n`) + seam;
  draft.read = `${own.map(({ text }) => text).join("\n")}\n${draft.read}`;
}

function entryOf(candidate: Candidate, { compiled }: RoundsInput): CompiledEntry {
  return compiled.entries.get(candidate) as CompiledEntry;
}

function search(input: RoundsInput, draft: Draft, state: RoundState): Map<Candidate, ActiveReason> {
  const found = new Map<Candidate, ActiveReason>();
  for (const candidate of candidatesFor(input, draft.before, state)) {
    // Two entries of one number are both looked at before either has come.
    if (draft.failed.has(candidate) || draft.active.has(effectKey(candidate))) continue;
    const checked = decideEntry(entryOf(candidate, input), state, input.checks);
    if ("why" in checked) found.set(candidate, checked.why);
    else input.inactive.set(candidate, { rule: checked.rule });
  }
  return found;
}

/**
 * All of them, or, where nothing has changed since the round before but what entries have said, those that this concerns:
 * else a chain of entries, each of which brings the next one, would cost the square of its length.
 */
function candidatesFor(
  { sequence, compiled }: RoundsInput,
  before: Draft["before"],
  { isRecursion, level, skew, readsEntries }: RoundState,
): Iterable<Candidate> {
  const last = before?.state;
  const isSame = last?.isRecursion === isRecursion && last.level === level && last.skew === skew;
  if (!before || !isSame || last.readsEntries !== readsEntries) return sequence;
  return new Set([
    ...before.found,
    ...before.news.flatMap((pattern) => compiled.watchers[pattern] ?? []),
    ...compiled.unwatched,
  ]);
}

/** By this many tokens at most, two texts together cost more than each by itself. */
const seam = 4;

/** Draws, fills in the texts, and counts them, each in its turn. */
function admit(
  found: readonly Candidate[],
  reasons: ReadonlyMap<Candidate, ActiveReason>,
  input: RoundsInput,
  draft: Draft,
  round: number,
): void {
  const { budget, count, fill, inactive } = input;
  let added = "";
  // What the texts cost at most. All of them together are counted only where that could be too much: else thousands of
  // entries would be counted thousands of times.
  let most = 0;
  const isOver = (): boolean => draft.readMost + most >= budget;
  for (const candidate of found) {
    const { ignoreBudget = false } = candidate.activation;
    if (draft.isFull && !ignoreBudget) {
      inactive.set(candidate, { rule: "budget" });
      continue;
    }
    if (!isLucky(candidate, round, input)) {
      draft.failed.add(candidate);
      inactive.set(candidate, { rule: "chance" });
      continue;
    }
    const text = fill(candidate);
    draft.texts.set(candidate, text);
    added += `${text}\n`;
    if (budget !== Infinity) most += count(`${text}\n`) + seam;
    if (!ignoreBudget && isOver()) {
      draft.readMost = countText(draft.read, count);
      most = countText(added, count);
    }
    if (!ignoreBudget && isOver()) {
      draft.isFull = true;
      inactive.set(candidate, { rule: "budget" });
      continue;
    }
    if (candidate.activation.group !== undefined) draft.filled.add(candidate.activation.group);
    draft.active.set(effectKey(candidate), { candidate, text, why: reasons.get(candidate) as ActiveReason });
  }
}

function isLucky(candidate: Candidate, round: number, { checks, draw }: RoundsInput): boolean {
  const { probability = 100 } = candidate.activation;
  if (probability === 100 || checks.timing.isSticky(candidate)) return true;
  return draw(`${effectKey(candidate)} ${round}`) * 100 <= probability;
}

/** An empty text costs nothing. */
function countText(text: string, count: (text: string) => number): number {
  return text === "" ? 0 : count(text);
}
