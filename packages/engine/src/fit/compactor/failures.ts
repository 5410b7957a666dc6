import { findFailure, trait } from "./cue-tables.ts";
import { type Sentence, clipEnd, isFence, longest, safeCut, sentencesOf } from "./sentences.ts";

const colon = 0x3a;
/** As many lines are looked at for one that tells a failure: in most, code only speaks of one. */
const looksPerLine = 2;

const codeEnd = /[{;,([]\s*$|=>/u;
const codeStart =
  /^\s*(?:\d+\s*[→|]|\S+\.\w+[:-]\d+[:-](?!\d|\s*(?:error|fatal|warning))|[+-]\s|(?:\/\/|\/?\*|#\s|@\w|<\/?\w)|(?:return|const|let|var|throw|import|def|func|fn|class|catch|except|raise|if|elif|else|for|while|try|pub|export|async|await|private|public|static|type|interface|use|case|assert|expect|describe|it|test|console|logger|print|echo|self|this)(?![\w-]))/u;
const noFailure = /(?<!\d)0 (?:errors?|fail\w*)|no (?:errors?|failures?)|\bpassed\b|successful/iu;

/** Those of the first lines in which something failed, as far as they are asked for; of a long line, those around it. */
export function* failuresIn(text: string, maxLines: number): Generator<Sentence, undefined> {
  let hasFences: boolean | undefined;
  let isCode = false;
  let lines = 0;
  let start = 0;
  for (let looks = 0; start < text.length && lines < maxLines && looks < maxLines * looksPerLine; looks += 1) {
    const found = findFailure(text, start);
    if (found < 0) return;
    // What stands between fences depends on the lines before.
    hasFences ??= text.includes("```") || text.includes("~~~");
    const first = text.lastIndexOf("\n", found) + 1;
    if (hasFences) for (let at = start; at < first; at = behindLine(text, at)) isCode = isFence(text, at) !== isCode;
    const last = lineEnd(text, found);
    if (tellsNone(text.slice(first, Math.min(last, first + longest)))) {
      start = last;
      continue;
    }
    lines += 1;
    const { told, end } = failureAt(text, { start, first, found, last });
    yield* sentencesOf(told, Infinity, isCode);
    start = end;
  }
}

/** Code that handles failures tells of none; nor does what says that there was none. */
function tellsNone(line: string): boolean {
  return codeEnd.test(line) || codeStart.test(line) || noFailure.test(line);
}

/** The sentence, of which code and good news only seem to tell a failure. */
export function withoutFalseFailure(sentence: Sentence): Sentence {
  const { text, traits } = sentence;
  return (traits & trait.failure) !== 0 && tellsNone(text)
    ? { ...sentence, traits: traits & ~trait.failure }
    : sentence;
}

interface FailedLine {
  /** Where what was not read yet begins. */
  readonly start: number;
  readonly first: number;
  readonly found: number;
  readonly last: number;
}

/** The line, or of a long one its ends where it begins with the failure, and else what stands around that. */
function failureAt(text: string, { start, first, found, last }: FailedLine): { told: string; end: number } {
  // What a colon announces belongs to it.
  const end = text.charCodeAt(last - 1) === colon && last - first < longest / 2 ? lineEnd(text, last + 1) : last;
  if (end - first <= longest) return { told: text.slice(first, end).replace("\n", " "), end };
  if (found - first < longest / 3 && last - first < longest * 4) {
    const tail = text.slice(safeCut(text, last - longest / 3), last);
    return { told: `${clipEnd(text.slice(first, last), longest / 2)}…${tail}`, end: last };
  }
  const from = Math.max(first, start, found - longest / 2);
  const to = Math.min(last, found + longest / 2);
  return { told: text.slice(from === first ? from : behindWord(text, from, found), to), end: to };
}

function lineEnd(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  return newline < 0 ? text.length : newline;
}

/** Where the next line begins, behind its blanks. */
function behindLine(text: string, at: number): number {
  let next = Math.min(text.length, lineEnd(text, at) + 1);
  while (next < text.length && text.charCodeAt(next) === 0x20) next += 1;
  return next;
}

/** Where the next word begins, if that is not behind an index. */
function behindWord(text: string, from: number, before: number): number {
  const space = text.indexOf(" ", from);
  return space < 0 || space >= before ? from : space + 1;
}
