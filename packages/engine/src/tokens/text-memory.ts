import type { Tokenizer } from "./tokenizer.ts";

/** Half of what is remembered at most, in characters, of each tokenizer's texts. */
const generation = 4_000_000;
/** Counting a shorter text takes about as long as looking it up. */
const shortest = 16;

interface Memory {
  recent: Map<string, number>;
  older: Map<string, number>;
  characters: number;
}

// By tokenizer, so that whoever counts with the same one knows what another has counted. The key is the text itself: two
// texts are never taken for each other. It holds nothing that counting would not give again.
const memories = new WeakMap<Tokenizer, Memory>();

/** Counts each text once, also when it comes back from disk as another object; what was not asked for lately is forgotten. */
export function textMemory(tokenizer: Tokenizer, count: (text: string) => number): (text: string) => number {
  const memory = memories.get(tokenizer) ?? { recent: new Map(), older: new Map(), characters: 0 };
  memories.set(tokenizer, memory);
  return (text) => {
    if (text.length < shortest) return count(text);
    const known = memory.recent.get(text);
    if (known !== undefined) return known;
    const tokens = memory.older.get(text) ?? count(text);
    remember(memory, text, tokens);
    return tokens;
  };
}

function remember(memory: Memory, text: string, tokens: number): void {
  if (text.length > generation / 4) return;
  if (memory.characters + text.length > generation) {
    memory.older = memory.recent;
    memory.recent = new Map();
    memory.characters = 0;
  }
  memory.characters += text.length;
  memory.recent.set(text, tokens);
}
