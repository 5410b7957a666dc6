import { textCheck } from "./check/input.ts";
import type { MessagePart, ModelMessage, ToolResultOutput } from "./messages.ts";

/** What a character is inside a name; 0 ends a run. */
const [lower, upper, digit, underscore, slash, dot, joint] = [1, 2, 3, 4, 5, 6, 7] as const;

/** By ASCII code. */
const kinds = new Uint8Array(128);

function fillKinds(): void {
  kinds.fill(lower, 0x61, 0x7b).fill(upper, 0x41, 0x5b).fill(digit, 0x30, 0x3a);
  const signs = { _: underscore, "/": slash, ".": dot, "@": joint, ":": joint, "-": joint };
  for (const [sign, kind] of Object.entries(signs)) kinds[sign.charCodeAt(0)] = kind;
}
fillKinds();

/** What was read last of a run, as far as the next character may make a name of it. */
const lasts = ["other", "small letter", "1 digit", "2 digits", "dot"] as const;
/** What a run is so far: no name; one if its slash or ending is not at its edge; one for sure. */
const [plain, likely, sure] = [0, 1, 2] as const;
const states = lasts.length * 3;
/** The first states that are so, as they stand in the table. */
const [leastLikely, leastSure] = [lasts.length * 8, lasts.length * 16] as const;

/** By state and kind, the next state: one look for each character. */
const steps = new Uint8Array(states * 8);

function fillSteps(): void {
  for (let state = 0; state < states; state += 1)
    for (let kind: number = lower; kind <= joint; kind += 1) steps[state * 8 + kind] = stepFrom(state, kind) * 8;
}
fillSteps();

function stepFrom(state: number, kind: number): number {
  const last = lasts[state % lasts.length];
  const to = (next: (typeof lasts)[number], least: number): number =>
    Math.max(Math.floor(state / lasts.length), least) * lasts.length + lasts.indexOf(next);
  const behindDot = last === "dot" ? likely : plain;
  switch (kind) {
    case lower:
      return to("small letter", behindDot);
    case upper:
      return to("other", last === "small letter" ? sure : behindDot);
    case digit:
      if (last === "2 digits") return to("2 digits", sure);
      return to(last === "1 digit" ? "2 digits" : "1 digit", behindDot);
    case underscore:
      return to("other", sure);
    case slash:
      return to("other", likely);
    case dot:
      return to("dot", plain);
    default:
      return to("other", plain);
  }
}

const [minLength, maxLength] = [5, 120];
const at = 0x40;

/**
 * The names in a text [R5]: what an assistant repeats to the letter if it still knows it. Runs of 5 to 120 letters with a
 * slash, a short ending, camelCase, an underscore or three digits in a row; in Chinese, what stands in quotes or is a title.
 */
export function namesIn(text: string): ReadonlySet<string> {
  textCheck(text, "text");
  const names = new Set<string>();
  addNames(text, names);
  return names;
}

/** Where names go: a set, or what tells for itself which it has. */
interface NamesTaker {
  add(name: string): unknown;
}

/** The same, added to what takes them: one pass over the characters, because compactors and measures read whole logs. */
export function addNames(text: string, names: NamesTaker): void {
  const { length } = text;
  taken.fill("");
  let hasQuotes = false;
  for (let index = 0; index < length;) {
    const code = text.charCodeAt(index);
    if (code < 128 && kinds[code] !== 0) index = readRun(text, index, names);
    else {
      hasQuotes ||= code > 0x2000 && isQuote(code);
      index += 1;
    }
  }
  if (hasQuotes) addQuoted(text, names);
}

function isQuote(code: number): boolean {
  return code === 0x300a || code === 0x300c || code === 0x3010 || code === 0x201c;
}

/** Reads the run that begins here, and gives where it ends. A longer one is read in pieces of the most that a name has. */
function readRun(text: string, start: number, names: NamesTaker): number {
  const limit = Math.min(text.length, start + maxLength);
  let [state, end] = [0, start];
  for (; end < limit; end += 1) {
    const code = text.charCodeAt(end);
    const kind = code < 128 ? (kinds[code] as number) : 0;
    if (kind === 0) {
      const next = code >= 128 && text.charCodeAt(end - 1) === 0x2f ? behindForeignFolder(text, end, limit) : end;
      if (next === end) break;
      end = next - 1;
      continue;
    }
    state = steps[state + kind] as number;
  }
  if (state >= leastLikely && end - start >= minLength) takeRun(text, start, end, state >= leastSure, names);
  return end;
}

/** Takes a run that may be a name, without the dots, slashes and dashes around it: most are punctuation. */
function takeRun(text: string, start: number, end: number, isSure: boolean, names: NamesTaker): void {
  let [from, to] = [start, end];
  while (from < to && isEdge(text.charCodeAt(from), slash)) from += 1;
  while (to > from && isEdge(text.charCodeAt(to - 1), dot)) to -= 1;
  if (to - from < minLength) return;
  const place = glance(text, from, to);
  const before = taken[place] ?? "";
  if (before.length === to - from && text.startsWith(before, from)) return;
  const name = text.slice(from, to);
  if (!isSure && !name.includes("/") && !hasEnding(name)) return;
  taken[place] = name;
  names.add(name);
}

/** Of the text that is read, names that were taken, by what they look like at a glance: most of them come again and again. */
const taken: string[] = Array.from({ length: 256 }, () => "");

function glance(text: string, from: number, to: number): number {
  const ends = text.charCodeAt(from) * 7 + text.charCodeAt(to - 1) * 5;
  return (ends + text.charCodeAt((from + to) >> 1) * 13 + (to - from) * 31) & 255;
}

/** `src/主页.tsx`: letters of other scripts belong to a path where a slash stands before them and a slash or ending behind. */
function behindForeignFolder(text: string, from: number, limit: number): number {
  let end = from;
  while (end < limit && isForeignLetter(text.charCodeAt(end))) end += 1;
  const code = text.charCodeAt(end);
  const next = text.charCodeAt(end + 1);
  const isEnding = code === 0x2e && next < 128 && (kinds[next] === lower || kinds[next] === upper);
  return end > from && end < limit && (code === 0x2f || isEnding) ? end : from;
}

function isForeignLetter(code: number): boolean {
  return (code >= 0xc0 && code < 0x2000) || (code >= 0x3040 && code < 0xd800 && code !== 0x30fb);
}

function isEdge(code: number, least: number): boolean {
  return code < 128 && (kinds[code] as number) >= least && code !== at;
}

/** A dot with one to four letters or digits behind it, and one before. */
function hasEnding(name: string): boolean {
  const last = name.lastIndexOf(".");
  if (last < 1 || last < name.length - 5 || last === name.length - 1) return false;
  for (let index = last - 1; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    const kind = code < 128 ? (kinds[code] as number) : 0;
    if (index !== last && (kind === 0 || kind > underscore)) return false;
  }
  return true;
}

const quoted = /《([^《》\n]{2,30})》|「([^「」\n]{2,30})」|【([^【】\n]{2,30})】|“([^“”\n]{2,20})”/gu;

function addQuoted(text: string, names: NamesTaker): void {
  for (const [, title, quote, label, said] of text.matchAll(quoted)) {
    const name = title ?? quote ?? label ?? said ?? "";
    if (/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u.test(name)) names.add(name);
  }
}

/**
 * All that a message says, as text: values, never JSON, whose escapes and keys are not names. Reasoning is not among it: what
 * a model thought is not said again to the next call.
 */
export function saidIn({ content }: ModelMessage): string {
  return typeof content === "string" ? content : content.map(partText).join("\n");
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return valuesIn(part.input).join("\n");
    case "tool-result":
      return resultText(part.output);
    case "reasoning":
    case "image":
    case "file":
    case "custom":
    case "reasoning-file":
    case "tool-approval-request":
    case "tool-approval-response":
      return "";
  }
}

/** Of a picture or a file only what it is called: its bytes, as letters, would be read as names. */
function resultText(output: ToolResultOutput): string {
  if (!("value" in output)) return "";
  if (output.type !== "content") return valuesIn(output.value).join("\n");
  return valuesIn(output.value.map((part) => ("data" in part ? "filename" in part && part.filename : part))).join("\n");
}

/** Texts and numbers at any depth, without recursion: what an agent logged may be deep. */
function valuesIn(root: unknown): readonly string[] {
  if (typeof root === "string") return [root];
  const found: string[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") found.push(value);
    else if (typeof value === "number") found.push(String(value));
    else if (typeof value === "object" && value !== null && !ArrayBuffer.isView(value)) {
      for (const child of Object.values(value).reverse()) open.push(child);
    }
  }
  return found;
}
