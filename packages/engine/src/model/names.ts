import { textCheck } from "./check-input.ts";
import type { MessagePart, ModelMessage, ToolResultOutput } from "./messages.ts";

/** Bits of what a run of letters holds. */
const [lower, upper, digit, underscore, slash, dot, joint] = [1, 2, 4, 8, 16, 32, 64] as const;
const hasCamel = 128;
const hasNumber = 256;

/** By ASCII code, what a character is inside a name; 0 ends a run. */
const kinds = new Uint8Array(128);

function fillKinds(): void {
  kinds.fill(lower, 0x61, 0x7b).fill(upper, 0x41, 0x5b).fill(digit, 0x30, 0x3a);
  const signs = { _: underscore, "/": slash, ".": dot, "@": joint, ":": joint, "-": joint };
  for (const [sign, kind] of Object.entries(signs)) kinds[sign.charCodeAt(0)] = kind;
}
fillKinds();

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

/** The same, added to a set: one pass over the characters, because compactors and measures read whole logs. */
export function addNames(text: string, names: Set<string>): void {
  const { length } = text;
  let isForeign = false;
  for (let index = 0; index < length;) {
    const code = text.charCodeAt(index);
    const kind = code < 128 ? (kinds[code] as number) : 0;
    if (kind === 0) {
      isForeign ||= code > 0x2000;
      index += 1;
      continue;
    }
    const end = kind <= upper ? wordEnd(text, index + 1) : index;
    index = end > index && isEnd(text, end) ? end : readRun(text, index, names);
  }
  if (isForeign) addQuoted(text, names);
}

/** Behind the small letters from here on: with one letter before them they are a word, which most runs are. */
function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isSmall(text.charCodeAt(end))) end += 1;
  return end;
}

function isSmall(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

function isEnd(text: string, at: number): boolean {
  const code = at < text.length ? text.charCodeAt(at) : 0;
  return code >= 128 || kinds[code] === 0;
}

/** Reads the run that begins here, and gives where it ends. A longer one is read in pieces of the most that a name has. */
function readRun(text: string, start: number, names: Set<string>): number {
  const limit = Math.min(text.length, start + maxLength);
  let [holds, before, digits, end] = [0, 0, 0, start];
  for (; end < limit; end += 1) {
    const code = text.charCodeAt(end);
    const kind = code < 128 ? (kinds[code] as number) : 0;
    if (kind === 0) {
      const next = before === slash ? behindForeignFolder(text, end, limit) : end;
      if (next === end) break;
      end = next - 1;
      continue;
    }
    holds |= kind;
    digits = kind === digit ? digits + 1 : 0;
    if (digits === 3) holds |= hasNumber;
    if (kind === upper && before === lower) holds |= hasCamel;
    before = kind;
  }
  if (end - start >= minLength && (holds & (slash | dot | underscore | hasCamel | hasNumber)) !== 0) {
    const name = trimmed(text, start, end);
    if (name.length >= minLength && isName(name, holds)) names.add(name);
  }
  return end;
}

/** `src/主页.tsx`: letters of other scripts belong to a path where a slash stands before them and a slash or ending behind. */
function behindForeignFolder(text: string, from: number, limit: number): number {
  let end = from;
  while (end < limit && isForeignLetter(text.charCodeAt(end))) end += 1;
  const code = text.charCodeAt(end);
  const next = text.charCodeAt(end + 1);
  const isEnding = code === 0x2e && next < 128 && ((kinds[next] as number) & (lower | upper)) !== 0;
  return end > from && end < limit && (code === 0x2f || isEnding) ? end : from;
}

function isForeignLetter(code: number): boolean {
  return (code >= 0xc0 && code < 0x2000) || (code >= 0x3040 && code < 0xd800 && code !== 0x30fb);
}

/** Without the dots, slashes and dashes around it: most are punctuation. */
function trimmed(text: string, start: number, end: number): string {
  let [from, to] = [start, end];
  while (from < to && isEdge(text.charCodeAt(from), slash | dot | joint)) from += 1;
  while (to > from && isEdge(text.charCodeAt(to - 1), dot | joint)) to -= 1;
  return text.slice(from, to);
}

function isEdge(code: number, edges: number): boolean {
  return code < 128 && ((kinds[code] as number) & edges) !== 0 && code !== at;
}

/** What the run held at its edges does not count. */
function isName(name: string, holds: number): boolean {
  if ((holds & (underscore | hasCamel | hasNumber)) !== 0) return true;
  return ((holds & slash) !== 0 && name.includes("/")) || hasEnding(name);
}

/** A dot with one to four letters or digits behind it, and one before. */
function hasEnding(name: string): boolean {
  const last = name.lastIndexOf(".");
  if (last < 1 || last < name.length - 5 || last === name.length - 1) return false;
  for (let index = last - 1; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    if (index !== last && (code >= 128 || ((kinds[code] as number) & (lower | upper | digit | underscore)) === 0))
      return false;
  }
  return true;
}

const quoted = /《([^《》\n]{2,30})》|「([^「」\n]{2,30})」|【([^【】\n]{2,30})】|“([^“”\n]{2,20})”/gu;

function addQuoted(text: string, names: Set<string>): void {
  if (!/[《「【“]/u.test(text)) return;
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
