import { existsSync } from "node:fs";
import {
  type BuildRequest,
  GalleyError,
  inputEntries,
  loadModels,
  minSecretLength,
  parseJson,
  parsePreset,
  parseTools,
  type Preset,
  type Problem,
  type Secrets,
  tokenAccount,
  tokenizerForModel,
  type ReplyKind,
  type ToolSpec,
  replyKinds,
} from "@galley/engine";
import { usualLimit } from "@galley/engine/models";
import { type Command, Option } from "commander";
import { localTime } from "../../turn/services/local-time.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readText } from "./files.ts";
import { dataOption, tokensFrom, usualDataFolder, wholeNumberFrom } from "./options.ts";
import { type Records, readRecords } from "./read-conversation.ts";
import { type SettingsFlags, readVariables, share } from "./settings-flags.ts";

export interface BuildFlags extends Omit<SettingsFlags, "set"> {
  readonly model?: string;
  readonly preset?: string;
  readonly session?: string;
  readonly chat?: string;
  readonly data?: string;
  readonly input?: string;
  readonly tools?: string;
  readonly now?: string;
  readonly reply?: ReplyKind;
  readonly secret?: readonly string[];
  readonly append?: boolean;
  readonly json?: boolean;
}

/** The flags that say what is built; every command that builds shares them. */
export function addBuildFlags(command: Command): Command {
  return command
    .option("-p, --preset <file>", "preset to compose (JSON); without one, the history alone is sent")
    .option("-m, --model <id>", "model that will read it; chooses recipe and tokenizer, e.g. claude-sonnet-5-5")
    .option(
      "-b, --budget <tokens>",
      "the most that may be sent (default: the window of a known model, without room for the reply)",
      tokensFrom(1),
    )
    .option("--history <messages>", "the most history messages that may be sent", wholeNumberFrom(1))
    .option("--reserve <tokens>", "room for the reply, taken off the budget", tokensFrom(0))
    .option("--target <ratio>", "once over the budget, fit down to this share of it (default: 0.5)", share)
    .option(
      "-s, --session <place>",
      "history: a session file (JSON lines), or -; or a place of the data folder: a session's id, chat:KEY, agent:NAME",
    )
    .option("-c, --chat <key>", "the next call of a chat: its history, preset, settings, tools and calibration")
    .addOption(dataOption("the data folder of places"))
    .option("-i, --input <text>", "a user message that follows the history; - reads it from standard input")
    .option("--system <text>", "system prompt that stands before the preset")
    .option("--user-profile <file>", "text for the preset's user_profile")
    .option("--tools <file>", "tool specs (JSON list of {name, description, inputSchema})")
    .option("--var <name=value...>", "values for {{name}} in the preset")
    .option("--now <time>", "time of the build for {{date}} and {{time}}, ISO 8601 with offset (default: the clock)")
    .addOption(
      new Option(
        "--reply <kind>",
        "what kind of reply is asked for: presets may have messages for some of them",
      ).choices(replyKinds),
    )
    .option("--secret <env...>", "environment variables whose values are masked in all output")
    .option("--json", "print one JSON document");
}

/** The flags with the conversation that the argument of a command names, as if `--session` had named it. */
export function flagsOfPlace<Flags extends BuildFlags>(place: string | undefined, flags: Flags): Flags {
  if (place === undefined) return flags;
  const other = ["session", "chat"].find((name) => flags[name as "session" | "chat"] !== undefined);
  if (other === undefined) return { ...flags, session: place };
  throw new GalleyError("BadUsage", `${place} and --${other} exclude each other.`, {
    hint: "Take the history from one of them.",
  });
}

/** All that a build needs, read and checked. */
export interface BuildInput {
  readonly request: BuildRequest;
  readonly secrets: Secrets;
  readonly warnings: readonly Problem[];
  readonly budget: Budget;
}

const noLimit = Number.MAX_SAFE_INTEGER;
/** Length in characters from which a person notices the wait. */
const largeText = 3_000_000;

/** Whether somebody may have named a preset of the library, as `galley run` takes it. */
function isLibraryName(name: string | undefined, error: unknown): error is GalleyError {
  return error instanceof GalleyError && error.code === "FileNotFound" && !/[\\/.]/.test(name ?? "");
}

function noPresetFile({ code, message, path = "" }: GalleyError): GalleyError {
  return new GalleyError(code, message, {
    path,
    hint: "--preset names a file here. `galley run` takes a preset of the library by its name; `galley preset get` writes it to a file.",
  });
}

export async function readBuildInput(flags: BuildFlags, terminal: Terminal): Promise<BuildInput> {
  const sources = [flags.preset, flags.session, flags.input, flags.userProfile, flags.tools];
  if (sources.filter((source) => source === "-").length > 1) {
    throw new GalleyError("BadUsage", "Only one input can be read from standard input.", { hint: "Use - once." });
  }
  const read = async (file: string | undefined): Promise<string | undefined> =>
    file === undefined ? undefined : readText(file, terminal);
  const presetText = await read(flags.preset).catch((error: unknown) => {
    throw isLibraryName(flags.preset, error) ? noPresetFile(error) : error;
  });
  const parsed = presetText === undefined ? undefined : parsePreset(presetText);
  if (terminal.isTerminal && (presetText?.length ?? 0) > largeText) terminal.err("Counting a large preset …\n");
  const { budget, warnings } = await findBudget(flags);
  const log = await readHistory(flags, terminal);
  const now = flags.now ?? localTime();
  const text = flags.input === "-" ? await terminal.readStdin() : flags.input;
  const profile = await read(flags.userProfile);
  const tools = readTools(await read(flags.tools));
  return {
    request: {
      entries: log.entries,
      added: text === undefined ? [] : inputEntries(log.entries, [{ role: "user", content: text }], now, "--input"),
      account: tokenAccount(await tokenizerForModel(flags.model)),
      config: {
        maxInputTokens: flags.budget ?? (budget.tokens === undefined ? noLimit : budget.tokens + (budget.reserve ?? 0)),
        maxHistoryMessages: flags.history,
        reserveOutputTokens: budget.reserve,
        targetRatio: flags.target,
      },
      variables: readVariables(flags.var ?? []),
      now,
      tools,
      ...(parsed ? { preset: parsed.preset } : {}),
      model: flags.model,
      reply: flags.reply,
      systemPrompt: flags.system,
      userProfile: profile,
    },
    secrets: readSecrets(flags.secret ?? []),
    warnings: [...(parsed?.warnings ?? []), ...log.warnings, ...warnings],
    budget,
  };
}

/** The history that flags name: a session file, or the log of a place as it lies there. */
async function readHistory({ session, chat, append, data }: BuildFlags, terminal: Terminal): Promise<Records> {
  const place = chat === undefined ? session : `chat:${chat}`;
  const isEmpty = place === undefined || (append && !existsSync(place));
  return isEmpty ? { entries: [], warnings: [] } : readRecords(place, data ?? usualDataFolder(), terminal);
}

/** The values of environment variables that must not be shown. */
export function readSecrets(names: readonly string[]): Secrets {
  return Object.fromEntries(
    names.map((name) => {
      const value = process.env[name] ?? "";
      if (value.length >= minSecretLength) return [name, value];
      const message = `--secret ${name}: the variable is not set, or its value is shorter than ${minSecretLength} characters.`;
      throw new GalleyError("BadUsage", message, {
        hint: "Check the name; nothing is shown before it is known what to mask.",
      });
    }),
  );
}

function readTools(text: string | undefined): readonly ToolSpec[] {
  if (text === undefined) return [];
  return parseTools(parseJson(text, { what: "tool list" }));
}

/** How much may be sent, and who said so. */
export interface Budget {
  readonly from: "flag" | "model" | "nothing";
  /** Without what is reserved for the reply; missing when there is no limit. */
  readonly tokens?: number;
  readonly reserve?: number;
  /** The model whose window it is. */
  readonly model?: string;
}

/** What the flags say; without them, the window of the model if it is known. */
async function findBudget(flags: BuildFlags): Promise<{ budget: Budget; warnings: readonly Problem[] }> {
  const { budget: tokens, reserve, model } = flags;
  const room = reserve === undefined ? {} : { reserve };
  if (tokens !== undefined) {
    requireRoom(tokens, reserve, `--budget ${tokens}`);
    return { budget: { from: "flag", tokens: tokens - (reserve ?? 0), ...room }, warnings: [] };
  }
  if (model === undefined) return { budget: { from: "nothing", ...room }, warnings: [] };
  const warnings: Problem[] = [];
  const catalogue = await loadModels();
  const info = catalogue.find(model);
  if (!info.isKnown) {
    const nearest = catalogue.nearest(model);
    const hint = `Say how much may be sent with --budget${nearest.length > 0 ? `, or did you mean ${nearest.join(" or ")}?` : "."}`;
    const message = `Nothing is known about the model ${model}: it is taken to have a window of ${info.window} tokens.`;
    warnings.push({ severity: "warning", code: "NotFound", message, path: "--model", hint });
  }
  requireRoom(info.window, reserve, `the window of ${info.name} (${info.window})`);
  const kept = reserve ?? usualLimit(info).reserve;
  return { budget: { from: "model", tokens: info.window - kept, reserve: kept, model: info.name }, warnings };
}

function requireRoom(tokens: number, reserve = 0, of: string): void {
  if (reserve < tokens) return;
  throw new GalleyError("BadUsage", `--reserve ${reserve} leaves nothing of ${of} for the input.`, {
    hint: "Reserve less: it is the room for the reply, taken off what may be sent.",
  });
}

/** A name of the library stays one; a path, or a file that is there, is read: what `galley import` wrote, for one. */
export async function presetNamed(name: string, terminal: Terminal): Promise<string | Preset> {
  const isFile = /[\\/]/.test(name) || name === "-" || (name.endsWith(".json") && existsSync(name));
  return isFile ? parsePreset(await readText(name, terminal)).preset : name;
}

/** What people call the messages of a preset, by their ids. */
export function namesIn(preset: Preset | undefined): ReadonlyMap<string, string> {
  const all = [...(preset?.messageTemplates ?? []), ...(preset?.presetMessages ?? [])];
  return new Map(all.flatMap(({ id, name }) => (id !== undefined && name ? [[id, name]] : [])));
}
