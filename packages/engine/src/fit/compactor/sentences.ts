import { newScan, scanSentence, traitsOf } from "./traits.ts";

/** No sentence is longer: one line shows it. */
export const longest = 240;
const [space, comma, semicolon] = [0x20, 0x2c, 0x3b] as const;

export interface Sentence {
  readonly text: string;
  /** It stands between code fences. */
  readonly isCode: boolean;
  readonly traits: number;
}

/** The head and the tail of a text that is too long to be looked at in full; a pair of surrogates is not torn. */
export function clipMiddle(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  return `${clipEnd(text, head)}\n${text.slice(safeCut(text, text.length - tail))}`;
}

/** The text, or its start where it is longer than that. */
export function clipEnd(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, safeCut(text, length));
}

/** No later than there, and not between the halves of a surrogate pair. */
export function safeCut(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc_00 && unit <= 0xdf_ff ? at - 1 : at;
}

/** On one line, without control characters and without halves of surrogate pairs, which have no UTF-8 form. */
export function cleanLine(text: string): string {
  const trimmed = text.trim();
  if (isClean(trimmed)) return trimmed;
  return trimmed
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .toWellFormed();
}

/** True for a line of plain ASCII with single spaces inside: nearly all lines are, and a look is sooner than a pattern. */
function isClean(text: string): boolean {
  let isAfterSpace = true;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code > 0x7e || (code === 0x20 && isAfterSpace)) return false;
    isAfterSpace = code === 0x20;
  }
  return !isAfterSpace;
}

/** A line of ASCII with single spaces where it had others; nothing for another one. Numbered listings have many such lines. */
function tidied(text: string): string | undefined {
  const words: string[] = [];
  let start = -1;
  for (let index = 0; index <= text.length; index += 1) {
    const code = index < text.length ? text.charCodeAt(index) : 0x20;
    if (code > 0x7e) return undefined;
    if (code > 0x20) start = start < 0 ? index : start;
    else if (start >= 0) {
      words.push(text.slice(start, index));
      start = -1;
    }
  }
  return words.join(" ");
}

/** Clean, and with a mark where it had to be shortened. */
export function shortLine(text: string, length: number): string {
  const line = cleanLine(clipEnd(text, length * 4));
  return line.length <= length ? line : `${clipEnd(line, length - 1)}…`;
}

const markerSigns = ">#*+•|-";
const listMarker = /^(?:(?:[>#*+•|-]+|\d{1,3}[.)])\s+)+/u;
// A full stop ends a sentence only before a space, so that numbers, paths and versions stay whole. Of the quotes behind it
// only some are looked back over: a line of nothing but quotes would take n² steps.
const sentenceEnd = /(?<=[.!?…]["')\]]{0,8})\s+|(?<=[。！？；][”」』）"']{0,8})(?![”」』）"'])/u;

/** Without looking back, which takes long. */
const mayEnd = /[.!?…]["')\]]{0,8}\s|[。！？；]/u;

/**
 * The sentences of a text, line by line, in languages with and without spaces. None is longer than one line can show. What
 * stands behind the last that is asked for is not looked at.
 */
export function sentencesOf(text: string, max = Infinity, startsInCode = false): Sentence[] {
  const sentences: Sentence[] = [];
  let isCode = startsInCode;
  for (let start = 0; start < text.length && sentences.length < max;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    let [from, to] = [start, end];
    while (from < to && isBlank(text.charCodeAt(from))) from += 1;
    while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
    if (isFence(text, from)) isCode = !isCode;
    else if (!addTidy(text, { from, to, isCode, max }, sentences)) {
      const line = tidied(text.slice(from, to));
      if (line === undefined) isCode = addRough(text.slice(from, to), isCode, sentences);
      else addTidy(line, { from: 0, to: line.length, isCode, max }, sentences);
    }
    start = end + 1;
  }
  return sentences;
}

function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

export function isFence(text: string, at: number): boolean {
  return text.startsWith("```", at) || text.startsWith("~~~", at);
}

interface Line {
  readonly from: number;
  readonly to: number;
  readonly isCode: boolean;
  /** Of sentences. */
  readonly max: number;
}

const scan = newScan();

/** Nearly all lines are tidy, and are read in one pass. Of another one nothing is added. */
function addTidy(text: string, { from, to, isCode, max }: Line, sentences: Sentence[]): boolean {
  const known = sentences.length;
  for (let start = behindMarkers(text, from, to); start < to && sentences.length < max;) {
    scanSentence(text, start, Math.min(to, start + longest + 1), isCode, scan);
    let { end } = scan;
    let next = end + 1;
    if (scan.isTidy && end - start > longest) {
      end = next = breakAt(text, start);
      if (text.charCodeAt(end - 1) === space) end -= 1;
      if (text.charCodeAt(next) === space) next += 1;
      scanSentence(text, start, end, true, scan);
    }
    if (!scan.isTidy) {
      sentences.length = known;
      return false;
    }
    if (scan.hasWord) sentences.push({ text: text.slice(start, end), isCode, traits: scan.traits });
    start = next;
  }
  return true;
}

/** Where a tidy sentence is cut that is too long for one line: behind a word or a comma, unless that is far. */
function breakAt(text: string, start: number): number {
  for (let at = start + longest - 1; at > start + longest / 2; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === space || code === comma || code === semicolon) return at + 1;
  }
  return start + longest;
}

/** Where a line begins behind what marks it as an item of a list, a heading or a quote. */
function behindMarkers(text: string, from: number, to: number): number {
  for (let start = from; ;) {
    let end = start;
    while (end < to && markerSigns.includes(text.charAt(end))) end += 1;
    if (end === start) {
      while (end < start + 3 && isDigit(text.charCodeAt(end))) end += 1;
      if (end === start || !".)".includes(text.charAt(end))) return start;
      end += 1;
    }
    if (end >= to || !isBlank(text.charCodeAt(end))) return start;
    while (isBlank(text.charCodeAt(end))) end += 1;
    start = end;
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Any line. Gives whether code follows. */
function addRough(text: string, isCode: boolean, sentences: Sentence[]): boolean {
  let isNowCode = isCode;
  for (const raw of text.split(/[\u2028\u2029]/u)) {
    if (/^\s*(?:```|~~~)/u.test(raw)) {
      isNowCode = !isNowCode;
      continue;
    }
    const line = cleanLine(raw).replace(listMarker, "");
    for (const sentence of isNowCode || !mayEnd.test(line) ? [line] : line.split(sentenceEnd)) {
      for (const piece of breakLong(sentence.trim())) addPiece(piece, isNowCode, sentences);
    }
  }
  return isNowCode;
}

function addPiece(text: string, isCode: boolean, sentences: Sentence[]): void {
  if (/[\p{L}\p{N}]/u.test(text)) sentences.push({ text, isCode, traits: traitsOf(text) });
}

function breakLong(sentence: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (sentence.length - from > longest) {
    const window = sentence.slice(from, from + longest);
    const last = window.search(/[\s,，、;][^\s,，、;]*$/u);
    const end = safeCut(sentence, from + (last > longest / 2 ? last + 1 : longest));
    pieces.push(sentence.slice(from, end).trim());
    from = end;
  }
  pieces.push(sentence.slice(from));
  return pieces;
}
