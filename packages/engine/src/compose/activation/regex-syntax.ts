import { type CodeTest, isDigit, isLineEnd, isSpace, isWordCode, variantsOf } from "./characters.ts";

/** One step of a compiled pattern. */
export type Step =
  | { readonly op: "char"; readonly has: CodeTest }
  | { readonly op: "assert"; readonly kind: Assertion }
  /** Goes on at both, relative to itself. */
  | { readonly op: "split"; readonly a: number; readonly b: number }
  | { readonly op: "jump"; readonly to: number };

export type Assertion = "start" | "end" | "word" | "not-word";

/** What the linear engine cannot run: it looks around, refers back, or is far too large. */
export class UnsupportedPattern extends Error {}

const maxSteps = 5000;

/** A pattern on its way. */
interface Reader {
  readonly source: string;
  readonly ignoresCase: boolean;
  readonly dotIsAll: boolean;
  at: number;
}

/** Reads a pattern of JavaScript that needs no memory of what it has matched. The pattern is known to be valid. */
export function compilePattern(source: string, flags: string): readonly Step[] {
  return readAlternatives({ source, at: 0, ignoresCase: flags.includes("i"), dotIsAll: flags.includes("s") });
}

function take(reader: Reader, text: string): boolean {
  if (!reader.source.startsWith(text, reader.at)) return false;
  reader.at += text.length;
  return true;
}

function peek({ source, at }: Reader): string {
  return source[at] ?? "";
}

function readAlternatives(reader: Reader): Step[] {
  const all = [readSequence(reader)];
  while (take(reader, "|")) all.push(readSequence(reader));
  // From the back, so that each knows how long what follows it is.
  let steps = all.pop() ?? [];
  for (const own of all.toReversed()) {
    const jump: Step = { op: "jump", to: steps.length + 1 };
    steps = [{ op: "split", a: 1, b: own.length + 2 } as Step].concat(own, jump, steps);
  }
  return steps;
}

function readSequence(reader: Reader): Step[] {
  const steps: Step[] = [];
  while (reader.at < reader.source.length && peek(reader) !== "|" && peek(reader) !== ")") {
    for (const step of repeated(readAtom(reader), reader)) steps.push(step);
    if (steps.length > maxSteps) throw new UnsupportedPattern("It is too large.");
  }
  return steps;
}

function repeated(steps: Step[], reader: Reader): Step[] {
  const range = readRange(reader);
  if (!range) return steps;
  take(reader, "?");
  const [min, max] = range;
  const copies = max === Infinity ? min + 1 : max;
  if (copies * (steps.length + 2) > maxSteps) throw new UnsupportedPattern("It repeats too much.");
  const all: Step[] = [];
  for (let count = 0; count < min; count += 1) all.push(...steps);
  if (max === Infinity)
    all.push({ op: "split", a: 1, b: steps.length + 2 }, ...steps, { op: "jump", to: -steps.length - 1 });
  else for (let count = min; count < max; count += 1) all.push({ op: "split", a: 1, b: steps.length + 1 }, ...steps);
  return all;
}

function readRange(reader: Reader): readonly [number, number] | undefined {
  if (take(reader, "*")) return [0, Infinity];
  if (take(reader, "+")) return [1, Infinity];
  if (take(reader, "?")) return [0, 1];
  const match = /^\{(\d+)(,?)(\d*)\}/.exec(reader.source.slice(reader.at, reader.at + 40));
  if (!match) return undefined;
  reader.at += match[0].length;
  const min = Number(match[1]);
  return [min, match[2] === "" ? min : match[3] === "" ? Infinity : Number(match[3])];
}

function readAtom(reader: Reader): Step[] {
  if (take(reader, "(")) return readGroup(reader);
  if (take(reader, "^")) return [{ op: "assert", kind: "start" }];
  if (take(reader, "$")) return [{ op: "assert", kind: "end" }];
  if (take(reader, "[")) return [charStep(readClass(reader), reader)];
  if (take(reader, ".")) return [{ op: "char", has: reader.dotIsAll ? () => true : (code) => !isLineEnd(code) }];
  if (take(reader, "\\")) {
    if (take(reader, "b")) return [{ op: "assert", kind: "word" }];
    if (take(reader, "B")) return [{ op: "assert", kind: "not-word" }];
    return [charStep(readEscape(reader), reader)];
  }
  const code = reader.source.charCodeAt(reader.at);
  reader.at += 1;
  return [charStep((own) => own === code, reader)];
}

function readGroup(reader: Reader): Step[] {
  if (take(reader, "?")) {
    const isNamed = /^<[^=!]/.test(reader.source.slice(reader.at, reader.at + 2));
    if (isNamed) reader.at = reader.source.indexOf(">", reader.at) + 1;
    else if (!take(reader, ":")) throw new UnsupportedPattern("It looks around.");
  }
  const inside = readAlternatives(reader);
  take(reader, ")");
  return inside;
}

function charStep(test: CodeTest, { ignoresCase }: Reader): Step {
  if (!ignoresCase) return { op: "char", has: test };
  return { op: "char", has: (code) => test(code) || variantsOf(code).some(test) };
}

function readClass(reader: Reader): CodeTest {
  const isNegated = take(reader, "^");
  const tests: CodeTest[] = [];
  while (reader.at < reader.source.length && !take(reader, "]")) {
    const first = readClassAtom(reader);
    const isRange = typeof first === "number" && peek(reader) === "-" && reader.source[reader.at + 1] !== "]";
    if (!isRange) {
      tests.push(typeof first === "number" ? (code) => code === first : first);
      continue;
    }
    reader.at += 1;
    const last = readClassAtom(reader);
    if (typeof last === "number") tests.push((code) => code >= first && code <= last);
    else tests.push((code) => code === first || code === 45, last);
  }
  const has: CodeTest = (code) => tests.some((test) => test(code));
  if (!isNegated) return has;
  // Case is looked at inside, so that a negated class does not let one case of a letter through.
  return reader.ignoresCase ? (code) => !has(code) && !variantsOf(code).some(has) : (code) => !has(code);
}

function readClassAtom(reader: Reader): number | CodeTest {
  if (!take(reader, "\\")) {
    reader.at += 1;
    return reader.source.charCodeAt(reader.at - 1);
  }
  if (take(reader, "b")) return 8;
  return readCode(reader) ?? readEscape(reader);
}

/** The code of an escaped character, if it stands for one. */
function readCode(reader: Reader): number | undefined {
  const match = /^(?:x([0-9a-f]{2})|u([0-9a-f]{4})|c([a-z])|0(?!\d))/i.exec(
    reader.source.slice(reader.at, reader.at + 6),
  );
  if (match) {
    reader.at += match[0].length;
    if (match[3] !== undefined) return match[3].charCodeAt(0) % 32;
    return Number.parseInt(match[1] ?? match[2] ?? "0", 16);
  }
  const letter = peek(reader);
  if (/[a-z0-9]/i.test(letter) && !"nrtvf".includes(letter)) return undefined;
  reader.at += 1;
  const control = "nrtvf".indexOf(letter);
  return control < 0 ? letter.charCodeAt(0) : [10, 13, 9, 11, 12][control];
}

function readEscape(reader: Reader): CodeTest {
  const code = readCode(reader);
  if (code !== undefined) return (own) => own === code;
  const letter = peek(reader);
  reader.at += 1;
  const test = classes[letter.toLowerCase()];
  if (test) return letter === letter.toLowerCase() ? test : (own) => !test(own);
  if (/[1-9kpPu]/.test(letter)) throw new UnsupportedPattern("It refers back, or to a property of characters.");
  return (own) => own === letter.charCodeAt(0);
}

/** By their letters; a capital one stands for all other characters. */
const classes: Readonly<Record<string, CodeTest>> = { d: isDigit, w: isWordCode, s: isSpace };
