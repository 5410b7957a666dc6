import type { SessionEntry } from "@galley/engine";

/**
 * A log from the first entry that its compaction in force keeps. Pins from before stay, behind that one: a person may have pinned
 * something while the turn was under way that decided the compaction, and did not know of it [R6].
 */
export function keptEntries(entries: readonly SessionEntry[], first: number): readonly SessionEntry[] {
  const pins = entries.slice(0, first).filter(({ type }) => type === "pin");
  if (pins.length === 0) return first === 0 ? entries : entries.slice(first);
  return [...entries.slice(first, first + 1), ...pins, ...entries.slice(first + 1)];
}
