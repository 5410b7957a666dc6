import {
  GalleyError,
  type ModelMessage,
  type ToolSpec,
  digestOf,
  parseJson,
  redactSecrets,
  replay,
  tokenAccount,
  tokenizerForModel,
} from "@galley/engine";
import { diff, type BuildDiff, type Digestible } from "@galley/engine/proof";
import { messageSchema } from "@galley/engine/schemas";
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import { readSecrets } from "../../input/build-input.ts";
import { readRecords } from "../../input/read-conversation.ts";
import { type DataFlags, dataOption } from "../../input/options.ts";
import { readText } from "../../input/files.ts";
import { elastic, numbers, previewOf, renderTable, styled } from "../../terminal/table.ts";
import { parsePlace } from "../../input/place-names.ts";
import { readRecordedCall, recordAccounts } from "../../input/recorded-call.ts";
import { printResult } from "../../terminal/report.ts";
import { type Terminal, styleFor } from "../../terminal/terminal.ts";

interface DiffFlags extends DataFlags {
  readonly session?: string;
  readonly model?: string;
  readonly secret?: readonly string[];
}

/** `galley diff`: what changed from one build to another, and what it costs in cached tokens. */
export function defineDiff(command: Command, terminal: Terminal): void {
  command
    .description(
      "Compares two builds, each a file that `galley build --json` wrote, a call of the data folder (chat:demo#3: the third of the chat demo), or the id of a recorded build in --session.",
    )
    .argument("<a>", "the earlier build")
    .argument("<b>", "the later build")
    .option("-s, --session <place>", "the session file or place whose recorded builds are meant")
    .addOption(dataOption("the data folder of calls"))
    .option("-m, --model <id>", "whose tokenizer counts")
    .option("--secret <env...>", "environment variables whose values are masked in all output")
    .option("--json", "print one JSON document")
    .action(async (a: string, b: string, flags: DiffFlags) => {
      const account = tokenAccount(await tokenizerForModel(flags.model));
      const secrets = readSecrets(flags.secret ?? []);
      const [before, after] = [await readBuild(a, flags, terminal), await readBuild(b, flags, terminal)];
      const found = diff(before, after, account);
      const [left, right] = redactSecrets([before.messages, after.messages], secrets) as [
        ModelMessage[],
        ModelMessage[],
      ];
      const hasOtherTools =
        digestOf({ messages: [], tools: before.tools ?? [] }) !== digestOf({ messages: [], tools: after.tools ?? [] });
      const note = hasOtherTools ? "The tools differ.\n" : "";
      printResult(terminal, flags, { ...found, hasOtherTools }, () => note + diffText(found, left, right, terminal));
    });
}

async function readBuild(source: string, flags: DiffFlags, terminal: Terminal): Promise<Digestible> {
  const call = existsSync(source) ? undefined : parsePlace(source);
  if (call?.n !== undefined) return readRecordedCall(call, flags.data);
  if (source === "-" || existsSync(source) || flags.session === undefined) {
    return checkBuild(parseJson(await readText(source, terminal), { what: `build ${source}` }), source);
  }
  const { entries } = await readRecords(flags.session, flags.data, terminal);
  for (const { record, build } of replay(entries, await recordAccounts(entries)))
    if (record.id === source) return build;
  const hint = `galley replay ${flags.session} lists them.`;
  throw new GalleyError("NotFound", `${source} is neither a file nor a recorded build of ${flags.session}.`, {
    path: source,
    hint,
  });
}

function checkBuild(value: unknown, source: string): Digestible {
  const { messages, tools } = (typeof value === "object" && value !== null ? value : {}) as {
    messages?: unknown;
    tools?: unknown;
  };
  if (Array.isArray(messages) && messages.every((message) => messageSchema.safeParse(message).success)) {
    return { messages: messages as ModelMessage[], tools: Array.isArray(tools) ? (tools as ToolSpec[]) : [] };
  }
  const hint = "Write one with: galley build … --json > a.json";
  throw new GalleyError("ContextInvalidInput", `${source} is not a build: it has no list of messages.`, {
    path: source,
    hint,
  });
}

/** A message that is not the same at the same place, by its places before and after, counted from one. */
interface Difference {
  readonly what: string;
  readonly was?: number;
  readonly is?: number;
  readonly message: ModelMessage | undefined;
}

function diffText(
  found: BuildDiff,
  left: readonly ModelMessage[],
  right: readonly ModelMessage[],
  terminal: Terminal,
): string {
  const style = styleFor(terminal);
  const { same, moved, changed, prefix, firstChange } = found;
  if (firstChange === undefined) return `The messages are equal: ${same.length}.\n`;
  const rows: Difference[] = [
    ...moved.map(({ from, to }) => ({ what: "moved", was: from + 1, is: to + 1, message: right[to] })),
    ...changed.map(({ from, to }) => ({ what: "changed", was: from + 1, is: to + 1, message: right[to] })),
    ...found.appeared.map((to) => ({ what: "appeared", is: to + 1, message: right[to] })),
    ...found.left.map((from) => ({ what: "left", was: from + 1, message: left[from] })),
  ];
  const placeOf = ({ was = 0, is = was }: Difference): number => is;
  rows.sort((a, b) => placeOf(a) - placeOf(b));
  const table = renderTable(rows, terminal, {
    what: "what",
    was: numbers("was"),
    is: numbers("is"),
    role: styled("cyan", ({ message }) => message?.role),
    text: elastic(({ message }) => message && onOneLine(previewOf(message), 60), "dim"),
  });
  const kept = `${style.bold(`${same.length} the same`)}; they differ from message ${firstChange + 1} on`;
  return `${kept}; ${prefix.messages} messages (${prefix.tokens} tokens) of the prefix survive.\n\n${table}\n`;
}
