import { GalleyError } from "@galley/engine";
import { type Command, InvalidArgumentError } from "commander";
import { contextSettingsSchema } from "../../api/context-settings.ts";
import { parseAs } from "../../api/parse-as.ts";
import { type ContextSettings, settingKeys } from "../../config/settings-in-force.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readText } from "./files.ts";
import { collected, jsonOrText, splitPair, tokensFrom, wholeNumberFrom } from "./options.ts";

/** The flags that set context settings of one turn. */
export interface SettingsFlags {
  readonly system?: string;
  readonly userProfile?: string;
  readonly var?: readonly string[];
  readonly budget?: number;
  readonly reserve?: number;
  readonly history?: number;
  readonly target?: number;
  readonly set?: readonly string[];
}

export function addSettingsFlags(command: Command): Command {
  return command
    .option("-b, --budget <tokens>", "the most that may be sent, e.g. 32k", tokensFrom(1))
    .option("--reserve <tokens>", "room for the reply, taken off the budget", tokensFrom(0))
    .option("--history <messages>", "the most history messages that may be sent", wholeNumberFrom(1))
    .option("--target <ratio>", "once over the budget, fit down to this share of it (default: 0.5)", share)
    .option("--system <text>", "system prompt that stands before the preset")
    .option("--user-profile <file>", "text for the preset's user_profile")
    .option("--var <name=value>", "a value for {{name}} in the preset; may be given again", collected)
    .option("--set <key=value>", "any other context setting; may be given again", collected);
}

export function share(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number above 0 and up to 1.");
}

export async function readSettingsFlags(
  { system, userProfile, var: pairs, budget, reserve, history, target, set = [] }: SettingsFlags,
  terminal: Terminal,
): Promise<ContextSettings> {
  const named = {
    systemPrompt: system,
    userProfile: userProfile === undefined ? undefined : await readText(userProfile, terminal),
    variables: pairs === undefined ? undefined : readVariables(pairs),
    maxInputTokens: budget,
    reserveOutputTokens: reserve,
    maxHistoryMessages: history,
    targetRatio: target,
  };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
  return { ...readAssignments(set).context, ...given };
}

export function readVariables(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(pairs.map((pair) => splitPair(pair, "--var name=value")));
}

export interface Assigned {
  readonly context: ContextSettings;
  /** Of a chat. */
  readonly title?: string | null;
  readonly model?: string | null;
  readonly preset?: string | null;
}

const chatNames: ReadonlySet<string> = new Set(["title", "model", "preset"]);

/** `key=value`: JSON where it is JSON, else text; `key=null` sets back to the built-in default. */
export function readAssignments(pairs: readonly string[], { isChat = false } = {}): Assigned {
  const context: Record<string, unknown> = {};
  const names: Record<string, string | null> = {};
  for (const pair of pairs) {
    const [key, text] = splitPair(pair, "key=value");
    if (isChat && chatNames.has(key)) names[key] = text === "null" ? null : text;
    else context[key] = valueOf(key, text);
  }
  return { context: parseSettings(context), ...names };
}

const tokenKeys: ReadonlySet<string> = new Set(["maxInputTokens", "reserveOutputTokens"]);
/** Whatever stands there is text, also where it looks like JSON: a system prompt may be a number or a list. */
const textKeys: ReadonlySet<string> = new Set(["systemPrompt", "userProfile"]);

function valueOf(key: string, text: string): unknown {
  if (tokenKeys.has(key) && /^\d+(?:\.\d+)?k$/iu.test(text)) return tokensFrom(0)(text);
  const value = jsonOrText(text);
  return textKeys.has(key) && value !== null && typeof value !== "string" ? text : value;
}

/** Told by the keys that were typed, not by a path of a document. */
function parseSettings(given: Readonly<Record<string, unknown>>): ContextSettings {
  const unknown = Object.keys(given).find((key) => !(settingKeys as readonly string[]).includes(key));
  if (unknown !== undefined) {
    throw new GalleyError("BadUsage", `There is no context setting ${JSON.stringify(unknown)}.`, {
      path: unknown,
      hint: `There are ${settingKeys.join(", ")}.`,
    });
  }
  return parseAs(contextSettingsSchema, given, "", "BadUsage");
}
