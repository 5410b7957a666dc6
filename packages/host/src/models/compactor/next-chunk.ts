import { cutMiddle } from "./cut-to-tokens.ts";

export interface Chunk {
  readonly transcript: string;
  /** The blocks that are left for later chunks. */
  readonly rest: readonly string[];
}

/** As many whole messages as fit. One that does not fit even alone is cut in the middle. */
export function nextChunk(blocks: readonly string[], room: number, count: (text: string) => number): Chunk {
  const taken: string[] = [];
  let left = room;
  for (const block of blocks) {
    const text = `${cutMiddle(block, room - 1, count)}\n`;
    const tokens = count(text);
    if (tokens > left && taken.length > 0) break;
    left -= tokens;
    taken.push(text);
  }
  return { transcript: taken.join("").trimEnd(), rest: blocks.slice(taken.length) };
}
