import { loadTokenizer, tokenAccount } from "@galley/engine";
import { type LogRetention, type RetentionShare, logRetention } from "@galley/engine/proof";
import type { Command } from "commander";
import { conversationArgument } from "../../input/place-names.ts";
import { type DataFlags, addDataFlags, tokensFrom } from "../../input/options.ts";
import { readConversations } from "../../input/read-conversation.ts";
import { printResult } from "../../terminal/report.ts";
import { numbers, renderTable } from "../../terminal/table.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";

interface RetentionFlags extends DataFlags {
  readonly budget?: readonly number[];
}

interface PlaceRetention {
  readonly place: string;
  readonly rows: readonly LogRetention[];
}

const examples = `
Examples:
  $ galley retention ~/.codex/sessions/rollout-1.jsonl                    as the log says it was, and with Galley at 32k
  $ galley retention chat:demo --budget 8k --budget 128k --json`;

const usualBudget = 32_000;

/** `galley retention`: how much of what replies repeat was still in the input of their call [R5]. */
export function defineRetention(command: Command, terminal: Terminal): void {
  const tokens = tokensFrom(100);
  const described = command
    .description(
      "Of the names and lines in each reply that had occurred earlier: the share that was in the input of its call; for names " +
        "also the share that a handle in it leads to (context_recall), and the share that is lost. As the log says that it was, " +
        "and as it would be if Galley fitted the conversation into each budget. No model is asked.",
    )
    .argument("<place>", conversationArgument)
    .option(
      "--budget <tokens>",
      "fit it into this many tokens; may be given several times (default: 32k)",
      (text, before: readonly number[] | undefined) => [...(before ?? []), tokens(text)],
    );
  addDataFlags(described)
    .addHelpText("after", examples)
    .action(async (place: string, flags: RetentionFlags) => {
      const found = await readConversations(place, flags.data, terminal);
      const places: PlaceRetention[] = [];
      const options = {
        account: tokenAccount(await loadTokenizer("o200k_base")),
        budgets: flags.budget ?? [usualBudget],
      };
      for (const { id, entries } of found) places.push({ place: id, rows: await logRetention(entries, options) });
      printResult(terminal, flags, { places }, () => places.map((one) => placeText(one, terminal)).join("\n"));
    });
}

function placeText({ place, rows }: PlaceRetention, terminal: Terminal): string {
  return `${styleFor(terminal).bold(place)}\n${renderTable(rows, terminal, {
    fitted: ({ budget }) => (budget === null ? "as it was" : `Galley, ${budget}`),
    calls: ({ calls, refused }) => calls + refused,
    names: numbers(({ names }) => share(names, "present")),
    reachable: numbers(({ names }) => share(names, "reachable")),
    lost: numbers(({ names }) => share(names, "lost")),
    "far names": numbers(({ farNames }) => share(farNames, "present")),
    lines: numbers(({ lines }) => share(lines, "present")),
    "mean input": ({ tokens, calls }) => Math.round(tokens / Math.max(1, calls)),
  })}\n`;
}

function share(of: RetentionShare, part: "present" | "reachable" | "lost"): string {
  return of.used === 0 ? "–" : `${((100 * of[part]) / of.used).toFixed(1)} %`;
}
