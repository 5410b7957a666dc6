import { type Cue, cueWords } from "./cues.ts";

/** What a sentence may contain: one bit each. */
export const trait = {
  open: 1,
  decision: 2,
  failure: 4,
  naming: 8,
  deferral: 16,
  number: 32,
  slash: 64,
  suffix: 128,
  literal: 256,
  identifier: 512,
  name: 1024,
  question: 2048,
} as const satisfies Record<Cue, number> & Record<string, number>;

const everything = 4095;
const letters = 27;
const codes = 0x1_00_00;

/** By code: 1 to 26 for an ASCII letter in either case, 0 for anything else. */
const letterOf = new Uint8Array(codes);
/** By code, what a character tells wherever it stands. */
const byCode = new Uint16Array(codes);
/** By the first three letters, the cues that may begin where a word does; and those that may begin inside of one. */
const atWordStart = new Uint8Array(letters ** 3);
const insideWord = new Uint8Array(letters ** 3);
/** The letters that the latter begin with: few. */
const opensPart = new Uint8Array(letters);

const [space, dash, dot, underscore, lastCapital] = [0x20, 0x2d, 0x2e, 0x5f, 0x5a];

function fillTables(): void {
  for (let letter = 1; letter < letters; letter += 1) letterOf[letter | 0x40] = letterOf[letter | 0x60] = letter;
  // Anything may be true of foreign letters. Dashes and quotes tell nothing; Chinese, Japanese and Korean have no case.
  byCode.fill(everything, 0x80).fill(0, 0x2010, 0x2028);
  byCode.fill(trait.number | trait.question, 0x3000, 0xa000).fill(trait.number | trait.question, 0xac00, 0xd7a4);
  const signs = { "0123456789": trait.number, "/": trait.slash, "\\": trait.suffix, "`$": trait.literal };
  const more = { "_@": trait.identifier, "?": trait.question, "《「": trait.name };
  for (const [group, bit] of Object.entries({ ...signs, ...more })) {
    for (const sign of group) mark(byCode, sign.charCodeAt(0), bit);
  }
  for (const cue of Object.keys(cueWords) as Cue[]) {
    const { words, parts } = cueWords[cue];
    // One that begins with other letters needs no mark: they stand for everything.
    for (const word of words.split(" ")) mark(atWordStart, startAt(word, 0), trait[cue]);
    for (const part of parts.split(" ")) {
      const first = part.charCodeAt(0);
      if (letterOf[first] === 0) {
        mark(byCode, first, trait[cue]);
        continue;
      }
      for (const table of [atWordStart, insideWord]) mark(table, startAt(part, 0), trait[cue]);
      opensPart[letterOf[first] ?? 0] = 1;
    }
  }
}
fillTables();

function mark(table: Uint8Array | Uint16Array, at: number, bit: number): void {
  table[at] = (table[at] ?? 0) | bit;
}

/** The place in a table of the three letters from an index on. */
function startAt(text: string, index: number): number {
  return (letterAt(text, index) * letters + letterAt(text, index + 1)) * letters + letterAt(text, index + 2);
}

/** Behind the end there is none. */
function letterAt(text: string, index: number): number {
  return index < text.length ? (letterOf[text.charCodeAt(index)] ?? 0) : 0;
}

/**
 * The traits of a text, in one pass over its characters. A trait that is there says little: its pattern decides. Without the
 * trait the pattern cannot match, so that most patterns are never tried on most sentences.
 */
export function traitsOf(text: string): number {
  let traits = 0;
  let before = 0;
  let isInWord = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const letter = letterOf[code] ?? 0;
    if (letter === 0) {
      traits |= byCode[code] ?? 0;
      if (code === dot && letterAt(text, index + 1) > 0) traits |= trait.suffix;
      if (code === dash && (before <= space || before >= 0x80)) traits |= trait.literal;
      isInWord = code === underscore || byCode[code] === trait.number;
    } else {
      if (!isInWord) traits |= atWordStart[startAt(text, index)] ?? 0;
      else if (opensPart[letter] === 1) traits |= insideWord[startAt(text, index)] ?? 0;
      if (code <= lastCapital) traits |= before === space ? trait.name : letterOf[before] === 0 ? 0 : trait.identifier;
      isInWord = true;
    }
    before = code;
  }
  return traits;
}
