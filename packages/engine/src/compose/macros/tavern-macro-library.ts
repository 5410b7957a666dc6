import type { VariableLookup } from "./placeholders.ts";

/** One macro with its arguments, already expanded. */
export interface MacroCall {
  /** In lower case. */
  readonly name: string;
  readonly args: readonly string[];
  /** True when the arguments were written with `::`. */
  readonly isList: boolean;
  /** Where in its text it stands, so that two equal macros draw apart. */
  readonly index: number;
}

/** The messages that a macro may quote, oldest first. Lists are one; others may look a message up when it is quoted. */
export interface QuotedChat {
  readonly length: number;
  at(index: number): { readonly role: string; readonly text: string } | undefined;
}

export interface MacroContext {
  readonly lookup: VariableLookup;
  readonly now?: string | undefined;
  readonly chat?: QuotedChat | undefined;
  readonly seed: string;
  readonly draws: { count: number };
  readonly variables: { readonly local: Map<string, string>; readonly global: Map<string, string> };
}

/** Stands in an expanded text where `{{trim}}` stood. */
export const trimMark = "\u0000trim\u0000";

const maxRepeats = 1000;

/** What a macro stands for, or nothing when it is not one of SillyTavern's own or cannot be known here. */
export function runMacro(call: MacroCall, context: MacroContext): string | undefined {
  const [first = ""] = call.args;
  switch (call.name) {
    case "noop":
      return "";
    case "trim":
      return trimMark;
    case "newline":
      return "\n".repeat(repeats(first));
    case "space":
      return " ".repeat(repeats(first));
    case "reverse":
      return Array.from(call.args.join("::")).toReversed().join("");
    case "charifnotgroup":
    case "group":
      return context.lookup(call.name) ?? context.lookup("char");
    case "if":
      return isTruthy(first, context) ? (call.args[1] ?? "") : (call.args[2] ?? "");
    case "random":
      return choose(call, draw(`${context.seed} ${(context.draws.count += 1)}`));
    case "pick":
      return choose(call, draw(`${call.args.join("::")} ${call.index}`));
    case "roll":
      return roll(first, context);
    default:
      return runVariable(call, context) ?? runTime(call.name, context.now) ?? runChat(call.name, context.chat);
  }
}

/** Whether an `{{if}}` takes its first branch. The condition is a value, or the name of something that has one. */
export function isTruthy(condition: string, context: MacroContext): boolean {
  const isNegated = condition.trim().startsWith("!");
  const name = condition.trim().replace(/^!\s*/, "");
  const value = /^\w+$/.test(name) ? (context.variables.local.get(name) ?? context.lookup(name) ?? name) : name;
  return isYes(value) !== isNegated;
}

/** A text may be asked about many times, so that of a long one only the start is read. */
function isYes(value: string): boolean {
  const start = value.slice(0, 10_000).trim();
  if (value.length > 10_000) return start !== "";
  return !["", "0", "false", "off", "no", "null", "undefined"].includes(
    start.length < 10 ? start.toLowerCase() : start,
  );
}

function repeats(text: string): number {
  const count = Number.parseInt(text, 10);
  return Number.isNaN(count) ? 1 : Math.min(Math.max(count, 0), maxRepeats);
}

function choose({ args, isList }: MacroCall, chance: number): string {
  const [only = ""] = args;
  const items = isList && args.length > 1 ? args : only.split(/(?<!\\),/).map((item) => item.replaceAll("\\,", ","));
  return (items[Math.floor(chance * items.length)] ?? "").trim();
}

function roll(formula: string, context: MacroContext): string {
  const match = /^(\d{0,3})d?(\d{1,6})([+-]\d{1,6})?$/i.exec(
    /^\d+$/.test(formula.trim()) ? `d${formula.trim()}` : formula.trim(),
  );
  if (!match) return "";
  let sum = Number(match[3] ?? 0);
  for (let index = Number(match[1] || 1); index > 0; index -= 1) {
    sum += 1 + Math.floor(draw(`${context.seed} ${(context.draws.count += 1)}`) * Number(match[2]));
  }
  return String(sum);
}

/** From 0 up to 1, by the text alone: FNV-1a, then mixed so that near texts draw far apart. */
function draw(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_00_00_00_00;
}

function runVariable({ name, args }: MacroCall, { variables }: MacroContext): string | undefined {
  const match = /^(set|get|add|inc|dec|has|delete)(global)?var$/.exec(name);
  if (!match) return undefined;
  const own = match[2] ? variables.global : variables.local;
  const key = (args[0] ?? "").trim();
  const value = args.slice(1).join("::");
  const before = own.get(key) ?? "";
  switch (match[1] ?? "") {
    case "get":
      return before;
    case "has":
      return String(own.has(key));
    case "set":
      own.set(key, value);
      return "";
    case "delete":
      own.delete(key);
      return "";
    case "add":
      own.set(key, added(before, value));
      return "";
    default: {
      const next = String((Number(before) || 0) + (match[1] === "inc" ? 1 : -1));
      own.set(key, next);
      return next;
    }
  }
}

/** Numbers are added, texts are put together. */
function added(before: string, value: string): string {
  return isNumber(value) && value.trim() !== "" && isNumber(before)
    ? String(Number(before) + Number(value))
    : before + value;
}

/** Numbers are shorter than this, and a text of megabytes would be read each time something is added to it. */
function isNumber(text: string): boolean {
  return text.length <= 400 && !Number.isNaN(Number(text));
}

const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
const months = "January February March April May June July August September October November December".split(" ");
const monthOffsets = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];

/** By Sakamoto's rule: January and February count to the year before. */
function weekdayOf(year: number, month: number, day: number): number {
  const own = month < 3 ? year - 1 : year;
  const leaps = Math.floor(own / 4) - Math.floor(own / 100) + Math.floor(own / 400);
  return (own + leaps + (monthOffsets[month - 1] ?? 0) + day) % 7;
}

function runTime(name: string, now: string | undefined): string | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/.exec(now ?? "");
  if (!match) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = match.slice(1).map(Number);
  const minutes = String(minute).padStart(2, "0");
  switch (name) {
    case "time":
      return `${hour % 12 || 12}:${minutes} ${hour < 12 ? "AM" : "PM"}`;
    case "date":
      return `${months[month - 1]} ${day}, ${year}`;
    case "weekday":
      return days[weekdayOf(year, month, day)];
    case "isotime":
      return `${String(hour).padStart(2, "0")}:${minutes}`;
    case "isodate":
      return `${match[1]}-${match[2]}-${match[3]}`;
    default:
      return undefined;
  }
}

function runChat(name: string, chat: QuotedChat | undefined): string | undefined {
  switch (name) {
    case "lastmessage":
      return chat && (chat.at(-1)?.text ?? "");
    case "lastusermessage":
      return chat && lastOf(chat, "user");
    case "lastcharmessage":
      return chat && lastOf(chat, "assistant");
    case "lastmessageid":
      return chat && (chat.length > 0 ? String(chat.length - 1) : "");
    default:
      return undefined;
  }
}

function lastOf(chat: QuotedChat, role: string): string {
  for (let index = chat.length - 1; index >= 0; index -= 1) {
    const line = chat.at(index);
    if (line?.role === role) return line.text;
  }
  return "";
}
