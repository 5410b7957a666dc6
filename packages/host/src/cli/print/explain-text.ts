import type { Preset } from "@galley/engine";
import { describeLedger } from "@galley/engine/proof";
import type { BuildDocument } from "../input/build-document.ts";
import { elastic, numbers, onOneLine, previewOf, renderTable, styled } from "../terminal/table.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

/** What is known of a build that is built now, and of one that was. */
export type ExplainedBuild = Pick<
  BuildDocument,
  "messages" | "tools" | "stats" | "budget" | "digest" | "recipe" | "ledger"
>;

/** A build as a table: position, role, source, tokens, why; then what was not sent and why. */
export function explainText(build: ExplainedBuild, terminal: Terminal, preset?: Preset): string {
  const style = styleFor(terminal);
  const rows = describeLedger({ ledger: build.ledger }, "en", { recipe: build.recipe?.id, names: namesOf(preset) });
  const sources = Map.groupBy(rows, ({ row }) => row.position);
  const sent = renderTable(
    [numbers("#", "dim"), styled("role", "cyan"), "from", numbers("tokens"), "why", elastic("text", "dim")],
    build.messages.map((message, index) => {
      const origins = sources.get(index) ?? [];
      return [
        String(index + 1),
        message.role,
        joined(origins.map(({ name }) => name)),
        String(origins.reduce((sum, { row }) => sum + (row.tokens ?? 0), 0)),
        joined([...new Set(origins.map(({ note }) => note))]),
        onOneLine(previewOf(message), 60),
      ];
    }),
    terminal,
  );
  const unsent = rows.filter(({ isSent, because }) => !isSent && because !== undefined);
  const unsentCount = unsent.reduce((sum, { row }) => sum + (row.count ?? 1), 0);
  const parts = [headline(build, terminal), "", build.messages.length > 0 ? sent : nothing];
  if (unsent.length > 0) {
    const lines = unsent.map(({ row, name, because = "" }) => [name, String(row.count ?? 1), because]);
    parts.push("", style.bold(`Not sent (${unsentCount})`));
    parts.push(renderTable(["from", numbers("messages"), "because"], lines, terminal));
  }
  return `${parts.join("\n")}\n`;
}

/** What people call a message, by its id. */
function namesOf(preset: Preset | undefined): ReadonlyMap<string, string> {
  const all = [...(preset?.messageTemplates ?? []), ...(preset?.presetMessages ?? [])];
  return new Map(all.flatMap(({ id, name }) => (id !== undefined && name ? [[id, name]] : [])));
}

const nothing =
  "Nothing is sent. What there is to send is named with --preset, --session, --chat, --system or --input.";
const maxJoined = 3;

function joined(parts: readonly string[]): string {
  const more = parts.length - maxJoined;
  // One more is named as well: it takes no more room than its number.
  if (more <= 1) return parts.join(" + ");
  return `${parts.slice(0, maxJoined).join(" + ")} + ${more} more`;
}

function headline({ stats, budget, recipe, messages, tools, digest }: ExplainedBuild, terminal: Terminal): string {
  const style = styleFor(terminal);
  const figure = `${stats.inputTokens.toLocaleString("en-US")} tokens`;
  const counted = countedText(stats);
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
