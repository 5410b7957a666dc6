import {
  CASELESS,
  LETTER,
  LOWER,
  MARK,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
  UPPER,
  classAt,
  runEnd,
  widthOf,
} from "./character-class.ts";

/** Where the piece that starts at `start` ends. Tokens never cross the end of a piece. */
export type PieceEnd = (text: string, start: number) => number;

const LINE_FEED = 0x0a;
const BLANK = 0x20;
const QUOTE = 0x27;
const SLASH = 0x2f;

// 's 't 'm 'd 'll 've 're in either case. The rules fold case as Unicode does, and there the long s is an s.
function contractionEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) return start;
  const following = text.slice(start + 1, start + 3);
  if (/^[sdmtſ]/i.test(following)) return start + 2;
  return /^(?:ll|ve|re)/i.test(following) ? start + 3 : start;
}

function numberEnd(text: string, start: number): number {
  let end = start;
  for (let digits = 0; digits < 3; digits++) {
    const next = classAt(text, end);
    if (!(next & NUMBER)) break;
    end += widthOf(next);
  }
  return end;
}

// A blank may lead a run of symbols; the line ends after it belong to it, and in one encoding slashes among those.
// Gives `start` where there is no such run.
function symbolsEnd(text: string, start: number, trailing: number): number {
  const from = text.charCodeAt(start) === BLANK ? start + 1 : start;
  let end = runEnd(text, from, OTHER | MARK);
  if (end === from) return start;
  while (classAt(text, end) & NEWLINE || text.charCodeAt(end) === trailing) end++;
  return end;
}

// Up to the last line end if there is one; otherwise the last blank is left for the word that follows.
function spacesEnd(text: string, start: number): number {
  const end = runEnd(text, start, SPACE | NEWLINE);
  let line = end;
  while (line > start && !(classAt(text, line - 1) & NEWLINE)) line--;
  if (line > start) return line;
  return end === text.length || end === start + 1 ? end : end - 1;
}

// Capitals, then small letters, where caseless letters and marks pass as either. Without small letters the word ends at
// the last character that passes as one, and only where there is none is it all of the capitals.
function casedWordEnd(text: string, start: number): number {
  let end = start;
  let small = start;
  let next = classAt(text, end);
  for (; next & (UPPER | CASELESS | MARK); next = classAt(text, end)) {
    end += widthOf(next);
    if (!(next & UPPER)) small = end;
  }
  if (next & LOWER) return runEnd(text, end, LOWER | CASELESS | MARK);
  return small > start ? small : end;
}

/** The split of `o200k_base`: words are told apart by case, and carry their contraction. */
export const o200kPieceEnd: PieceEnd = (text, start) => {
  const first = classAt(text, start);
  if (first & NUMBER) return numberEnd(text, start);
  if (!(first & NEWLINE)) {
    const word = first & (LETTER | MARK) ? start : start + widthOf(first);
    const end = casedWordEnd(text, word);
    if (end > word) return contractionEnd(text, end);
    const symbols = symbolsEnd(text, start, SLASH);
    if (symbols > start) return symbols;
  }
  return spacesEnd(text, start);
};

/** The split of `cl100k_base`: contractions stand alone, and marks are symbols. */
export const cl100kPieceEnd: PieceEnd = (text, start) => {
  const first = classAt(text, start);
  if (first & NUMBER) return numberEnd(text, start);
  if (!(first & NEWLINE)) {
    const contraction = contractionEnd(text, start);
    if (contraction > start) return contraction;
    const word = first & LETTER ? start : start + widthOf(first);
    const end = runEnd(text, word, LETTER);
    if (end > word) return end;
    const symbols = symbolsEnd(text, start, LINE_FEED);
    if (symbols > start) return symbols;
  }
  const spaces = runEnd(text, start, SPACE | NEWLINE);
  return spaces === text.length ? spaces : spacesEnd(text, start);
};
