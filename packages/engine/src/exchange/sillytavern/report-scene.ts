import { variableLookup } from "../../compose/macros/placeholders.ts";
import type { MessageTemplate } from "../../compose/preset/preset.ts";
import { tavernMacros } from "../../compose/macros/tavern-macros.ts";
import { type ImportReport, importReport } from "../files/import-report.ts";
import { readFields } from "../files/read-fields.ts";
import type { TavernEntry } from "./tavern-files.ts";
import type { TavernScene } from "./tavern-layout.ts";
import type { Piece } from "./tavern-pieces.ts";

/** What was found, one note for each kind of thing. */
export function reportFiles({ card, preset, chat, persona, note, entries, report }: TavernScene): void {
  const { kind: _kind, name: _name, book: _book, depthPrompt, ...texts } = card;
  const said = Object.entries({ ...texts, depthPrompt: depthPrompt.text }).filter(([, text]) => text !== "");
  if (said.length > 0) report.kept(`card ${card.name}`, said.map(([name]) => name).join(", "));
  report.kept(`preset ${preset.name}`.trim(), `${preset.prompts.length} prompts, ${preset.order.length} in the order.`);
  const settings = Object.keys(preset.source).filter((key) => !builtFrom.has(key));
  if (settings.length > 0) {
    report.unsupported(
      `preset ${preset.name}`.trim(),
      `Settings of the model call and of the program are kept for an export and have no effect: ${settings.join(", ")}.`,
    );
  }
  if (chat) report.converted("chat", `${chat.lines.length} messages become a session; macros in them are filled in.`);
  if (persona && persona.text !== "") report.kept("persona", persona.text.slice(0, 60));
  if (note && note.text !== "") {
    if (note.interval === 1) report.kept("authors-note", note.text.slice(0, 60));
    else
      report.unsupported(
        "authors-note",
        `It speaks every ${note.interval} messages of the user; whether it is on was decided for this chat, once.`,
      );
  }
  for (const [name, own] of Map.groupBy(entries, ({ book }) => book.name)) {
    report.kept(`book ${name}`, `${own.length} entries, ${own.filter((one) => one.isActive).length} of them on.`);
  }
}

/** Fields of a preset that say what is sent. */
const builtFrom = new Set([
  "new_chat_prompt",
  "new_example_chat_prompt",
  "wi_format",
  "scenario_format",
  "personality_format",
  "continue_nudge_prompt",
  "names_behavior",
  "squash_system_messages",
  "wrap_in_quotes",
  "main_prompt",
  "nsfw_prompt",
  "jailbreak_prompt",
  "nsfw_toggle",
  "jailbreak_system",
]);

/** What becomes of each entry that is not simply sent. */
export function reportEntries({ entries, idleBooks, report }: TavernScene): void {
  for (const { book, entry, isActive } of entries) {
    const path = `${book.name}/${entry.uid}${entry.comment === "" ? "" : ` ${entry.comment}`}`;
    if (isActive && entry.position === undefined) {
      report.unsupported(path, "It has no position; SillyTavern does not send it either before it is saved again.");
    } else if (isActive) {
      const rules = rulesOf(entry);
      if (rules.length > 0)
        report.unsupported(
          path,
          `It is sent always; what it says about ${rules.join(", ")} is kept and has no effect.`,
        );
    } else if (idleBooks.includes(book))
      report.converted(path, "The book inside the card is switched off until it is asked for.");
    else if (entry.isDisabled) report.kept(path, "The entry is switched off, as it was.");
    else
      report.unsupported(
        path,
        `It waits for its keywords (${entry.keys.slice(0, 5).join(", ")}), which are kept; it is switched off.`,
      );
  }
}

/** What else decides in SillyTavern whether an entry is sent. */
function rulesOf({ source }: TavernEntry): string[] {
  const fields = readFields(source, importReport());
  const filter = fields.fields("characterFilter");
  const rules: readonly (readonly [string, boolean])[] = [
    ["chance", fields.flag("useProbability", true) && (fields.number("probability") ?? 100) < 100],
    ["its group", fields.text("group") !== ""],
    ["characters", filter.texts("names").length + filter.texts("tags").length > 0],
    ["kinds of replies", fields.texts("triggers").length > 0],
    ["delays", (fields.number("delay") ?? 0) > 0 || (fields.number("cooldown") ?? 0) > 0],
    ["recursion", (fields.number("delayUntilRecursion") ?? 0) > 0],
  ];
  return rules.flatMap(([rule, isSaid]) => (isSaid ? [rule] : []));
}

/** What these stand for is a matter of the moment and of the program's window. */
const liveMacros = new Set(["idle_duration", "input", "maxprompt"]);

/** Tells which macros will stay as they are when the preset is built. */
export function reportMacros(
  pieces: readonly Piece[],
  variables: Readonly<Record<string, string>>,
  report: ImportReport,
): void {
  const lookup = variableLookup({ variables: [variables] });
  const known = new Set(["model", "injected"]);
  const where = new Map<string, MessageTemplate[]>();
  const expand = tavernMacros({ lookup, now: "2000-01-01T00:00:00Z", chat: [] });
  for (const { template, isEnabled, override } of pieces) {
    if (!isEnabled) continue;
    expand(override ?? template.content ?? "", (name) => {
      if (known.has(name.toLowerCase())) return;
      const templates = where.get(name) ?? [];
      templates.push(template);
      where.set(name, templates);
    });
  }
  for (const [name, templates] of where) {
    const names = [...new Set(templates.map((template) => template.name ?? template.id))].slice(0, 3).join(", ");
    const why = liveMacros.has(name.toLowerCase()) ? "is known only to a running SillyTavern" : "has no value here";
    report.unsupported(names, `{{${name.slice(0, 80)}}} ${why} and is sent as it is; a build can be given a value.`);
  }
}
