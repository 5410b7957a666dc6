import {
  type ComposeInput,
  GalleyError,
  type MessageEntry,
  type Preset,
  type Problem,
  type SessionView,
  type ToolSpec,
  deriveEntryId,
  parseJson,
  parsePreset,
  parseSession,
  parseTools,
  throwOnErrors,
  view,
} from "@galley/engine";
import type { Command } from "commander";
import { readText } from "./files.ts";
import { localTime } from "./local-time.ts";
import type { Terminal } from "./terminal.ts";

export interface BuildFlags {
  readonly preset?: string;
  readonly model?: string;
  readonly session?: string;
  readonly input?: string;
  readonly profile?: string;
  readonly tools?: string;
  readonly var?: readonly string[];
  readonly now?: string;
  readonly json?: boolean;
}

/** The flags that say what is built; `build` and `explain` share them. */
export function addBuildFlags(command: Command): Command {
  return command
    .option("-p, --preset <file>", "preset to compose (JSON); without one, the history alone is sent")
    .option("-m, --model <id>", "model that will read it; chooses the recipe, e.g. claude-sonnet-4-5")
    .option("-s, --session <file>", "history: a session file (JSON lines)")
    .option("-i, --input <text>", "a user message that follows the history; - reads it from standard input")
    .option("--profile <file>", "text for the preset's user_profile")
    .option("--tools <file>", "tool specs (JSON list of {name, description, inputSchema})")
    .option("--var <name=value...>", "values for {{name}} in the preset")
    .option("--now <time>", "time of the build for {{date}} and {{time}}, ISO 8601 with offset (default: the clock)")
    .option("--json", "print one JSON document");
}

/** All that a build needs, read and checked. */
export interface BuildInput {
  readonly compose: ComposeInput & { readonly history: readonly MessageEntry[] };
  readonly session: SessionView;
  /** The input message as an entry, to be appended to the session. */
  readonly added: readonly MessageEntry[];
  readonly tools: readonly ToolSpec[];
  readonly warnings: readonly Problem[];
}

/** A build without a preset sends the history as it is. */
const plainPreset: Preset = { presetMessages: [{ type: "chat_history", role: "user" }] };

export async function readBuildInput(flags: BuildFlags, terminal: Terminal): Promise<BuildInput> {
  const sources = [flags.preset, flags.session, flags.input, flags.profile, flags.tools];
  if (sources.filter((source) => source === "-").length > 1) {
    throw new GalleyError("BadUsage", "Only one input can be read from standard input.", { hint: "Use - once." });
  }
  const read = (file: string | undefined): Promise<string> | undefined =>
    file === undefined ? undefined : readText(file, terminal);
  const presetText = await read(flags.preset);
  const { preset, warnings } =
    presetText === undefined ? { preset: plainPreset, warnings: [] } : parsePreset(presetText);
  const log = parseSession((await read(flags.session)) ?? "");
  throwOnErrors(log.problems);
  const session = view(log.entries);
  const now = flags.now ?? localTime();
  const text = flags.input === "-" ? await terminal.readStdin() : flags.input;
  const added = text === undefined ? [] : [inputEntry(text, log.entries.at(-1)?.id ?? null, now)];
  return {
    compose: {
      preset,
      history: [...session.messages, ...added],
      ...(flags.model === undefined ? {} : { model: flags.model }),
      ...(flags.profile === undefined ? {} : { userProfile: await read(flags.profile) }),
      variables: readVariables(flags.var ?? []),
      now,
    },
    session,
    added,
    tools: readTools(await read(flags.tools)),
    warnings: [...warnings, ...log.problems, ...session.problems],
  };
}

function inputEntry(content: string, tail: string | null, now: string): MessageEntry {
  const message = { role: "user", content } as const;
  return { id: deriveEntryId(tail, 0, message), ts: now, type: "message", message };
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
