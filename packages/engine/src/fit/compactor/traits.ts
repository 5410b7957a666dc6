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
  /** There are only ASCII characters: then a cue that is there, and a number, need no pattern. */
  plain: 4096,
} as const satisfies Record<Cue, number> & Record<string, number>;

const everything = 4095;
const sureWhenPlain = trait.open | trait.decision | trait.failure | trait.naming | trait.deferral | trait.number;
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

/** The cues of ASCII letters as a tree, to tell whether one stands where its first three letters do. */
interface CueNode {
  readonly next: Map<number, CueNode>;
  /** Cues that end here: as whole words, as the beginning of one, and anywhere. */
  words: number;
  stems: number;
  parts: number;
}
const newNode = (): CueNode => ({ next: new Map(), words: 0, stems: 0, parts: 0 });
const root = newNode();

let isFilled = false;

/** Filled with the first text: a program that summarises nothing does not pay for it. */
function fillTables(): void {
  if (isFilled) return;
  isFilled = true;
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
    for (const word of words.split(" ")) {
      mark(atWordStart, startAt(word, 0), trait[cue]);
      const isStem = word.endsWith("*");
      nodeOf(isStem ? word.slice(0, -1) : word)[isStem ? "stems" : "words"] |= trait[cue];
    }
    for (const part of parts.split(" ")) {
      nodeOf(part.toLowerCase()).parts |= trait[cue];
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

function nodeOf(cue: string): CueNode {
  let node = root;
  for (const sign of cue.replaceAll("_", " ")) {
    const code = sign.charCodeAt(0);
    const next = node.next.get(code) ?? newNode();
    node.next.set(code, next);
    node = next;
  }
  return node;
}

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

/** The cues that stand at an index, in a text of ASCII characters. */
function cuesAt(text: string, start: number, isWordStart: boolean): number {
  let found = 0;
  let index = start;
  for (let node: CueNode | undefined = root; node; index += 1) {
    found |= node.parts;
    if (isWordStart && node.words !== 0 && !isWordSign(text, index)) found |= node.words;
    if (isWordStart && node.stems !== 0 && !isWordSign(text, wordEnd(text, index))) found |= node.stems;
    const code = index < text.length ? text.charCodeAt(index) : 0;
    node = node.next.get(letterAt(text, index) > 0 ? code | 0x20 : code);
  }
  return found;
}

function wordEnd(text: string, from: number): number {
  let end = from;
  while (letterAt(text, end) > 0) end += 1;
  return end;
}

function isWordSign(text: string, index: number): boolean {
  if (index >= text.length) return false;
  const code = text.charCodeAt(index);
  return code === underscore || letterOf[code] !== 0 || byCode[code] === trait.number;
}

/**
 * The traits of a text, in one pass over its characters. A trait that is there says little: its pattern decides. Without the
 * trait the pattern cannot match, so that most patterns are never tried on most sentences. Of a plain text, cues and numbers
 * are surely there.
 */
export function traitsOf(text: string): number {
  fillTables();
  let traits = 0;
  let cues = 0;
  let before = 0;
  let isInWord = false;
  let isPlain = true;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const letter = letterOf[code] ?? 0;
    if (letter === 0) {
      traits |= byCode[code] ?? 0;
      isPlain &&= code < 0x80;
      if (code === dot && letterAt(text, index + 1) > 0) traits |= trait.suffix;
      if (code === dash && (before <= space || before >= 0x80)) traits |= trait.literal;
      isInWord = code === underscore || byCode[code] === trait.number;
    } else {
      const likely = isInWord
        ? opensPart[letter] === 1 && insideWord[startAt(text, index)]
        : atWordStart[startAt(text, index)];
      if (likely) {
        traits |= likely;
        if (isPlain) cues |= cuesAt(text, index, !isInWord);
      }
      if (code <= lastCapital) traits |= before === space ? trait.name : letterOf[before] === 0 ? 0 : trait.identifier;
      isInWord = true;
    }
    before = code;
  }
  if (!isPlain) return traits;
  return (traits & (~sureWhenPlain | trait.number)) | cues | trait.plain;
}

/** True where the traits say it without the pattern. */
export function isSure(traits: number, needs: number): boolean {
  return (traits & trait.plain) !== 0 && (needs & sureWhenPlain) !== 0;
}
