import type { VariableLookup } from "./placeholders.ts";
import {
  type MacroCall,
  type MacroContext,
  type QuotedChat,
  isTruthy,
  readShorthand,
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
  /** What every draw comes to, instead. */
  readonly fixedDraw?: number | undefined;
  /** What kind of reply is asked for. */
  readonly reply?: string | undefined;
  /** What `{{outlet::name}}` stands for; it may be filled later. */
  readonly outlets?: ReadonlyMap<string, string> | undefined;
  /** As the first version of the import had them: what it imported is built as it was then. */
  readonly isFirst?: boolean | undefined;
  /** Called when a macro tells the time, or draws by it. */
  readonly onTime?: (() => void) | undefined;
}

/** Expands the macros of a text; unknown ones stay as they are and are handed to `onUnknown`. */
export type MacroExpander = (text: string, onUnknown: (name: string) => void) => string;

const noOutlets: ReadonlyMap<string, string> = new Map();

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
  const { lookup, chat, seed, now, onTime, fixedDraw, reply, isFirst = false, outlets = noOutlets } = sources;
  const context: MacroContext = {
    lookup,
    chat,
    get now() {
      onTime?.();
      return now;
    },
    get seed() {
      return seed ?? this.now ?? "";
    },
    fixedDraw,
    reply,
    isFirst,
    outlets,
    variables: { local: new Map(), global: new Map(), deleted: new Set() },
    draws: { count: 0 },
  };
  return (text, onUnknown) => {
    if (!text.includes("{{")) return isFirst ? text : unescape(text);
    const run: Run = {
      context,
      onUnknown,
      budget: { marks: 4 * maxMacros, macros: maxMacros, characters: maxCharacters },
    };
    const expanded = applyTrim(expand(text, run, new Set()));
    return isFirst ? expanded : unescape(expanded);
  };
}

interface Run {
  readonly context: MacroContext;
  readonly onUnknown: (name: string) => void;
  readonly budget: { marks: number; macros: number; characters: number };
}

/** A part of the text that is still open: the text itself, a macro's inside, a branch of an `{{if}}`, or what a macro encloses. */
interface Frame {
  readonly kind: "text" | "macro" | "if" | "scope";
  out: string;
  /** Of an `{{if}}`: whether what stands here is wanted. */
  isTaken: boolean;
  /** Of an `{{if}}`: how it was written, for when it is never closed. */
  readonly head: string;
  /** Of a macro that encloses text: the macro. */
  readonly call?: MacroCall;
}

/** From the innermost macro outwards, in one pass and without recursion over the text. */
function expand(text: string, run: Run, active: ReadonlySet<string>): string {
  const root: Frame = { kind: "text", out: "", isTaken: true, head: "" };
  const stack = [root];
  const top = (): Frame => stack.at(-1) ?? root;
  let from = 0;
  const lastClose = text.lastIndexOf("}}");
  for (const { 0: mark, index } of text.matchAll(run.context.isFirst ? /\{\{|\}\}/g : /\{\{(?!\{)|\}\}/g)) {
    // What is never closed is text, and so is all that comes when too much has been read.
    if (index > lastClose || run.budget.marks-- <= 0) break;
    top().out += text.slice(from, index);
    from = index + 2;
    if (mark === "{{" && stack.length < maxNested) stack.push({ kind: "macro", out: "", isTaken: true, head: "" });
    else if (mark === "}}" && top().kind === "macro") closeMacro(stack, top().out, { run, active, index, text });
    else top().out += mark;
  }
  top().out += text.slice(from);
  while (stack.length > 1) {
    const frame = stack.pop() as Frame;
    top().out += (frame.kind === "macro" ? "{{" : frame.head) + frame.out;
    if (frame.kind === "if" || frame.kind === "scope") run.onUnknown(frame.call?.name ?? "if");
  }
  return root.out;
}

/** Macros that may enclose their last argument. */
const scoped = new Set(["reverse", "setvar", "addvar", "setglobalvar", "addglobalvar", "//", "trim"]);

interface Closing {
  readonly run: Run;
  readonly active: ReadonlySet<string>;
  readonly index: number;
  /** The whole text, to see whether a macro is closed further on. */
  readonly text: string;
}

function closeMacro(stack: Frame[], inner: string, { run, active, index, text }: Closing): void {
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
  if (parent.kind === "scope" && parent.call && name === `/${parent.call.name}`) {
    stack.pop();
    const call = { ...parent.call, args: [...parent.call.args, parent.out.trim()], isList: true };
    const value = call.name === "trim" ? parent.out.trim() : (runMacro(call, run.context) ?? "");
    (stack.at(-1) as Frame).out += isWanted && call.name !== "//" && spend(value, run) ? value : "";
    return;
  }
  const call = whole.length < maxNameLength && !run.context.isFirst ? readCall(whole, index) : undefined;
  if (call && scoped.has(call.name) && isClosed(text, call.name, index)) {
    stack.push({ kind: "scope", out: "", isTaken: true, head: `{{${inner}}}`, call });
    return;
  }
  parent.out += isWanted ? evaluate(inner, run, active, index) : "";
}

/** Whether `{{/name}}` follows. */
function isClosed(text: string, name: string, from: number): boolean {
  if (!text.includes("{{/", from)) return false;
  return text.slice(from).toLowerCase().includes(`{{/${name}}}`);
}

/** `\{` and `\}` stand for the braces themselves. */
function unescape(text: string): string {
  return text.includes("\\") ? text.replaceAll(/\\([{}])/g, "$1") : text;
}

function evaluate(inner: string, run: Run, active: ReadonlySet<string>, index: number): string {
  const { budget, context, onUnknown } = run;
  const whole = inner.trim();
  if (whole.startsWith("//")) return "";
  budget.macros -= 1;
  const isAffordable = budget.macros >= 0 && inner.length <= budget.characters;
  const short = context.isFirst ? undefined : readShorthand(whole);
  const call = short ? { ...short, isList: true, index } : readCall(whole, index);
  const value = isAffordable ? runMacro(call, context) : undefined;
  if (value !== undefined) return spend(value, run) ? value : unknown(inner, onUnknown);
  const name = call.name === "outlet" ? `outlet::${(call.args[0] ?? "").trim()}` : whole;
  if (!isAffordable || name.length > maxNameLength) return unknown(inner, onUnknown);
  const key = name.toLowerCase();
  const isRefused = active.has(key) || active.size >= maxNested;
  const text = isRefused ? undefined : context.lookup(name);
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
