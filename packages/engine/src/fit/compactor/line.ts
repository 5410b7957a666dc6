/** What a line of the summary is about, in the order in which the sections are written. */
export type Section = "earlier" | "requests" | "decisions" | "facts" | "actions" | "errors" | "questions";

/** One line of the summary that may be kept or dropped. */
export interface ExtractiveLine {
  readonly section: Section;
  readonly text: string;
  /** How much would be lost without it; above zero. */
  readonly score: number;
}

/** Equal for lines that say the same, also where different people say it. */
function keyOf({ text }: ExtractiveLine): string {
  const said = text.replace(/^(?:user|assistant): /u, "").toLowerCase();
  return said.replace(/[^\p{L}\p{N}]+/gu, " ").trim() || said;
}

/** Each thing once, at its newest place and with its highest score. Lines come in and go out oldest first. */
export function dedupeLines(lines: readonly ExtractiveLine[]): ExtractiveLine[] {
  const byKey = new Map<string, ExtractiveLine>();
  for (const line of lines.toReversed()) {
    const key = keyOf(line);
    const newer = byKey.get(key);
    if (!newer || line.score > newer.score) byKey.set(key, line);
  }
  return [...byKey.values()].reverse();
}
