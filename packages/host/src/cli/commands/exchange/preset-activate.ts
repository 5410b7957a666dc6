import { type LedgerRow, scanEntries } from "@galley/engine";
import { describeRow } from "@galley/engine/proof";
import type { Command } from "commander";
import { type BuildFlags, addBuildFlags, namesIn, readBuildInput } from "../../input/build-input.ts";
import { printResult } from "../../terminal/report.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";

const examples = `
Examples:
  $ galley preset activate mara.json --session mara.jsonl                   what the next reply would read of the books
  $ galley preset activate mara.json --input "Tell me of the lighthouse"    a sentence, tried out
  $ galley preset activate mara.json --session mara.jsonl --json`;

/** `galley preset activate`: which lorebook entries come, why, at which cost, and why the others do not [K3]. */
export function definePresetActivate(command: Command, terminal: Terminal): void {
  addBuildFlags(command.argument("<preset>", "preset (JSON); - reads standard input"))
    .description(
      "Says which messages of a preset come with what was said last: by which key, in which order, at which cost; and why the others do not.",
    )
    .addHelpText("after", examples)
    .action(async (preset: string, flags: BuildFlags) => {
      const { request } = await readBuildInput({ ...flags, preset }, terminal);
      const rows = scanEntries(request);
      const names = namesIn(request.preset);
      printResult(terminal, flags, { entries: rows.map((row) => reportOf(row, names)) }, () =>
        reportText(rows, names, terminal),
      );
    });
}

type Names = ReadonlyMap<string, string>;

function reportOf(row: LedgerRow, names: Names): object {
  const { id, fate, rule, why, until, tokens } = row;
  return {
    id,
    name: names.get(id),
    isActive: why !== undefined,
    fate,
    rule,
    why,
    until,
    tokens,
    because: becauseOf(row),
  };
}

/** Why it is there, or why not, as a part of a sentence. */
function becauseOf(row: LedgerRow): string {
  const { came, because } = describeRow(row);
  return [came, because].filter(Boolean).join("; ");
}

function reportText(rows: readonly LedgerRow[], names: Names, terminal: Terminal): string {
  const style = styleFor(terminal);
  const there = rows.filter((row) => row.why !== undefined);
  const tokens = there.reduce((sum, row) => sum + (row.tokens ?? 0), 0);
  const nameOf = ({ id }: LedgerRow): string => (names.has(id) ? `${id} (${names.get(id)})` : id);
  if (rows.length === 0) return "The preset has no messages that come and go with the chat.\n";
  const lines = there.map((row, index) => {
    const cost = row.tokens === undefined ? "" : `, ${row.tokens} tokens`;
    return `  ${index + 1}. ${style.bold(nameOf(row))}${style.dim(cost)}: ${becauseOf(row)}\n`;
  });
  const reasons = Map.groupBy(
    rows.filter((row) => row.why === undefined),
    becauseOf,
  );
  const others = [...reasons].map(([because, list]) => {
    const some = list.slice(0, 5).map(nameOf).join(", ");
    return `  ${list.length}: ${because} ${style.dim(`(${some}${list.length > 5 ? ", …" : ""})`)}\n`;
  });
  const head = `${style.bold(`There: ${there.length} of ${rows.length}`)}, ${tokens} tokens\n`;
  const tail = others.length === 0 ? "" : `\n${style.bold("Not there")}\n${others.join("")}`;
  return head + lines.join("") + tail;
}
