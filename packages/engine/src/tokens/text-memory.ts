import type { Tokenizer } from "./counters/tokenizer.ts";

/** Half of what is remembered at most, in characters, of each tokenizer's texts. */
const generation = 4_000_000;
/** Counting a shorter text takes about as long as looking it up. */
const shortest = 16;
/** How many texts that look alike are told apart; beyond that the oldest are forgotten. */
const maxAlike = 8;

interface Known {
  readonly text: string;
  readonly tokens: number;
  /** Another text that looks alike, and how many there are. */
  readonly next: Known | undefined;
  readonly alike: number;
}

/** By what texts look like at a glance. */
type Texts = Map<number, Known>;

interface Memory {
  recent: Texts;
  older: Texts;
  characters: number;
}

// By tokenizer, so that accounts with the same one share what was counted. Texts themselves are compared:
// two are never taken for each other. It holds nothing that counting would not give again.
const memories = new WeakMap<Tokenizer, Memory>();

/**
 * Counts each text once, also when it comes back from disk as another object; what was not asked for lately is forgotten. A text
 * whose count is found in another way brings that way along.
 */
export function textMemory(
  tokenizer: Tokenizer,
  countText: (text: string) => number,
): (text: string, count?: (text: string) => number) => number {
  const memory = memories.get(tokenizer) ?? { recent: new Map(), older: new Map(), characters: 0 };
  memories.set(tokenizer, memory);
  return (text, count = countText) => {
    if (text.length < shortest) return count(text);
    const look = lookOf(text);
    const alike = memory.recent.get(look);
    const known = find(alike, text);
    if (known !== undefined) return known;
    const tokens = find(memory.older.get(look), text) ?? count(text);
    if (text.length > generation / 4) return tokens;
    const isFull = memory.characters + text.length > generation;
    if (isFull) startGeneration(memory);
    memory.characters += text.length;
    const next = !isFull && alike && alike.alike < maxAlike ? alike : undefined;
    memory.recent.set(look, { text, tokens, next, alike: (next?.alike ?? 0) + 1 });
    return tokens;
  };
}

function find(alike: Known | undefined, text: string): number | undefined {
  for (let known = alike; known; known = known.next) if (known.text === text) return known.tokens;
  return undefined;
}

function startGeneration(memory: Memory): void {
  memory.older = memory.recent;
  memory.recent = new Map();
  memory.characters = 0;
}

/** A number for a text, from its length, its ends and a few places between: hashing all of it takes much longer. */
function lookOf(text: string): number {
  const { length } = text;
  const step = length >> 4;
  let look = length;
  for (let index = 0; index < 8; index += 1) {
    look = Math.imul(look ^ text.charCodeAt(index), 0x9e_37_79_b1);
    look = Math.imul(look ^ text.charCodeAt(length - 1 - index), 0x85_eb_ca_6b);
    look = Math.imul(look ^ text.charCodeAt((2 * index + 1) * step), 0x9e_37_79_b1);
  }
  return look ^ (look >>> 15);
}
