import { isLineEnd, isWordCode } from "./characters.ts";
import { type Assertion, type Step, UnsupportedPattern, compilePattern } from "./regex-syntax.ts";

/** Says whether a text holds what a pattern describes, in a time that grows with the text and no faster. */
export type TextTest = (text: string) => boolean;

/** States that are remembered at one time; hostile patterns have more than memory. */
const maxStates = 2000;
/** A pattern without an end to what it repeats is tried at each character this often at most. */
const maxTries = 2000;

/**
 * A regular expression that cannot hang: run by the linear engine, or, where it looks around, by JavaScript's own if nothing in
 * it repeats without end. Nothing when it can be neither [K1].
 */
export function linearRegex(source: string, flags: string): TextTest | undefined {
  if (!flags.includes("u")) {
    try {
      return testerOf(compilePattern(source, flags), flags);
    } catch (error) {
      if (!(error instanceof UnsupportedPattern)) throw error;
    }
  }
  if (!isBounded(source)) return undefined;
  const pattern = new RegExp(source, flags.replaceAll(/[gy]/g, "") + (flags.includes("y") ? "y" : ""));
  return (text) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  };
}

/** Whether nothing repeats without end, refers back, or repeats often enough to be slow. */
function isBounded(source: string): boolean {
  const plain = source.replaceAll(/\\[^1-9k]|\[(?:\\.|[^\]\\])*\]/g, "x");
  if (/[*+]|\{\d+,\}|\\[1-9k]/.test(plain)) return false;
  let tries = 1;
  for (const [, least, most] of plain.matchAll(/\{(\d+)(?:,(\d+))?\}/g)) tries *= Number(most ?? least) + 1;
  for (const _ of plain.matchAll(/(?<!\()\?|\|/g)) tries *= 2;
  return tries <= maxTries;
}

interface State {
  readonly at: readonly number[];
  /** By the next character and what stands before: the state behind it, or the end of the search. */
  readonly next: Map<number, State | "found">;
}

const kindBefore = { start: 0, line: 1, word: 2, other: 3 } as const;

/** Runs all possibilities side by side, and remembers which set of them follows which. */
function testerOf(steps: readonly Step[], flags: string): TextTest {
  const isMultiline = flags.includes("m");
  const isSticky = flags.includes("y");
  let states = new Map<string, State>();
  const stateOf = (at: readonly number[]): State => {
    const key = at.join(",");
    const known = states.get(key);
    if (known) return known;
    if (states.size >= maxStates) states = new Map();
    const state: State = { at, next: new Map() };
    states.set(key, state);
    return state;
  };

  /** All steps that can be reached without a character; true when the end of the pattern is among them. */
  const reach = (from: readonly number[], before: number, code: number): { at: Set<number>; isFound: boolean } => {
    const at = new Set<number>();
    const open = [...from];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      if (at.has(index)) continue;
      at.add(index);
      const step = steps[index];
      if (!step) return { at, isFound: true };
      if (step.op === "jump") open.push(index + step.to);
      else if (step.op === "split") open.push(index + step.a, index + step.b);
      else if (step.op === "assert" && holds(step.kind, before, code, isMultiline)) open.push(index + 1);
    }
    return { at, isFound: false };
  };

  const follow = (state: State, before: number, code: number): State | "found" => {
    const { at, isFound } = reach(state.at, before, code);
    if (isFound) return "found";
    const next = new Set<number>(isSticky ? [] : [0]);
    for (const index of at) {
      const step = steps[index];
      if (step?.op === "char" && code >= 0 && step.has(code)) next.add(index + 1);
    }
    return stateOf([...next].sort((a, b) => a - b));
  };

  return (text) => {
    let state = stateOf([0]);
    let before: number = kindBefore.start;
    for (let index = 0; index <= text.length; index += 1) {
      const code = index < text.length ? text.charCodeAt(index) : -1;
      const edge = (code + 1) * 4 + before;
      let next = state.next.get(edge);
      if (next === undefined) {
        next = follow(state, before, code);
        state.next.set(edge, next);
      }
      if (next === "found") return true;
      state = next;
      before = isLineEnd(code) ? kindBefore.line : isWordCode(code) ? kindBefore.word : kindBefore.other;
    }
    return false;
  };
}

function holds(kind: Assertion, before: number, code: number, isMultiline: boolean): boolean {
  if (kind === "start") return before === kindBefore.start || (isMultiline && before === kindBefore.line);
  if (kind === "end") return code < 0 || (isMultiline && isLineEnd(code));
  const isEdge = (before === kindBefore.word) !== (code >= 0 && isWordCode(code));
  return isEdge === (kind === "word");
}
