import { type CompactionLoss, lostNames } from "@galley/engine/proof";
import type { Command } from "commander";
import { readConversations } from "../../input/read-conversation.ts";
import { conversationArgument } from "../../input/place-names.ts";
import { type DataFlags, addDataFlags } from "../../input/options.ts";
import { printResult } from "../../terminal/report.ts";
import { elastic, renderTable } from "../../terminal/table.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";

const examples = `
Examples:
  $ galley lost ~/.claude/projects/-home-ada-boat/5c1f.jsonl      a log of Claude Code, as it lies there
  $ galley lost codex:019d6d29-8cf7-7fe3-adc9-8c3e4d9d5603        a session that was imported
  $ galley lost chat:demo --json`;

/** Of each compaction a person sees this many names; \`--json\` has all. */
const maxShown = 10;

/** `galley lost`: which names a compaction lost that were needed again [R4]. */
export function defineLost(command: Command, terminal: Terminal): void {
  addDataFlags(command)
    .description(
      "For each compaction of a conversation, Galley's own or the agent's: the names (files, symbols, ids, numbers) that the " +
        "replies after it used again, how many of them the window still showed, and where the others had stood.",
    )
    .argument("<place>", conversationArgument)
    .addHelpText("after", examples)
    .action(async (place: string, flags: DataFlags) => {
      const found = await readConversations(place, flags.data, terminal);
      const losses = found.map(({ id, entries }) => lossOf(id, lostNames(entries)));
      const told = losses.length > 1 ? losses.filter(({ compactions }) => compactions.length > 0) : losses;
      printResult(terminal, flags, { places: told }, () => lostText(told, terminal));
    });
}

function lossOf(place: string, compactions: readonly CompactionLoss[]) {
  const sum = (field: "usedAgain" | "survived"): number => compactions.reduce((total, one) => total + one[field], 0);
  return { place, usedAgain: sum("usedAgain"), survived: sum("survived"), compactions };
}

function lostText(losses: readonly ReturnType<typeof lossOf>[], terminal: Terminal): string {
  const style = styleFor(terminal);
  const texts = losses.map(({ place, usedAgain, survived, compactions }) => {
    if (compactions.length === 0) return `${style.bold(place)}  has no compaction, so that nothing was lost.\n`;
    const head = `${style.bold(place)}  ${survived} of ${usedAgain} names that were used again were still there ${share(survived, usedAgain)}\n`;
    return head + compactions.map((loss, index) => compactionText(loss, index + 1, terminal)).join("");
  });
  return texts.length === 0 ? "No compaction was found, so that nothing was lost.\n" : texts.join("\n");
}

function compactionText(loss: CompactionLoss, n: number, terminal: Terminal): string {
  const { by = "without a summary", usedAgain, survived, lost } = loss;
  const title = `\ncompaction ${n} (${by}): ${survived} of ${usedAgain} ${share(survived, usedAgain)}\n`;
  if (lost.length === 0) return title;
  const more = lost.length > maxShown ? `and ${lost.length - maxShown} more; --json lists all\n` : "";
  return `${title}${renderTable(lost.slice(0, maxShown), terminal, {
    "lost name": elastic("name"),
    "stood in message": "stoodAt",
    "needed by message": "neededAt",
    uses: "uses",
  })}\n${more}`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? "" : `(${Math.round((100 * part) / whole)} %)`;
}
