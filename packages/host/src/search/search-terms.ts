import { type Token, fold, tokensOf } from "./search-tokens.ts";

/** Beginnings of words that have a term of their own; a longer one is looked up by the nearest shorter, and then read. */
const beginnings = [1, 2, 3, 4, 6];
/** Sets a sign or a beginning apart from a word of the same letters. */
const shortSalt = 0x5bd1e995;
/** A text that repeats a term at least this often is about it. */
const oftenFrom = 4;

/**
 * Turns tokens into the terms of one index file. A term is a hash with a salt of that file: the index holds no word, and
 * neither do the marks that FTS5 leaves between its pages when the last document with a word is gone.
 */
export class SearchTerms {
  readonly #salt: number;

  constructor(salt: number) {
    this.#salt = salt;
  }

  /** Each term of a text once: its words, pairs and single signs, and the beginnings of its words. `often` has those that it repeats. */
  ofText(text: string): { readonly all: string; readonly often: string } {
    const counts = new Map<number, number>();
    const add = (hash: number): void => void counts.set(hash, (counts.get(hash) ?? 0) + 1);
    for (const token of tokensOf(fold(text))) {
      if (token.kind !== "last") add(hashOf(token.text, this.#salt));
      for (const short of shortForms(token)) add(hashOf(short, this.#salt ^ shortSalt));
    }
    const hashes = [...counts];
    const often = hashes.filter(([, count]) => count >= oftenFrom);
    return { all: termsOf(hashes), often: termsOf(often) };
  }

  /** The term of a word or of a pair of signs. */
  whole(text: string): string {
    return termOf(hashOf(text, this.#salt));
  }

  /** The term of a single sign or of the beginning of a word. */
  short(text: string): string {
    return termOf(hashOf(text, this.#salt ^ shortSalt));
  }

  /** The term under which the words that begin so are found, together with some that begin alike. */
  beginning(word: string): string {
    const length = beginnings.findLast((count) => count <= word.length) ?? 1;
    return this.short(beginningOf(word, length));
  }
}

function shortForms({ kind, text }: Token): string[] {
  if (kind !== "word") return [String.fromCodePoint(text.codePointAt(0) ?? 0)];
  return beginnings.filter((count) => count < text.length).map((count) => beginningOf(text, count));
}

function beginningOf(word: string, length: number): string {
  const isSplit = (word.charCodeAt(length) & 0xfc00) === 0xdc00;
  return word.slice(0, isSplit ? length + 1 : length);
}

/** Forty bits; where two words meet in one hash, the text itself decides. */
function hashOf(text: string, salt: number): number {
  let high = 0xdeadbeef ^ salt;
  let low = 0x41c6ce57 ^ salt;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (high >>> 12) * 2 ** 20 + (low >>> 12);
}

function termsOf(hashes: readonly (readonly [hash: number, count: number])[]): string {
  return hashes.map(([hash]) => termOf(hash)).join(" ");
}

// Turning large numbers into letters takes longer than everything else here, unless it is looked up.
const pairs = Array.from({ length: 1024 }, (_, value) => value.toString(32).padStart(2, "0"));

function termOf(hash: number): string {
  const high = Math.floor(hash / 2 ** 20);
  const low = hash % 2 ** 20;
  return `${pairs[high >>> 10]}${pairs[high & 1023]}${pairs[low >>> 10]}${pairs[low & 1023]}`;
}
