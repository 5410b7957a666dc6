import { GalleyError, type Preset, redactSecrets } from "@galley/engine";
import { describeLedger } from "@galley/engine/proof";
import type { Command } from "commander";
import { onOneLine } from "../../../limits/short-text.ts";
import type { StoredBuild } from "../../../store/ports/build-store.ts";
import { buildDocument, type BuildDocument, nothingSent } from "../../input/build-document.ts";
import {
  addBuildFlags,
  type BuildFlags,
  flagsOfPlace,
  namesIn,
  readBuildInput,
  readSecrets,
} from "../../input/build-input.ts";
import { withPresets } from "../../input/connect.ts";
import { placeOfFlags, readNextCall } from "../../input/next-call.ts";
import { usualDataFolder } from "../../input/options.ts";
import { isFileName, parsePlace } from "../../input/place-names.ts";
import { readRecordedCall } from "../../input/recorded-call.ts";
import type { SettingInForce } from "../../../config/settings-in-force.ts";
import { settingsText } from "../../print/settings-text.ts";
import { reportWarnings, toJson } from "../../terminal/report.ts";
import { elastic, numbers, previewOf, renderTable, styled } from "../../terminal/table.ts";
import { styleFor, type Terminal } from "../../terminal/terminal.ts";

const examples = `
Examples:
  $ galley explain chat:demo                                     what the model has read in the newest call of a chat
  $ galley explain chat:demo#3 --json                            in its third
  $ galley explain --preset examples/recipes.json --model gpt-6.1-sol --session examples/session.jsonl
  $ galley explain --preset examples/simple.json --input "Where were we?" --budget 8000
  $ cat session.jsonl | galley explain --session - --json`;

/** `galley explain`: a build as a table with the reason for every message, sent or not. */
export function defineExplain(command: Command, terminal: Terminal): void {
  command
    .description("The build as a table: position, role, source, tokens, why; then what was not sent and why.")
    .argument(
      "[place]",
      "a call that was made, as it was sent: chat:demo#3, or chat:demo for the newest of the chat; also agent:NAME, task:ID or a session's id; or a session file, or -",
    );
  addBuildFlags(command)
    .addHelpText("after", examples)
    .action(async (call: string | undefined, flags: BuildFlags) => {
      // A conversation is named by its place, by a path, or as standard input [V4].
      const isFile = call === undefined || call === "-" || (await isFileName(call));
      const explained = isFile ? explainBuild(flagsOfPlace(call, flags), terminal) : explainCall(call, flags, terminal);
      terminal.out(await explained);
    });
}

async function explainBuild(flags: BuildFlags, terminal: Terminal): Promise<string> {
  const place = await placeOfFlags(flags);
  if (place) {
    const next = await readNextCall(place, flags, terminal);
    if (flags.json) return toJson(next);
    reportWarnings(next.warnings, terminal);
    return explainText(next, terminal) + setText(next.settings, terminal);
  }
  const input = await readBuildInput(flags, terminal);
  const { document } = buildDocument(input);
  if (flags.json) return toJson(document);
  reportWarnings(document.warnings, terminal);
  return explainText(document, terminal, redactSecrets(input.request.preset, input.secrets));
}

async function explainCall(call: string, flags: BuildFlags, terminal: Terminal): Promise<string> {
  const { json, secret = [], data = usualDataFolder(), ...others } = flags;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    throw new GalleyError("BadUsage", `A call that was run is shown as it was sent: --${other} has no effect on it.`, {
      hint: `Leave --${other} out, or leave ${call} out to build again.`,
    });
  }
  const secrets = readSecrets(secret);
  const { raw: _, ...found } = await readRecordedCall(parsePlace(call), data);
  const build = redactSecrets(found, secrets);
  if (json) return toJson(build);
  reportWarnings(build.problems, terminal);
  const isRefuted = build.usage !== null && build.usage.inputTokens !== build.stats.inputTokens;
  const text = { ...build, isRefuted, budget: { from: "flag", tokens: build.budget } } as const;
  const table = explainText(text, terminal, await presetOf(build, data));
  return headOf(call, build, terminal) + table + setText(build.settings, terminal);
}

function headOf(
  call: string,
  { n, turn, callOfTurn, at, model, usage }: Omit<StoredBuild, "raw">,
  terminal: Terminal,
): string {
  const name = styleFor(terminal).bold(`${parsePlace(call).sessionId}#${n}`);
  const answered = usage ? `the provider counted ${usage.inputTokens.toLocaleString("en-US")}` : "not answered";
  return `${name} (call ${callOfTurn} of turn ${turn}), sent to ${model} at ${new Date(at).toISOString()}; ${answered}\n`;
}

/** The context settings that somebody had set, and where each came from [T3]; all others had their defaults. */
function setText(all: StoredBuild["settings"] = [], terminal: Terminal): string {
  const settings = all.filter(({ from }) => from !== "default");
  if (settings.length === 0) return "\nAll context settings had their defaults.\n";
  const title = styleFor(terminal).bold(`Settings (${settings.length}; all others had their defaults)`);
  return `\n${title}\n${settingsText(settings as readonly SettingInForce[], terminal)}\n`;
}

/** For the names of its messages, as they are today; a preset that is gone leaves their ids. */
async function presetOf({ presetId }: Omit<StoredBuild, "raw">, data: string): Promise<Preset | undefined> {
  if (presetId === undefined) return undefined;
  try {
    return (await withPresets({ data }, (presets) => presets.get(presetId))).preset;
  } catch {
    return undefined;
  }
}

/** What is known of a build that is built now, and of one that was. */
type ExplainedBuild = Pick<
  BuildDocument,
  "messages" | "tools" | "stats" | "budget" | "digest" | "recipe" | "ledger"
> & {
  /** Whether the provider counted otherwise: a count of ours is not called exact then. */
  readonly isRefuted?: boolean;
};

/** A build as a table: position, role, source, tokens, why; then what was not sent and why. */
function explainText(build: ExplainedBuild, terminal: Terminal, preset?: Preset): string {
  const style = styleFor(terminal);
  const rows = describeLedger({ ledger: build.ledger }, "en", { recipe: build.recipe?.id, names: namesIn(preset) });
  const sources = Map.groupBy(rows, ({ row }) => row.position);
  const sent = build.messages.map((message, index) => ({ message, origins: sources.get(index) ?? [] }));
  const unsent = rows.filter(({ isSent, because }) => !isSent && because !== undefined);
  const unsentCount = unsent.reduce((sum, { row }) => sum + (row.count ?? 1), 0);
  const parts = [
    headline(build, terminal),
    "",
    sent.length > 0
      ? renderTable(sent, terminal, {
          "#": numbers((_, index) => index + 1, "dim"),
          role: styled("cyan", ({ message }) => message.role),
          from: ({ origins }) => joined(origins.map(({ name }) => name)),
          tokens: ({ origins }) => origins.reduce((sum, { row }) => sum + (row.tokens ?? 0), 0),
          why: ({ origins }) => joined([...new Set(origins.map(({ note }) => note))]),
          text: elastic(({ message }) => onOneLine(previewOf(message), 60), "dim"),
        })
      : nothingSent,
  ];
  if (unsent.length > 0) {
    parts.push(
      "",
      style.bold(`Not sent (${unsentCount})`),
      renderTable(unsent, terminal, {
        from: ({ row, name }) => (row.handle === undefined ? name : `${name} ${row.handle}`),
        messages: ({ row }) => row.count ?? 1,
        because: "because",
      }),
    );
  }
  return `${parts.join("\n")}\n`;
}

const maxJoined = 3;

function joined(parts: readonly string[]): string {
  const more = parts.length - maxJoined;
  // One more is named as well: it takes no more room than its number.
  if (more <= 1) return parts.join(" + ");
  return `${parts.slice(0, maxJoined).join(" + ")} + ${more} more`;
}

function headline(build: ExplainedBuild, terminal: Terminal): string {
  const { stats, budget, recipe, messages, tools, digest } = build;
  const style = styleFor(terminal);
  const figure = `${stats.inputTokens.toLocaleString("en-US")} tokens`;
  const counted = build.isRefuted ? `counted with ${stats.tokenizer}` : countedText(stats);
  const chosen = recipe ? `, recipe ${style.bold(recipe.id)} (chosen by ${recipe.pattern})` : "";
  const digestText = style.dim(`digest ${digest.slice(0, 16)}`);
  // What the sum of the table lacks is theirs.
  const described = tools.length > 0 ? ` and ${tools.length} ${tools.length === 1 ? "tool" : "tools"}` : "";
  return `${style.bold(figure)} (${counted}) in ${messages.length} messages${described}${chosen}${budgetText(budget)}\n${digestText}`;
}

function countedText({ exactness, tokenizer }: BuildDocument["stats"]): string {
  if (exactness === "exact") return `exact, ${tokenizer}`;
  return tokenizer === "other" ? `${exactness}, no known model named` : `${exactness}, ${tokenizer}`;
}

function budgetText({ from, tokens, reserve, model }: BuildDocument["budget"]): string {
  if (tokens === undefined) return "";
  const figure = tokens.toLocaleString("en-US");
  if (from === "flag") return `, of ${figure}`;
  return `, of ${figure} (the window of ${model}, with ${(reserve ?? 0).toLocaleString("en-US")} kept for the reply)`;
}
