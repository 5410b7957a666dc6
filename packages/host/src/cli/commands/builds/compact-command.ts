import {
  ContextManager,
  GalleyError,
  type Plan,
  extractiveCompactor,
  formatSession,
  plan,
  redactSecrets,
  undoCompaction,
} from "@galley/engine";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import {
  type BuildFlags,
  type BuildInput,
  addBuildFlags,
  flagsOfPlace,
  readBuildInput,
} from "../../input/build-input.ts";
import { withRoutes } from "../../input/connect.ts";
import { appendLines } from "../../input/files.ts";
import { tokenOption, usualDataFolder } from "../../input/options.ts";
import { isFileName, wholePlace } from "../../input/place-names.ts";
import { readRecords } from "../../input/read-conversation.ts";
import { elastic, previewOf, renderTable, styled } from "../../terminal/table.ts";
import { printResult, reportWarnings } from "../../terminal/report.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";

interface CompactFlags extends BuildFlags {
  readonly plan?: boolean;
  readonly apply?: boolean;
  readonly undo?: boolean;
  readonly token?: string;
}

interface Outcome {
  readonly fits: boolean;
  readonly before: number;
  readonly after: number;
  readonly summarised: readonly { readonly id: string; readonly role: string; readonly text: string }[];
  readonly summary?: string;
  readonly applied: boolean;
}

/** `galley compact`: puts a summary in the place of old messages, as an entry of the session. */
export function defineCompact(command: Command, terminal: Terminal): void {
  command
    .description(
      "Shows what a summary would stand for (--plan), or makes it and appends it to the session (--apply). No model is needed: the summary is extracted. --undo takes the newest compaction back.",
    )
    .argument("[place]", "a session file, or -; or, for its plan or an undo, chat:KEY, agent:NAME or a session's id");
  addBuildFlags(command)
    .option("--plan", "show what would be summarised, with the sizes before and after (default)")
    .option("--apply", "append the summary to the session file")
    .option("--undo", "put back what the newest compaction took out; a next call that is over its budget cuts again")
    .addOption(tokenOption())
    .action(async (named: string | undefined, given: CompactFlags) => {
      const flags = flagsOfPlace(named, given);
      const { chat, session = chat === undefined ? undefined : `chat:${chat}` } = flags;
      const asked = [flags.plan, flags.apply, flags.undo].filter(Boolean).length;
      if (asked > 1)
        throw new GalleyError("BadUsage", "--plan, --apply and --undo exclude each other.", { hint: "Use one." });
      if (flags.undo && session !== undefined) {
        const undone = await undo(session, flags, terminal);
        const text = "What it took out is sent again, unless the next call is over its budget.";
        return printResult(terminal, flags, { undone }, `Undone: ${undone}. ${text}\n`);
      }
      if (session === undefined || (flags.budget === undefined && flags.model === undefined)) {
        throw new GalleyError("BadUsage", "compact needs a session, and --budget or --model.", {
          hint: "galley compact S.jsonl --budget 8000 --plan",
        });
      }
      if (flags.apply && !(await isFileName(session))) {
        throw new GalleyError("BadUsage", `--apply needs a session file to append to, and ${session} is not one.`, {
          path: session,
          hint: "A chat or session of a data folder is summarised by its own next turn, when it is over its budget.",
        });
      }
      const input = await readBuildInput(flags, terminal);
      const planned = plan(input.request);
      const outcome = redactSecrets(await compact(input, planned, flags, terminal), input.secrets);
      printResult(terminal, flags, outcome, () => outcomeText(outcome, session, terminal));
    });
}

/** The id of the compaction that was undone. */
async function undo(session: string, flags: CompactFlags, terminal: Terminal): Promise<string> {
  if (!(await isFileName(session))) {
    const params = { id: wholePlace(session).sessionId };
    const folder = { ...flags, data: flags.data ?? usualDataFolder() };
    return (await withRoutes(folder, (ask) => ask("sessions.undoCompaction", { params }))).undone;
  }
  const { entries } = await readRecords(session, "", terminal);
  const entry = undoCompaction(entries);
  await appendLines(session, formatSession([entry]));
  return entry.undoes ?? "";
}

async function compact(
  { request, secrets }: BuildInput,
  planned: Plan,
  flags: CompactFlags,
  terminal: Terminal,
): Promise<Outcome> {
  const { account, config, entries, added = [], ...inputs } = request;
  const manager = new ContextManager({ config, tokenizer: account.tokenizer, compactor: extractiveCompactor() });
  const { tools, hints: _hints, runtimeInit: _init, leafId: _leaf, ...rest } = inputs;
  const before = plan({ ...request, config: { ...config, maxInputTokens: Number.MAX_SAFE_INTEGER } }).tokens;
  const result = await manager.buildContext({
    ...rest,
    sessionEntries: entries,
    inputMessages: added.flatMap((entry) => (entry.type === "message" ? [{ ...entry.message, id: entry.id }] : [])),
    ...(tools ? { toolSpecs: tools } : {}),
  });
  reportWarnings(result.problems, terminal);
  const target = flags.apply && !planned.fits ? flags.session : undefined;
  if (target !== undefined) await appendLines(target, formatSession(redactSecrets(result.entriesToAppend, secrets)));
  const summary = result.compactionSummaryEntry?.summary;
  return {
    fits: planned.fits,
    before,
    after: result.stats.inputTokens,
    // Without a summary that may be used, what would have been summarised is dropped.
    summarised: (summary === undefined ? [] : planned.toSummarise).map(({ id, message }) => ({
      id,
      role: message.role,
      text: onOneLine(previewOf(message), 60),
    })),
    summary,
    applied: target !== undefined,
  };
}

function outcomeText(
  { fits, before, after, summarised, summary, applied }: Outcome,
  file: string,
  terminal: Terminal,
): string {
  const style = styleFor(terminal);
  if (fits) return `Nothing has to be done: ${before} tokens fit.\n`;
  const sizes = `${style.bold(`${before} tokens`)} before, ${style.bold(`${after} tokens`)} after`;
  const list =
    summarised.length > 0
      ? `\n${style.bold(`Summarised (${summarised.length})`)}\n${renderTable(summarised, terminal, {
          entry: "id",
          role: styled("cyan", "role"),
          text: elastic("text", "dim"),
        })}\n`
      : "\nNothing is summarised: old tool results are left out, or old messages dropped.\n";
  const text = summary === undefined ? "" : `\n${style.bold("Summary")}\n${summary}\n`;
  return `${sizes}\n${list}${text}\n${applied ? `Appended to ${file}.` : "Nothing was written; --apply does it."}\n`;
}
