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
  /** Only ASCII and signs that tell nothing: then what is there needs no pattern. */
  plain: 4096,
} as const satisfies Record<Cue, number> & Record<string, number>;

/** What a character does besides: it ends a sentence, may stand behind such an end, or has no place in a tidy line. */
export const [ends, closes, isUntidy] = [8192, 16_384, 32_768];
/** All traits but that a text is plain. */
export const everything = 4095;
const letters = 27;
const codes = 0x1_00_00;

/** By code: 1 to 26 for an ASCII letter in either case, 0 for anything else. */
export const letterOf = new Uint8Array(codes);
/** By code, what a character tells wherever it stands. */
export const byCode = new Uint16Array(codes);
/** By the first three letters, the cues that may begin where a word does; and those that may begin inside of one. */
export const atWordStart = new Uint8Array(letters ** 3);
export const insideWord = new Uint8Array(letters ** 3);
/** The letters that the latter begin with: few. */
export const opensPart = new Uint8Array(letters);

/** By three letters of ASCII, whether a cue of failure may begin with them where a word does; and inside of one. */
const byThree = new Uint8Array(0x80_00);
const byThreeInside = new Uint8Array(0x80_00);
/** More letters than a word has in which something is told by where it begins. */
const inside = 4;

const [space, apostrophe, underscore] = [0x20, 0x27, 0x5f] as const;
const typedApostrophe = 0x20_19;

/** Dashes, quotes, arrows, boxes: neither letters nor numbers nor blanks, in any script. From the first to the last. */
const quiet = [
  [0x20_10, 0x20_27],
  [0x20_30, 0x20_5e],
  [0x21_90, 0x24_5f],
  [0x25_00, 0x27_75],
  [0x27_94, 0x2b_ff],
  [0xfe_00, 0xfe_0f],
  ...Array.from("§«»°±·×÷", (sign) => [sign.charCodeAt(0), sign.charCodeAt(0)] as const),
] as const;

/** The cues of ASCII letters as a tree, to tell whether one stands where its first three letters do. */
interface CueNode {
  /** By ASCII code. */
  readonly next: CueNode[];
  /** Cues that end here: as whole words, as the beginning of one, and anywhere. */
  words: number;
  stems: number;
  parts: number;
}
const newNode = (): CueNode => ({ next: [], words: 0, stems: 0, parts: 0 });
const root = newNode();

let isFilled = false;

/** Filled with the first text: a program that summarises nothing does not pay for it. */
export function fillTables(): void {
  if (isFilled) return;
  isFilled = true;
  for (let letter = 1; letter < letters; letter += 1) letterOf[letter | 0x40] = letterOf[letter | 0x60] = letter;
  // Anything may be true of foreign letters; Chinese, Japanese and Korean have no case.
  byCode
    .fill(isUntidy, 0, space)
    .fill(isUntidy, 0x7f)
    .fill(everything | isUntidy, 0x80);
  for (const [first, last] of quiet) byCode.fill(0, first, last + 1);
  const caseless = trait.number | trait.question | isUntidy;
  byCode.fill(caseless, 0x3000, 0xa000).fill(caseless, 0xac00, 0xd7a4);
  const signs = { ".!?…": ends, "\"')]": closes };
  const facts = { "0123456789": trait.number, "/": trait.slash, "\\": trait.suffix, "`$": trait.literal };
  const more = { "_@": trait.identifier, "?": trait.question, "《「": trait.name };
  for (const [group, bit] of Object.entries({ ...signs, ...facts, ...more })) {
    for (const sign of group) mark(byCode, sign.charCodeAt(0), bit);
  }
  for (const cue of Object.keys(cueWords) as Cue[]) {
    const { words, parts } = cueWords[cue];
    // One that begins with other letters needs no mark: they stand for everything.
    for (const word of words.split(" ")) {
      mark(atWordStart, startAt(word, 0), trait[cue]);
      if (cue === "failure") byThree[threeOf(word)] = 1;
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
      if (cue === "failure") byThree[threeOf(part)] = byThreeInside[threeOf(part)] = 1;
      opensPart[letterOf[first] ?? 0] = 1;
    }
  }
}

/** Where a cue ends in the tree. Those of other scripts do not occur in a plain text, and have a node of their own. */
function nodeOf(cue: string): CueNode {
  let node = root;
  for (const sign of cue.replaceAll("_", " ")) {
    const code = sign.charCodeAt(0);
    if (code > 0x7f) return newNode();
    const next = node.next[code] ?? newNode();
    node.next[code] = next;
    node = next;
  }
  return node;
}

function mark(table: Uint8Array | Uint16Array, at: number, bit: number): void {
  table[at] = (table[at] ?? 0) | bit;
}

/** The place in a table of the three letters from an index on. */
export function startAt(text: string, index: number): number {
  return (letterAt(text, index) * letters + letterAt(text, index + 1)) * letters + letterAt(text, index + 2);
}

/** Cues of failure have three letters and more before anything else. */
function threeOf(cue: string): number {
  return (letterAt(cue, 0) << 10) | (letterAt(cue, 1) << 5) | letterAt(cue, 2);
}

/** Behind the end there is none. */
export function letterAt(text: string, index: number): number {
  return index < text.length ? (letterOf[text.charCodeAt(index)] ?? 0) : 0;
}

/** The cues that stand at an index, in a text of ASCII characters. */
export function cuesAt(text: string, start: number, isWordStart: boolean): number {
  let found = 0;
  let index = start;
  for (let node: CueNode | undefined = root; node; index += 1) {
    found |= node.parts;
    if (isWordStart && node.words !== 0 && !isWordSign(text, index)) found |= node.words;
    if (isWordStart && node.stems !== 0 && !isWordSign(text, wordEnd(text, index))) found |= node.stems;
    const sign = index < text.length ? text.charCodeAt(index) : 0;
    const code = sign === typedApostrophe ? apostrophe : sign;
    node = node.next[letterAt(text, index) > 0 ? code | 0x20 : code];
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

/** Where in a text the next cue of failure may be, from an index on; -1 where there is none. Of plain text it is surely one. */
export function findFailure(text: string, from: number): number {
  fillTables();
  let three = 0;
  // How many letters stand in a row up to here; behind a digit, more.
  let run = 0;
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const letter = letterOf[code] as number;
    if (letter === 0) {
      const tells = byCode[code] as number;
      if ((tells & trait.failure) !== 0) return index;
      run = code === underscore || tells === trait.number ? inside : 0;
      three = 0;
      continue;
    }
    run += 1;
    three = ((three << 5) | letter) & 0x7f_ff;
    const likely = run === 3 ? byThree[three] : byThreeInside[three];
    if (likely === 0 || three < 0x4_00) continue;
    const start = index - 2;
    if ((cuesAt(text, start, run === 3) & trait.failure) !== 0) return start;
  }
  return -1;
}
