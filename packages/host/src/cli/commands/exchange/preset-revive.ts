import { parsePreset } from "@galley/engine";
import { reviveEntries } from "@galley/engine/sillytavern";
import type { Command } from "commander";
import { readText, writeText } from "../../input/files.ts";
import { toJson } from "../../terminal/report.ts";
import type { Terminal } from "../../terminal/terminal.ts";

interface ReviveFlags {
  readonly out?: string;
  readonly force?: boolean;
}

/** `galley preset revive`: lorebook entries that an earlier version imported come by their keys [X1]. */
export function definePresetRevive(command: Command, terminal: Terminal): void {
  command
    .argument("<file>", "preset (JSON) that an earlier version of galley import wrote; - reads standard input")
    .description(
      "Brings the lorebook entries of an earlier import alive, from what it kept of them: they come by their keys. " +
        "Entries that were switched off by hand stay off.",
    )
    .option("-o, --out <file>", "write to a file instead of standard output")
    .option("--force", "replace a file that already exists")
    .option("--json", "the output is JSON in any case")
    .action(async (file: string, flags: ReviveFlags) => {
      const { preset } = parsePreset(await readText(file, terminal));
      await writeText(flags.out, toJson(reviveEntries(preset)), terminal, { isForced: flags.force === true });
    });
}

/** Offers to bring entries alive that an earlier version imported. */
export function sleepingText(sleeping: number, file: string): string {
  if (sleeping === 0) return "";
  const what = `${sleeping} lorebook entries of an earlier import do not come by their keys.`;
  return `${what} To bring them alive: galley preset revive ${file} --out NEW.json\n`;
}
