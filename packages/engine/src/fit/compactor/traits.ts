import {
  byCode,
  closes,
  cuesAt,
  ends,
  everything,
  fillTables,
  inside,
  isUntidy,
  letterAt,
  letterOf,
  likelyAt,
  likelyOfShort,
  trait,
  withLetter,
} from "./cue-tables.ts";
import { isAddress, isDrive, isEnding, isLiteral, isName, isOption, isPath, isPrompt, isSnake } from "./facts.ts";

const sureWhenPlain = everything & ~trait.question;
/** Told where their sign stands: of a plain text, the sign alone tells nothing. */
const placed = trait.slash | trait.suffix | trait.literal | trait.identifier | trait.name;

const [space, dash, dot, underscore, lastCapital] = [0x20, 0x2d, 0x2e, 0x5f, 0x5a] as const;
const [slash, backslash, backtick, dollar, ofAddress] = [0x2f, 0x5c, 0x60, 0x24, 0x40] as const;

function factAt(code: number, text: string, at: number, from: number, to: number): number {
  switch (code) {
    case slash:
      return isPath(text, at, from, to) ? trait.slash : 0;
    case dot:
      return isEnding(text, at, from, to) ? trait.suffix : 0;
    case backslash:
      return isDrive(text, at, from, to) ? trait.suffix : 0;
    case backtick:
      return isLiteral(text, at, to) ? trait.literal : 0;
    case dollar:
      return isPrompt(text, at, from, to) ? trait.literal : 0;
    case dash:
      return isOption(text, at, from, to) ? trait.literal : 0;
    case underscore:
      return isSnake(text, at, from, to) ? trait.identifier : 0;
    case ofAddress:
      return isAddress(text, at, to) ? trait.identifier : 0;
    default:
      return 0;
  }
}

/** What one pass over the characters of a sentence finds. */
export interface Scan {
  /** Where the sentence ends. */
  end: number;
  traits: number;
  /** There is a letter or digit of ASCII. */
  hasWord: boolean;
  /** Single spaces, no control characters, and nothing beyond ASCII but signs that tell nothing. */
  isTidy: boolean;
}

export const newScan = (): Scan => ({ end: 0, traits: 0, hasWord: false, isTidy: true });

const maxClosing = 8;

/**
 * Reads from one index to another, or to the end of a sentence before it unless the whole is one. A blank follows, or nothing.
 * A trait that is there says little of a text that is not plain: its pattern decides. Without the trait the pattern cannot
 * match, so that most patterns are never tried on most sentences.
 */
export function scanSentence(text: string, from: number, to: number, isWhole: boolean, found: Scan): void {
  fillTables();
  let traits = 0;
  let sure = 0;
  let before = 0;
  let three = 0;
  // How many letters stand in a row up to here; behind a digit or underscore, more.
  let run = 0;
  let isPlain = true;
  // How many quotes and brackets stand behind what may end the sentence.
  let closing = -1;
  let hasWord = false;
  let index = from;
  for (; index < to; index += 1) {
    const code = text.charCodeAt(index);
    const letter = letterOf[code] as number;
    let likely = 0;
    if (letter !== 0) {
      run += 1;
      three = withLetter(three, letter);
      likely = likelyAt(three, run);
    } else if (run > 0 && run < 3) likely = likelyOfShort(three, run);
    if (likely !== 0) {
      traits |= likely;
      if (isPlain) sure |= cuesAt(text, letter === 0 ? index - run : index - 2, run <= 3);
    }
    if (code === space) {
      if (!isWhole && closing >= 0 && closing <= maxClosing) break;
      if (before === space) traits |= isUntidy;
      run = three = 0;
      closing = -1;
    } else if (letter === 0) {
      const tells = byCode[code] ?? 0;
      traits |= tells;
      if (code >= 0x80 && (tells & isUntidy) !== 0) isPlain = false;
      if (code === dot && letterAt(text, index + 1) > 0) traits |= trait.suffix;
      if (code === dash && (before <= space || before >= 0x80)) traits |= trait.literal;
      if ((tells & placed) !== 0 || code === dot || code === dash) sure |= factAt(code, text, index, from, to);
      run = code === underscore || tells === trait.number ? inside : 0;
      three = 0;
      hasWord ||= tells === trait.number;
      closing = (tells & ends) !== 0 ? 0 : closing >= 0 && (tells & closes) !== 0 ? closing + 1 : -1;
    } else {
      if (code <= lastCapital) {
        if (before === space) {
          traits |= trait.name;
          if (isName(text, index, from, to)) sure |= trait.name;
        } else if (letterOf[before] !== 0) {
          traits |= trait.identifier;
          sure |= trait.identifier;
        }
      }
      hasWord = true;
      closing = -1;
    }
    before = code;
  }
  found.end = index;
  found.hasWord = hasWord;
  found.isTidy = (traits & isUntidy) === 0;
  found.traits = isPlain ? plainTraits(traits, sure) : traits & everything;
}

function plainTraits(traits: number, sure: number): number {
  return (traits & (trait.number | trait.question)) | sure | trait.plain;
}

/** The traits of a whole text. */
export function traitsOf(text: string): number {
  const found = newScan();
  scanSentence(text, 0, text.length, true, found);
  return found.traits;
}

/** True where the traits say it without the pattern. */
export function isSure(traits: number, needs: number): boolean {
  return (traits & trait.plain) !== 0 && (needs & sureWhenPlain) !== 0;
}
