import { draw } from "./draw.ts";
import type { VariableLookup } from "./placeholders.ts";
import { runTime, sayDuration } from "./tavern-time.ts";

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
  /** The number of the newest message, where hidden ones count as well. */
  readonly lastId?: number | undefined;
  at(index: number): { readonly role: string; readonly text: string; readonly ts?: string | number } | undefined;
}

export interface MacroContext {
  readonly lookup: VariableLookup;
  readonly now?: string | undefined;
  readonly chat?: QuotedChat | undefined;
  readonly seed: string;
  /** What every draw comes to, where tests give it. */
  readonly fixedDraw?: number | undefined;
  /** What kind of reply is asked for. */
  readonly reply?: string | undefined;
  /** As the first version of the import had them. */
  readonly isFirst: boolean;
  readonly draws: { count: number };
  /** What `{{outlet::name}}` stands for; names as they are written. */
  readonly outlets: ReadonlyMap<string, string>;
  readonly variables: {
    readonly local: Map<string, string>;
    readonly global: Map<string, string>;
    /** Local ones that were deleted, whatever value the preset has for them. */
    readonly deleted: Set<string>;
  };
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
    case "outlet":
      return context.outlets.get(first.trim()) ?? ownOutlet(first, context);
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
      return choose(call, nextDraw(context));
    case "pick":
      return choose(call, draw(`${call.args.join("::")} ${call.index}`));
    case "roll":
      return roll(first, context);
    default:
      return (
        runVariable(call, context) ??
        runTime(call, context) ??
        runChat(call.name, context.chat) ??
        (context.isFirst ? undefined : runLater(call, context))
      );
  }
}

/** What a fresh installation of SillyTavern has and runs. */
const stockExtensions = new Set([
  "assets",
  "attachments",
  "caption",
  "connection-manager",
  "expressions",
  "gallery",
  "memory",
  "quick-reply",
  "regex",
  "stable-diffusion",
  "token-counter",
  "translate",
  "tts",
  "vectors",
]);

/** Macros that the first version of the import did not know. */
function runLater({ name, args }: MacroCall, context: MacroContext): string | undefined {
  const { lookup, chat, reply } = context;
  switch (name) {
    case "idle_duration":
    case "idleduration":
      return chat && idleTime(chat, context.now);
    case "groupnotmuted":
      return lookup(name) ?? lookup("group") ?? lookup("char");
    case "lastchatmessage":
      return chat && (chat.at(-1)?.text ?? "").trim();
    case "lastgenerationtype":
      return reply ?? "normal";
    case "hasextension":
      return args[0] === undefined ? undefined : String(stockExtensions.has(args[0].trim().toLowerCase()));
    case "ismobile":
      return "false";
    case "allchatrange":
      return chat && (chat.length > 0 ? `0-${chat.lastId ?? chat.length - 1}` : "");
    case "input":
    case "banned":
    case "firstincludedmessageid":
    case "firstdisplayedmessageid":
    case "lastswipeid":
    case "currentswipeid":
      return "";
    default:
      return undefined;
  }
}

/** The first version of the import kept outlets as values: then the value is what counts. One that nothing fills is empty. */
function ownOutlet(name: string, { lookup }: MacroContext): string | undefined {
  return lookup(`outlet::${name.trim()}`) === undefined ? "" : undefined;
}

function nextDraw({ fixedDraw, seed, draws }: MacroContext): number {
  draws.count += 1;
  return fixedDraw ?? draw(`${seed} ${draws.count}`);
}

/** `.name` stands for a local variable and `$name` for a global one, alone or with what is done to it. */
export function readShorthand(whole: string): Pick<MacroCall, "name" | "args"> | undefined {
  const match = /^([.$])([A-Za-z][\w-]*)\s*(\+=|-=|\+\+|--|=|$)([^]*)$/.exec(whole);
  if (!match) return undefined;
  const [, kind, key = "", operator, value = ""] = match;
  const scope = kind === "$" ? "globalvar" : "var";
  switch (operator ?? "") {
    case "+=":
      return { name: `add${scope}`, args: [key, value.trim()] };
    case "-=":
      return { name: `add${scope}`, args: [key, `-${value.trim()}`] };
    case "++":
      return { name: `inc${scope}`, args: [key] };
    case "--":
      return { name: `dec${scope}`, args: [key] };
    case "=":
      return { name: `set${scope}`, args: [key, value.trim()] };
    default:
      return value.trim() === "" ? { name: `get${scope}`, args: [key] } : undefined;
  }
}

/** Whether an `{{if}}` takes its first branch. The condition is a value, or the name of something that has one. */
export function isTruthy(condition: string, context: MacroContext): boolean {
  const isNegated = condition.trim().startsWith("!");
  const name = condition.trim().replace(/^!\s*/, "");
  const short = context.isFirst ? undefined : readShorthand(name);
  const value = short
    ? (runMacro({ ...short, isList: true, index: 0 }, context) ?? "")
    : /^\w+$/.test(name)
      ? (context.variables.local.get(name) ?? context.lookup(name) ?? name)
      : name;
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
    sum += 1 + Math.floor(nextDraw(context) * Number(match[2]));
  }
  return String(sum);
}

function runVariable({ name, args }: MacroCall, { variables, lookup, isFirst }: MacroContext): string | undefined {
  const match = /^(set|get|add|inc|dec|has|delete)(global)?var$/.exec(name);
  if (!match) return undefined;
  const own = match[2] ? variables.global : variables.local;
  const key = (args[0] ?? "").trim();
  const said = args.slice(1).join("::");
  const value = isFirst ? said : said.trim();
  // What a chat has set before it was imported is a value of the preset.
  const before = own.get(key) ?? (match[2] || variables.deleted.has(key) ? undefined : lookup(`getvar::${key}`)) ?? "";
  switch (match[1] ?? "") {
    case "get":
      return before;
    case "has":
      return String(
        own.has(key) || (!match[2] && !variables.deleted.has(key) && lookup(`getvar::${key}`) !== undefined),
      );
    case "set":
      own.set(key, value);
      return "";
    case "delete":
      own.delete(key);
      if (!match[2]) variables.deleted.add(key);
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

function runChat(name: string, chat: QuotedChat | undefined): string | undefined {
  switch (name) {
    case "lastmessage":
      return chat && (chat.at(-1)?.text ?? "");
    case "lastusermessage":
      return chat && (newest(chat, "user")?.text ?? "");
    case "lastcharmessage":
      return chat && (newest(chat, "assistant")?.text ?? "");
    case "lastmessageid":
      return chat && (chat.length > 0 ? String(chat.lastId ?? chat.length - 1) : "");
    default:
      return undefined;
  }
}

/** How long ago the user spoke, the newest message aside. */
function idleTime(chat: QuotedChat, now: string | undefined): string | undefined {
  if (now === undefined) return undefined;
  const line = newest(chat, "user", chat.length - 2);
  return (line?.ts === undefined ? undefined : sayDuration(line.ts, now)) ?? "just now";
}

function newest(chat: QuotedChat, role: string, from = chat.length - 1): ReturnType<QuotedChat["at"]> {
  for (let index = from; index >= 0; index -= 1) {
    const line = chat.at(index);
    if (line?.role === role) return line;
  }
  return undefined;
}
