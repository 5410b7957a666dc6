/** How a message that left the window is asked for: the mark, and which message of the log it is [R1]. */
const mark = "§";

/**
 * `§12`, or `§12–§40` for all from the first to the last. Two or three tokens. With a tag, which says of which log outside of
 * Galley: `§k7qf2m-12`, `§k7qf2m-12–40` [L7].
 */
export function handleOf(first: number, last = first, tag?: string): string {
  if (tag !== undefined) return `${mark}${tag}-${first}${first === last ? "" : `–${last}`}`;
  return first === last ? `${mark}${first}` : `${mark}${first}–${mark}${last}`;
}

/** What a handle stands for. */
export interface HandleRange {
  readonly first: number;
  readonly last: number;
  /** The character of the first message at which a page goes on. */
  readonly from: number;
}

const handle = /^[§#]?(\d{1,9})(?:@(\d{1,9}))?(?:(?:[-–—]|\.\.)[§#]?(\d{1,9}))?$/u;

/** Nothing where a text is not a handle. Models write ranges in several ways. */
export function parseHandle(text: string): HandleRange | undefined {
  const [, from, offset = "0", to] = handle.exec(text.replace(/\s+/g, "").replace(/to/i, "–")) ?? [];
  if (from === undefined) return undefined;
  const [first, last] = [Number(from), Number(to ?? from)];
  return first <= last ? { first, last, from: Number(offset) } : { first: last, last: first, from: 0 };
}

/** The handle of what follows a page: `§12@4000–§40`. */
export function nextHandle({ first, last, from }: HandleRange, tag?: string): string {
  const start = `${handleOf(first, first, tag)}${from > 0 ? `@${from}` : ""}`;
  return `${start}${last > first ? `–${tag === undefined ? mark : ""}${last}` : ""}`;
}

/** The tool by which a model asks for what left its window [R2]. What it gave is in the log already, at its own place. */
export const recallToolName = "context_recall";

/** Whether a call is one of it: programs put the name of the server in front (`mcp__galley__context_recall`). */
export function isRecallTool(name: string): boolean {
  return name === recallToolName || name.endsWith(`__${recallToolName}`);
}
