import type { ActivationSettings } from "./activation.ts";
import type { Candidate } from "./compile-keys.ts";

interface GroupInput {
  /** Those that came in this round; losers are taken out of the list. */
  readonly found: Candidate[];
  /** Groups of which one came in an earlier round. */
  readonly filled: ReadonlySet<string>;
  readonly settings: ActivationSettings;
  readonly isSticky: (candidate: Candidate) => boolean;
  readonly scoreOf: (candidate: Candidate) => number;
  /** From 0 up to 1. */
  readonly draw: (group: string) => number;
  readonly byOrder: (a: Candidate, b: Candidate) => number;
}

/** Of the entries of one group, one stays [K1]. Returns those that had to go. */
export function chooseFromGroups(input: GroupInput): ReadonlySet<Candidate> {
  const { found, filled, settings, isSticky, scoreOf, draw, byOrder } = input;
  const groups = groupsOf(found);
  const losers = new Set<Candidate>();
  const remove = (candidate: Candidate): void => {
    const index = found.indexOf(candidate);
    losers.add(candidate);
    if (index >= 0) found.splice(index, 1);
    // One that has lost already takes the last one with it.
    else if (settings.like === "sillytavern") {
      const last = found.pop();
      if (last) losers.add(last);
    }
  };
  const keepOnly = (group: readonly Candidate[], winner: Candidate | undefined): void => {
    for (const candidate of group) if (candidate !== winner) remove(candidate);
  };
  const finished = new Set<string>();
  for (const [name, group] of groups) {
    if (!group.some(isSticky)) continue;
    for (const candidate of group) if (!isSticky(candidate)) remove(candidate);
    finished.add(name);
  }
  for (const [name, group] of groups) {
    if (finished.has(name) || !(settings.groupScoring || group.some((one) => one.activation.groupScoring))) continue;
    const scores = group.map(scoreOf);
    const best = Math.max(...scores);
    const isOut = (candidate: Candidate, index: number): boolean =>
      (candidate.activation.groupScoring ?? settings.groupScoring ?? false) && (scores[index] ?? 0) < best;
    const out = group.filter(isOut);
    for (const candidate of out) remove(candidate);
    groups.set(
      name,
      group.filter((candidate) => !out.includes(candidate)),
    );
  }
  for (const [name, group] of groups) {
    if (finished.has(name)) continue;
    if (filled.has(name)) keepOnly(group, undefined);
    else if (group.length > 1) keepOnly(group, winnerOf(name, group, draw, byOrder) ?? group[0]);
  }
  return losers;
}

/** By name, in the order in which they first appear; names that are whole numbers come first. */
function groupsOf(found: readonly Candidate[]): Map<string, readonly Candidate[]> {
  const groups: Record<string, Candidate[]> = Object.create(null) as Record<string, Candidate[]>;
  for (const candidate of found) {
    for (const name of (candidate.activation.group ?? "").split(/,\s*/)) {
      if (name !== "") (groups[name] ??= []).push(candidate);
    }
  }
  return new Map(Object.entries(groups));
}

function winnerOf(
  name: string,
  group: readonly Candidate[],
  draw: GroupInput["draw"],
  byOrder: GroupInput["byOrder"],
): Candidate | undefined {
  const first = group.filter((candidate) => candidate.activation.groupOverride).sort(byOrder)[0];
  if (first) return first;
  const weights = group.map((candidate) => candidate.activation.groupWeight ?? 100);
  const wanted = draw(name) * weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  return group.find((_, index) => wanted <= (sum += weights[index] ?? 0));
}
