import { existsSync } from "node:fs";
import {
  type BuildRequest,
  GalleyError,
  inputEntries,
  loadModels,
  minSecretLength,
  parseJson,
  parsePreset,
  parseSession,
  parseTools,
  type Problem,
  type Secrets,
  type SessionEntry,
  throwOnErrors,
  tokenAccount,
  tokenizerForModel,
  type ToolSpec,
} from "@galley/engine";
import type { ModelInfo } from "@galley/engine/models";
import { type Command, InvalidArgumentError } from "commander";
import { noChatError } from "../../chat/lines/chat-paths.ts";
import { openChat } from "../../chat/open-chat.ts";
import { localTime } from "../../turn/services/local-time.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readText } from "./files.ts";
import { dataOption, usualDataFolder, wholeNumberFrom } from "./options.ts";

export interface BuildFlags extends BudgetFlags {
  readonly preset?: string;
  readonly history?: number;
  readonly target?: number;
  readonly session?: string;
  readonly chat?: string;
  readonly data?: string;
  readonly input?: string;
  readonly system?: string;
  readonly profile?: string;
  readonly tools?: string;
  readonly var?: readonly string[];
  readonly now?: string;
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
      wholeNumberFrom(1),
    )
    .option("--history <messages>", "the most history messages that may be sent", wholeNumberFrom(1))
    .option("--reserve <tokens>", "room for the reply, taken off the budget", wholeNumberFrom(0))
    .option("--target <ratio>", "once over the budget, fit down to this share of it (default: 0.5)", share)
    .option("-s, --session <file>", "history: a session file (JSON lines)")
    .option("-c, --chat <key>", "history: the active context of a chat")
    .addOption(dataOption("the data folder of --chat"))
    .option("-i, --input <text>", "a user message that follows the history; - reads it from standard input")
    .option("--system <text>", "system prompt that stands before the preset")
    .option("--profile <file>", "text for the preset's user_profile")
    .option("--tools <file>", "tool specs (JSON list of {name, description, inputSchema})")
    .option("--var <name=value...>", "values for {{name}} in the preset")
    .option("--now <time>", "time of the build for {{date}} and {{time}}, ISO 8601 with offset (default: the clock)")
    .option("--secret <env...>", "environment variables whose values are masked in all output")
    .option("--json", "print one JSON document");
}

function share(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1) return value;
  throw new InvalidArgumentError("It must be a number above 0 and up to 1.");
}

/** All that a build needs, read and checked. */
export interface BuildInput {
  readonly request: BuildRequest;
  readonly secrets: Secrets;
  readonly warnings: readonly Problem[];
  readonly budget: Budget;
}

const noLimit = Number.MAX_SAFE_INTEGER;
/** The least that is read of a chat, in characters. */
const minWindow = 400_000;
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
  const sources = [flags.preset, flags.session, flags.input, flags.profile, flags.tools];
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
  const log = await readHistory(flags, terminal, budget);
  const now = flags.now ?? localTime();
  const text = flags.input === "-" ? await terminal.readStdin() : flags.input;
  const profile = await read(flags.profile);
  const tools = readTools(await read(flags.tools));
  return {
    request: {
      entries: log.entries,
      added: text === undefined ? [] : inputEntries(log.entries, [{ role: "user", content: text }], now, "--input"),
      account: tokenAccount(await tokenizerForModel(flags.model)),
      config: {
        maxInputTokens: flags.budget ?? (budget.tokens === undefined ? noLimit : budget.tokens + (budget.reserve ?? 0)),
        ...(flags.history === undefined ? {} : { maxHistoryMessages: flags.history }),
        ...(budget.reserve === undefined ? {} : { reserveOutputTokens: budget.reserve }),
        ...(flags.target === undefined ? {} : { targetRatio: flags.target }),
      },
      variables: readVariables(flags.var ?? []),
      now,
      tools,
      ...(parsed ? { preset: parsed.preset } : {}),
      ...(flags.model === undefined ? {} : { model: flags.model }),
      ...(flags.system === undefined ? {} : { systemPrompt: flags.system }),
      ...(profile === undefined ? {} : { userProfile: profile }),
    },
    secrets: readSecrets(flags.secret ?? []),
    warnings: [...(parsed?.warnings ?? []), ...log.warnings, ...warnings],
    budget,
  };
}

async function readHistory(
  flags: BuildFlags,
  terminal: Terminal,
  { tokens = 0 }: Budget,
): Promise<{ readonly entries: readonly SessionEntry[]; readonly warnings: readonly Problem[] }> {
  const { session, chat: key, data = usualDataFolder(), append } = flags;
  if (key === undefined) return readSession(append && !existsSync(session ?? "") ? undefined : session, terminal);
  if (session !== undefined || append) {
    const hint = append ? "galley chat add writes to a chat." : "Take the history from one of them.";
    throw new GalleyError("BadUsage", `--chat and ${append ? "--append" : "--session"} exclude each other.`, { hint });
  }
  const chat = await openChat(data, key);
  try {
    if (!chat.window({ maxMessages: 1 }).exists && !chat.transcript({ maxMessages: 1 }).exists)
      throw noChatError(data, key);
    // No fewer characters than the budget could hold.
    const maxCharacters = Math.max(minWindow, tokens * 6);
    return { entries: chat.entries({ maxMessages: 2000, maxCharacters }), warnings: chat.problems };
  } finally {
    await chat.close();
  }
}

/** A session file; no file at all is an empty session. */
export async function readSession(
  file: string | undefined,
  terminal: Terminal,
): Promise<{ readonly entries: readonly SessionEntry[]; readonly warnings: readonly Problem[] }> {
  const { entries, problems } = parseSession(file === undefined ? "" : await readText(file, terminal));
  throwOnErrors(problems);
  return { entries, warnings: problems };
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

function readVariables(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      throw new GalleyError("BadUsage", `--var ${pair} gives no value.`, { hint: "Write --var name=value." });
    }),
  );
}

function readTools(text: string | undefined): readonly ToolSpec[] {
  if (text === undefined) return [];
  return parseTools(parseJson(text, { what: "tool list" }));
}

/** The flags that decide how much may be sent. */
interface BudgetFlags {
  readonly model?: string;
  readonly budget?: number;
  readonly reserve?: number;
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
async function findBudget(flags: BudgetFlags): Promise<{ budget: Budget; warnings: readonly Problem[] }> {
  const { budget: tokens, reserve, model } = flags;
  const room = reserve === undefined ? {} : { reserve };
  if (tokens !== undefined) {
    requireRoom(tokens, reserve, `--budget ${tokens}`);
    return { budget: { from: "flag", tokens: tokens - (reserve ?? 0), ...room }, warnings: [] };
  }
  if (model === undefined) return { budget: { from: "nothing", ...room }, warnings: [] };
  const catalogue = await loadModels();
  const info = catalogue.find(model);
  if (!info.isKnown) {
    const nearest = catalogue.nearest(model);
    const hint = `Say how much may be sent with --budget${nearest.length > 0 ? `, or did you mean ${nearest.join(" or ")}?` : "."}`;
    const message = `Nothing is known about the model ${model}: nothing limits what is sent.`;
    return {
      budget: { from: "nothing", ...room },
      warnings: [{ severity: "warning", code: "NotFound", message, path: "--model", hint }],
    };
  }
  requireRoom(info.window, reserve, `the window of ${info.name} (${info.window})`);
  const kept = reserve ?? defaultReserve(info);
  return { budget: { from: "model", tokens: info.window - kept, reserve: kept, model: info.name }, warnings: [] };
}

function requireRoom(tokens: number, reserve = 0, of: string): void {
  if (reserve < tokens) return;
  throw new GalleyError("BadUsage", `--reserve ${reserve} leaves nothing of ${of} for the input.`, {
    hint: "Reserve less: it is the room for the reply, taken off what may be sent.",
  });
}

/** Room for the longest reply that the model gives, but never for more than a third of the window. */
function defaultReserve({ window, output }: ModelInfo): number {
  return Math.min(output, Math.floor(window / 3));
}
