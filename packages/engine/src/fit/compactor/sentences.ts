const longest = 240;

export interface Sentence {
  readonly text: string;
  /** It stands between code fences. */
  readonly isCode: boolean;
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

function safeCut(text: string, at: number): number {
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

/** Clean, and with a mark where it had to be shortened. */
export function shortLine(text: string, length: number): string {
  const line = cleanLine(clipEnd(text, length * 4));
  return line.length <= length ? line : `${clipEnd(line, length - 1)}…`;
}

const markerSigns = ">#*+•|-0123456789";
const listMarker = /^(?:(?:[>#*+•|-]+|\d{1,3}[.)])\s+)+/u;
// A full stop ends a sentence only before a space, so that numbers, paths and versions stay whole. Of the quotes behind it
// only some are looked back over: a line of nothing but quotes would take n² steps.
const sentenceEnd = /(?<=[.!?…]["')\]]{0,8})\s+|(?<=[。！？；][”」』）"']{0,8})(?![”」』）"'])/u;

/** Without looking back, which takes long. */
const mayEnd = /[.!?…]["')\]]{0,8}\s|[。！？；]/u;

/** The sentences of a text, line by line, in languages with and without spaces. None is longer than one line can show. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let isCode = false;
  for (const raw of text.split(/\r?\n|[\u2028\u2029]/u)) {
    if (/^\s*(?:```|~~~)/u.test(raw)) {
      isCode = !isCode;
      continue;
    }
    const clean = cleanLine(raw);
    const line = markerSigns.includes(clean.charAt(0)) ? clean.replace(listMarker, "") : clean;
    for (const sentence of isCode || !mayEnd.test(line) ? [line] : line.split(sentenceEnd)) {
      for (const piece of breakLong(sentence.trim())) {
        if (/[\p{L}\p{N}]/u.test(piece)) sentences.push({ text: piece, isCode });
      }
    }
  }
  return sentences;
}

function breakLong(sentence: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (sentence.length - from > longest) {
    const window = sentence.slice(from, from + longest);
    const space = window.search(/[\s,，、;][^\s,，、;]*$/u);
    const end = safeCut(sentence, from + (space > longest / 2 ? space + 1 : longest));
    pieces.push(sentence.slice(from, end).trim());
    from = end;
  }
  pieces.push(sentence.slice(from));
  return pieces;
}
