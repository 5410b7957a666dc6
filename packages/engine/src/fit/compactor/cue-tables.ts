import { type Cue, cueWords } from "./cues.ts";

/** What a sentence may contain: one bit each. */
export const trait = {
  open: 1,
  decision: 2,
  failure: 4,
  naming: 8,
  deferral: 16,
  wish: 32,
  finding: 64,
  number: 128,
  slash: 256,
  suffix: 512,
  literal: 1024,
  identifier: 2048,
  name: 4096,
  question: 8192,
  /** Only ASCII and signs that tell nothing: then what is there needs no pattern. */
  plain: 16_384,
} as const satisfies Record<Cue, number> & Record<string, number>;

/** What a character does besides: it ends a sentence, may stand behind such an end, or has no place in a tidy line. */
export const [ends, closes, isUntidy] = [32_768, 65_536, 131_072];
/** All traits but that a text is plain. */
export const everything = 16_383;
const codes = 0x1_00_00;

/** By code: 1 to 26 for an ASCII letter in either case, 0 for anything else. */
export const letterOf = new Uint8Array(codes);
/** By code, what a character tells wherever it stands. */
export const byCode = new Uint32Array(codes);
/** By three letters, the cues that may begin with them where a word does; and inside of one. Of shorter words, zeros follow. */
const byThree = new Uint8Array(0x80_00);
const byThreeInside = new Uint8Array(0x80_00);
/** By code, what a character is to a search for failures: a letter, part of a word, telling by itself, or 0. */
const forFailures = new Uint8Array(codes);
const [ofWord, telling] = [27, 31] as const;
/** By three such in a row, where a failure may be told that begins with them. */
const mayFail = new Uint8Array(0x80_00);
const [atStart, anywhere] = [1, 2] as const;
/** More letters than a word has in which something is told by where it begins. */
export const inside = 4;

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

/** What is told where a cue ends: one of whole words, one that is the beginning of a word, and one that stands anywhere. */
interface CueEnd {
  words: number;
  stems: number;
  parts: number;
}
const newEnd = (): CueEnd => ({ words: 0, stems: 0, parts: 0 });

/** The cues of ASCII letters as a tree, from its root at 0: by node, what ends there; by node and sign, the next node or 0. */
const cueEnds: CueEnd[] = [];
const nextNodes: number[] = [];
const signCount = 32;
const [blank, quote] = [27, 28] as const;

function addNode(): number {
  for (let sign = 0; sign < signCount; sign += 1) nextNodes.push(0);
  return cueEnds.push(newEnd()) - 1;
}

/** What a character is to the tree: 0 where no cue goes on. */
function signAt(text: string, index: number): number {
  const code = index < text.length ? text.charCodeAt(index) : 0;
  if (code === space) return blank;
  return code === apostrophe || code === typedApostrophe ? quote : (letterOf[code] as number);
}

let isFilled = false;

/** Filled with the first text: a program that summarises nothing does not pay for it. */
export function fillTables(): void {
  if (isFilled) return;
  isFilled = true;
  for (let letter = 1; letter <= 26; letter += 1) letterOf[letter | 0x40] = letterOf[letter | 0x60] = letter;
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
  addNode();
  for (const cue of Object.keys(cueWords) as Cue[]) {
    const { words, parts } = cueWords[cue];
    // One that begins with other letters needs no mark: they stand for everything.
    for (const word of words.split(" ")) {
      mark(byThree, threeOf(word), trait[cue]);
      const isStem = word.endsWith("*");
      endOf(isStem ? word.slice(0, -1) : word)[isStem ? "stems" : "words"] |= trait[cue];
    }
    for (const part of parts.split(" ")) {
      endOf(part.toLowerCase()).parts |= trait[cue];
      const first = part.charCodeAt(0);
      if (letterOf[first] === 0) {
        mark(byCode, first, trait[cue]);
        continue;
      }
      for (const table of [byThree, byThreeInside]) mark(table, threeOf(part), trait[cue]);
    }
  }
  for (let code = 0; code < codes; code += 1) forFailures[code] = forFailure(code);
  for (let three = 1; three <= 0x7f_ff; three += 1) {
    if ((likelyAt(three, 3) & trait.failure) !== 0) mayFail[three] = atStart;
    if ((likelyAt(three, inside) & trait.failure) !== 0 || (three & telling) === telling) mayFail[three] = anywhere;
  }
}

function forFailure(code: number): number {
  const tells = byCode[code] as number;
  if ((tells & trait.failure) !== 0) return telling;
  return code === underscore || tells === trait.number ? ofWord : (letterOf[code] as number);
}

/** What is told where a cue ends. Those of other scripts do not occur in a plain text, and are not in the tree. */
function endOf(cue: string): CueEnd {
  const text = cue.replaceAll("_", " ");
  let node = 0;
  for (let index = 0; index < text.length; index += 1) {
    const sign = signAt(text, index);
    if (sign === 0) return newEnd();
    const at = node * signCount + sign;
    node = nextNodes[at] || (nextNodes[at] = addNode());
  }
  return cueEnds[node] as CueEnd;
}

function mark(table: Uint8Array | Uint32Array, at: number, bit: number): void {
  table[at] = (table[at] ?? 0) | bit;
}

/** The place in a table of the letters that a cue begins with: three, or as many as it has before anything else. */
function threeOf(cue: string): number {
  let three = 0;
  for (let [at, isOver] = [0, false]; at < 3; at += 1) {
    isOver ||= letterAt(cue, at) === 0;
    three = withLetter(three, isOver ? 0 : letterAt(cue, at));
  }
  return three;
}

/** The last three letters, with one more. */
export function withLetter(three: number, letter: number): number {
  return ((three << 5) | letter) & 0x7f_ff;
}

/** The cues that may have begun with these letters, the last three of as many of a word. */
export function likelyAt(three: number, run: number): number {
  return (run === 3 ? byThree[three] : byThreeInside[three]) as number;
}

/** The same of a word that has ended, and has fewer letters. */
export function likelyOfShort(three: number, run: number): number {
  return byThree[three << (5 * (3 - run))] as number;
}

/** Behind the end there is none. */
export function letterAt(text: string, index: number): number {
  return index < text.length ? (letterOf[text.charCodeAt(index)] ?? 0) : 0;
}

/** The cues that stand at an index, in a text of ASCII characters. */
export function cuesAt(text: string, start: number, isWordStart: boolean): number {
  let found = 0;
  let node = 0;
  for (let index = start; ;) {
    const sign = signAt(text, index);
    node = sign === 0 ? 0 : (nextNodes[node * signCount + sign] as number);
    if (node === 0) return found;
    index += 1;
    const { words, stems, parts } = cueEnds[node] as CueEnd;
    found |= parts;
    if (isWordStart && words !== 0 && !isWordSign(text, index)) found |= words;
    if (isWordStart && stems !== 0 && !isWordSign(text, wordEnd(text, index))) found |= stems;
  }
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
  let four = 0;
  for (let index = from; index < text.length; index += 1) {
    four = ((four << 5) | (forFailures[text.charCodeAt(index)] as number)) & 0xf_ff_ff;
    const tells = mayFail[four & 0x7f_ff] as number;
    if (tells === 0) continue;
    const isWordStart = four <= 0x7f_ff;
    if (!isWordStart && tells === atStart) continue;
    if ((four & telling) === telling) return index;
    if ((cuesAt(text, index - 2, isWordStart) & trait.failure) !== 0) return index - 2;
  }
  return -1;
}
