import type { VariableLookup } from "./placeholders.ts";
import {
  type MacroCall,
  type MacroContext,
  type QuotedChat,
  isTruthy,
  runMacro,
  trimMark,
} from "./tavern-macro-library.ts";

export interface MacroSources {
  /** Names, card texts and whatever else has a value; keys in lower case are found in any case. */
  readonly lookup: VariableLookup;
  /** ISO 8601 with an offset, for the macros that tell the time. */
  readonly now?: string | undefined;
  /** For the macros that quote the chat. */
  readonly chat?: QuotedChat | undefined;
  /** Two expanders with one seed draw the same. */
  readonly seed?: string | undefined;
}

/** Expands the macros of a text; unknown ones stay as they are and are handed to `onUnknown`. */
export type MacroExpander = (text: string, onUnknown: (name: string) => void) => string;

// Values may hold macros again. These bounds let every real card through and stop those that would grow without end.
const maxMacros = 50_000;
const maxCharacters = 4_000_000;
const maxNested = 100;
/** No name of a value is longer; what is longer is not looked up, for it may be megabytes. */
const maxNameLength = 1000;

/**
 * SillyTavern's macros as far as they need no live interface [C10]. Variables that one text sets are seen by the texts
 * that are expanded after it. Chance comes from the seed, so that the same calls draw the same.
 */
export function tavernMacros(sources: MacroSources): MacroExpander {
  const context: MacroContext = {
    ...sources,
    variables: { local: new Map(), global: new Map() },
    seed: sources.seed ?? sources.now ?? "",
    draws: { count: 0 },
  };
  return (text, onUnknown) => {
    if (!text.includes("{{")) return text;
    const run: Run = {
      context,
      onUnknown,
      budget: { marks: 4 * maxMacros, macros: maxMacros, characters: maxCharacters },
    };
    return applyTrim(expand(text, run, new Set()));
  };
}

interface Run {
  readonly context: MacroContext;
  readonly onUnknown: (name: string) => void;
  readonly budget: { marks: number; macros: number; characters: number };
}

/** A part of the text that is still open: the text itself, a macro's inside, or a branch of an `{{if}}`. */
interface Frame {
  readonly kind: "text" | "macro" | "if";
  out: string;
  /** Of an `{{if}}`: whether what stands here is wanted. */
  isTaken: boolean;
  /** Of an `{{if}}`: how it was written, for when it is never closed. */
  readonly head: string;
}

/** From the innermost macro outwards, in one pass and without recursion over the text. */
function expand(text: string, run: Run, active: ReadonlySet<string>): string {
  const root: Frame = { kind: "text", out: "", isTaken: true, head: "" };
  const stack = [root];
  const top = (): Frame => stack.at(-1) ?? root;
  let from = 0;
  const lastClose = text.lastIndexOf("}}");
  for (const { 0: mark, index } of text.matchAll(/\{\{|\}\}/g)) {
    // What is never closed is text, and so is all that comes when too much has been read.
    if (index > lastClose || run.budget.marks-- <= 0) break;
    top().out += text.slice(from, index);
    from = index + 2;
    if (mark === "{{" && stack.length < maxNested) stack.push({ kind: "macro", out: "", isTaken: true, head: "" });
    else if (mark === "}}" && top().kind === "macro") closeMacro(stack, top().out, run, active, index);
    else top().out += mark;
  }
  top().out += text.slice(from);
  while (stack.length > 1) {
    const frame = stack.pop() as Frame;
    top().out += (frame.kind === "macro" ? "{{" : frame.head) + frame.out;
    if (frame.kind === "if") run.onUnknown("if");
  }
  return root.out;
}

function closeMacro(stack: Frame[], inner: string, run: Run, active: ReadonlySet<string>, index: number): void {
  stack.pop();
  const parent = stack.at(-1) as Frame;
  const name = inner.length < maxNameLength ? inner.trim().toLowerCase() : "";
  if (parent.kind === "if" && name === "/if") {
    stack.pop();
    (stack.at(-1) as Frame).out += parent.isTaken ? parent.out : "";
    return;
  }
  if (parent.kind === "if" && name === "else") {
    // What was wanted so far is kept by a frame of its own, so that the other branch can be thrown away.
    const before = parent.isTaken ? parent.out : "";
    const isWanted = !parent.isTaken && !stack.slice(0, -1).some((frame) => !frame.isTaken);
    stack.pop();
    (stack.at(-1) as Frame).out += before;
    stack.push({ ...parent, out: "", isTaken: isWanted });
    return;
  }
  const isWanted = stack.every((frame) => frame.isTaken);
  const whole = inner.trim();
  if (/^if\s/i.test(whole) && !whole.includes(":")) {
    const isTaken = isWanted && isTruthy(whole.slice(2).trim(), run.context);
    stack.push({ kind: "if", out: "", isTaken, head: `{{${inner}}}` });
    return;
  }
  parent.out += isWanted ? evaluate(inner, run, active, index) : "";
}

function evaluate(inner: string, run: Run, active: ReadonlySet<string>, index: number): string {
  const { budget, context, onUnknown } = run;
  const whole = inner.trim();
  if (whole.startsWith("//")) return "";
  budget.macros -= 1;
  const isAffordable = budget.macros >= 0 && inner.length <= budget.characters;
  const call = readCall(whole, index);
  const value = isAffordable ? runMacro(call, context) : undefined;
  if (value !== undefined) return spend(value, run) ? value : unknown(inner, onUnknown);
  const isOutlet = call.name === "outlet";
  const name = isOutlet ? `outlet::${(call.args[0] ?? "").trim()}` : whole;
  if (!isAffordable || name.length > maxNameLength) return unknown(inner, onUnknown);
  const key = name.toLowerCase();
  const isRefused = active.has(key) || active.size >= maxNested;
  // An outlet that nothing fills is empty.
  const text = isRefused ? undefined : (context.lookup(name) ?? (isOutlet ? "" : undefined));
  // A text costs when it is read as well: it may be long and come to nothing, a thousand times.
  if (text === undefined || !spend(text, run)) return unknown(inner, onUnknown);
  if (!text.includes("{{")) return text;
  const expanded = expand(text, run, new Set(active).add(key));
  return spend(expanded, run) ? expanded : unknown(inner, onUnknown);
}

/** The macro as it stood. */
function unknown(inner: string, onUnknown: Run["onUnknown"]): string {
  onUnknown(inner.trim());
  return `{{${inner}}}`;
}

/** False when there would be too much text. */
function spend(value: string, { budget }: Run): boolean {
  if (value.length > budget.characters) return false;
  budget.characters -= value.length;
  return true;
}

/** `name::a::b`, `name:a`, `name a`. */
function readCall(whole: string, index: number): MacroCall {
  const name = /^[\w/]+/.exec(whole)?.[0] ?? "";
  const rest = whole.slice(name.length);
  const call = { name: name.toLowerCase(), index };
  if (rest === "") return { ...call, args: [], isList: false };
  if (rest.startsWith("::")) return { ...call, args: rest.slice(2).split("::"), isList: true };
  if (rest.startsWith(":")) return { ...call, args: [rest.slice(1)], isList: false };
  return /^\s/.test(rest)
    ? { ...call, args: [rest.trim()], isList: false }
    : { ...call, name: "", args: [], isList: false };
}

/** `{{trim}}` takes the line breaks around it away. */
function applyTrim(text: string): string {
  if (!text.includes(trimMark)) return text;
  const pieces = text.split(trimMark);
  return pieces
    .map((piece, index) => {
      let from = 0;
      let to = piece.length;
      if (index > 0) while (from < to && isBreak(piece, from)) from += 1;
      if (index < pieces.length - 1) while (to > from && isBreak(piece, to - 1)) to -= 1;
      return piece.slice(from, to);
    })
    .join("");
}

function isBreak(text: string, index: number): boolean {
  return text[index] === "\n" || text[index] === "\r";
}
