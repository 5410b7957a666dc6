import { type LedgerRow, type Place, type Preset, provenance } from "@galley/engine";
import type { BuildDocument } from "../input/build-document.ts";
import { previewOf } from "../terminal/preview.ts";
import { onOneLine, renderTable } from "../terminal/table.ts";
import { type Terminal, styleFor } from "../terminal/terminal.ts";

/** What is known of a build that is built now, and of one that was. */
export type ExplainedBuild = Pick<
  BuildDocument,
  "messages" | "tools" | "stats" | "budget" | "digest" | "recipe" | "ledger"
>;

/** A build as a table: position, role, source, tokens, why; then what was not sent and why. */
export function explainText(build: ExplainedBuild, terminal: Terminal, preset?: Preset): string {
  const names = namesOf(preset);
  const nameOf = ({ kind, id }: LedgerRow): string => (kind === "step" && names.get(id)) || id;
  const style = styleFor(terminal);
  const sources = provenance(build.ledger);
  const sent = renderTable(
    [
      { title: "#", isNumber: true, style: "dim" },
      { title: "role", style: "cyan" },
      { title: "from" },
      { title: "tokens", isNumber: true },
      { title: "why" },
      { title: "text", isElastic: true, style: "dim" },
    ],
    build.messages.map((message, index) => {
      const rows = sources[index] ?? [];
      return [
        String(index + 1),
        message.role,
        joined(rows.map(nameOf)),
        String(rows.reduce((sum, row) => sum + (row.tokens ?? 0), 0)),
        joined([...new Set(rows.map((row) => sentReason(row)))]),
        onOneLine(previewOf(message), 60),
      ];
    }),
    terminal,
  );
  const unsent = build.ledger.filter((row) => row.position === undefined && row.fate !== "anchor");
  const unsentCount = unsent.reduce((sum, row) => sum + (row.count ?? 1), 0);
  const parts = [headline(build, terminal), "", build.messages.length > 0 ? sent : nothing];
  if (unsent.length > 0) {
    const rows = unsent.map((row) => [nameOf(row), row.count ? String(row.count) : "1", unsentReason(row)]);
    parts.push("", style.bold(`Not sent (${unsentCount})`));
    parts.push(
      renderTable([{ title: "from" }, { title: "messages", isNumber: true }, { title: "because" }], rows, terminal),
    );
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

function sentReason(row: LedgerRow): string {
  const parts = [placeText(row)];
  if (row.movedBy) parts.push(`moved ${row.movedBy} up, to keep a call with its result`);
  if (row.fate === "masked") parts.push("its result is left out, to save room");
  if (row.fate === "shrunk") parts.push("its middle is left out, to save room");
  if (row.fate === "merged") parts.push(`merged (${row.rule})`);
  if (row.roleChanged) parts.push("sent as user");
  return parts.join("; ");
}

function placeText({ kind, id, place, rule }: LedgerRow): string {
  switch (kind) {
    case "message":
      return "history";
    case "profile":
      return "user profile";
    case "fragment":
      return "given by the caller";
    case "hint":
      return "runtime hint";
    case "earlier":
      return "earlier history";
    case "generated":
      if (rule === "continueLast") return "asks for more of the last message";
      if (id !== "summary" && rule === undefined) return "made up: the call was never answered";
      return rule === "forceAlternation" ? "filler, so that roles alternate" : "stands for earlier history";
    case "step":
      return place ? presetPlaceText(place) : "preset";
  }
}

function presetPlaceText(place: Place): string {
  switch (place.kind) {
    case "list":
      return "preset, in list order";
    case "depth":
      return place.depth === 0
        ? "depth 0: after the newest message"
        : `depth ${place.depth}: before the last ${place.depth}`;
    case "anchor":
      return `${place.side} anchor ${place.target}`;
  }
}

function unsentReason({ fate, rule, place }: LedgerRow): string {
  if (fate === "disabled") return "it is disabled in the preset";
  if (rule === "unresolved-anchor" && place?.kind === "anchor") {
    return `its anchor ${place.target} is disabled or not part of this recipe`;
  }
  if (fate === "summarised") return "a summary stands for it";
  if (rule === "limit") return "there was no room for it";
  if (rule === "orphan") return "it answers a call that is not there";
  if (rule === "duplicate") return "it stands in the session twice";
  if (rule === "redacted") return "it was redacted";
  if (rule === "no-place") return "the preset has no user_profile message to put it in";
  if (rule === "empty") return "its text is empty";
  if (rule === "omitHistory") return "the preset sends no history";
  return rule ? `${fate} (${rule})` : fate;
}
