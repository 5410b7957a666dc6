import { kindOf } from "../../compose/preset/preset-items.ts";
import { presetCheck } from "../../compose/preset/preset-schema.ts";
import type { Preset } from "../../compose/preset/preset.ts";
import { fieldsCheck, textCheck } from "../../model/check-input.ts";
import { toAdvanced } from "../../compose/preset/simple-mode.ts";
import type { JsonObject } from "../../model/messages.ts";
import { exportBooks } from "./export-books.ts";
import { type ExportItem, itemsOf } from "./export-items.ts";
import { exportPrompts } from "./export-prompts.ts";
import { type ImportNote, type ImportReport, importReport } from "../files/import-report.ts";
import { readFields } from "../files/read-fields.ts";
import { globalOrderId } from "./read-tavern-preset.ts";

export interface TavernExport {
  /** A chat-completion preset. */
  readonly preset: JsonObject;
  /** World info files, by the name of the book. */
  readonly books: readonly { readonly name: string; readonly book: JsonObject }[];
  /** What SillyTavern's files cannot say, each with the field of the preset. */
  readonly notes: readonly ImportNote[];
}

/** Writes a preset as SillyTavern's files, as far as these can say it. */
export function exportTavern(preset: Preset, options: { readonly model?: string } = {}): TavernExport {
  presetCheck(preset, "preset");
  fieldsCheck({ model: textCheck })(options, "options");
  const { model } = options;
  const report = importReport();
  const advanced = toAdvanced(preset);
  const items = itemsOf(advanced, model);
  const memory = readFields(readFields(preset.metadata, report).fields("sillytavern").source, report);
  reportForeign(items, preset, report);
  const { prompts, order, newChat, worldInfoFormat } = exportPrompts(items, preset, report);
  const { postProcessing = {}, variables = {} } = preset;
  const text = (key: string, value: string | undefined): JsonObject => (value === undefined ? {} : { [key]: value });
  return {
    preset: {
      ...memory.fields("preset").source,
      ...text("new_chat_prompt", newChat),
      ...text("new_example_chat_prompt", variables["newexample"]),
      ...text("wi_format", worldInfoFormat),
      ...text("continue_nudge_prompt", postProcessing.continueLast),
      squash_system_messages: postProcessing.squashSystem ?? false,
      prompts,
      prompt_order: [{ character_id: globalOrderId, order }],
    },
    books: exportBooks(items, memory, report),
    notes: report.notes,
  };
}

/** What belongs to other files, and what has no counterpart. */
function reportForeign(
  items: readonly ExportItem[],
  { postProcessing = {}, ...preset }: Preset,
  report: ImportReport,
): void {
  const owners: Readonly<Record<string, string>> = {
    card: "the card",
    example: "the card",
    note: "the chat",
    persona: "the persona",
  };
  for (const [from, owner] of Object.entries(owners)) {
    const own = items.filter((item) => item.from === from);
    if (own.length > 0)
      report.unsupported(
        own[0]?.path ?? "",
        `What belongs to ${owner} is not written (${own.length}): ${own
          .slice(0, 3)
          .map((item) => item.template.id)
          .join(", ")}${own.length > 3 ? ", …" : ""}.`,
      );
  }
  for (const { template, step, strategy, from, path } of items) {
    if (step?.priority !== undefined || template.priority !== undefined)
      report.unsupported(`${path}.priority`, "Messages have no priority there.");
    if (strategy.mode === "frozen")
      report.unsupported(`${path}.injectionStrategy.mode`, "Nothing is frozen there; it floats.");
    if (from === undefined && template.speaker !== undefined)
      report.unsupported(`${path}.speaker`, "Prompts have no speaker there.");
    if (from === undefined && kindOf(template) === "user_profile")
      report.converted(path, "It becomes the marker of the persona.");
  }
  for (const name of ["mergeSystemToHead", "systemToUser", "mergeNeighbours", "forceAlternation"] as const) {
    if (postProcessing[name])
      report.unsupported(`postProcessing.${name}`, "It is a setting of the connection there, not of the preset.");
  }
  const recipes = preset.contextRecipes?.length ?? 0;
  if (recipes > 1)
    report.unsupported("contextRecipes", `A preset there has one order; ${recipes - 1} other recipes are not written.`);
}
