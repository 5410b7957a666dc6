import type { MessageEntry, ShrunkPart } from "../../model/entries.ts";
import type { TokenAccount } from "../../tokens/account.ts";
import type { History } from "./history.ts";
import { outputText, shrinkParts } from "./shorten-results.ts";

interface Block {
  readonly index: number;
  readonly part: number;
  readonly length: number;
}

/** No text has longer tokens on the whole. */
const maxCharactersPerToken = 8;
/** Below this many characters at either end nothing is gained that would be worth reading. */
const minKept = 50;

/** How much of what is left of a result may go for room to spare. */
const maxSpare = 0.5;

/**
 * Shrinks the results of the newest group, the largest first, until `excess` tokens are saved [F7]. Once it is shrunk, the last
 * of them makes up to `spare` tokens of room besides.
 */
export function shrinkToFit(
  history: History,
  newestStart: number,
  { excess, spare }: { readonly excess: number; readonly spare: number },
  account: TokenAccount,
): { readonly shrunk: readonly ShrunkPart[]; readonly excess: number } {
  const kept = history.shrunk.filter(({ entryId }) => history.entries.some((entry) => entry.id === entryId));
  const shrunk = new Map(kept.map((cut) => [`${cut.entryId} ${cut.part}`, cut]));
  let left = excess;
  for (const block of blocksOf(history, newestStart)) {
    if (left <= 0) break;
    const entry = history.entries[block.index];
    if (!entry) continue;
    const handle = history.notes.handleOf(entry.id);
    const others = [...shrunk.values()].filter(({ entryId, part }) => entryId === entry.id && part !== block.part);
    const size = (keep: number): number =>
      account.countMessage(
        shrinkParts(entry.message, [...others, { entryId: entry.id, part: block.part, keep }], handle),
      );
    const whole = account.countMessage(others.length > 0 ? shrinkParts(entry.message, others, handle) : entry.message);
    const room = whole - left;
    const keep = maxKeepSize(block.length, room - Math.min(spare, Math.floor(Math.max(0, room) * maxSpare)), size);
    shrunk.set(`${entry.id} ${block.part}`, { entryId: entry.id, part: block.part, keep });
    left -= whole - size(keep);
  }
  return { shrunk: [...shrunk.values()], excess: Math.max(0, left) };
}

/** How many characters may stay at either end, so that the message costs at most `target`; the least if none does. */
function maxKeepSize(length: number, target: number, size: (keep: number) => number): number {
  let low = minKept;
  let high = Math.max(minKept, Math.floor(length / 2) - 1);
  // A text is first cut by a guess, so that a result of megabytes is not counted again and again.
  high = Math.min(high, Math.max(minKept, target * maxCharactersPerToken));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (size(middle) <= target) low = middle;
    else high = middle - 1;
  }
  return low;
}

function blocksOf(history: History, newestStart: number): Block[] {
  const blocks: Block[] = [];
  for (let index = newestStart; index < history.entries.length; index += 1) {
    const { id, message } = history.entries[index] as MessageEntry;
    const { content } = message;
    if (typeof content !== "object" || history.pinned.has(id)) continue;
    for (const [part, { type, ...rest }] of content.entries()) {
      if (type !== "tool-result" || !("output" in rest)) continue;
      const { length } = outputText(rest.output);
      if (length > 2 * minKept) blocks.push({ index, part, length });
    }
  }
  return blocks.sort((a, b) => b.length - a.length || a.index - b.index || a.part - b.part);
}
