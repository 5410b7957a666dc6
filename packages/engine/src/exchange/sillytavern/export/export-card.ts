import type { Preset } from "../../../compose/preset/preset.ts";
import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { isJsonObject } from "../../../model/parse-json.ts";
import type { ImportReport } from "../../files/import-report.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";
import { type CardVersion, cardAs } from "./card-versions.ts";
import { normalizeNames } from "../example-dialogue.ts";
import type { ExportItem } from "./export-items.ts";
import { readCard } from "../read/read-card.ts";

export interface ExportedCard {
  readonly name: string;
  readonly card: JsonObject;
}

/** The cards that an import kept, with what was edited here: a group's speaker first. */
export function exportCards(
  items: readonly ExportItem[],
  preset: Preset,
  memory: FieldReader,
  { version, embedded }: { readonly version: CardVersion | undefined; readonly embedded: JsonValue | undefined },
  report: ImportReport,
): ExportedCard[] {
  return memory.each("cards").map(({ fields: { source } }, index) => {
    const edited = index === 0 ? editedCard(source, items, preset, memory, embedded, report) : source;
    const card = version === undefined ? edited : cardAs(edited, version, report);
    return { name: readCard(card).name, card };
  });
}

/** Where each field of a card is in old ones. */
const oldNames: Readonly<Record<string, string>> = {
  name: "char_name",
  description: "char_persona",
  scenario: "world_scenario",
  mes_example: "example_dialogue",
};

function editedCard(
  source: JsonObject,
  items: readonly ExportItem[],
  preset: Preset,
  memory: FieldReader,
  embedded: JsonValue | undefined,
  report: ImportReport,
): JsonObject {
  const before = readCard(source);
  const formats = memory.fields("preset");
  const texts: Record<string, string> = {};
  const marker = (identifier: string, field: string, format: string): void => {
    const item = items.find((one) => one.from === "prompt" && one.template.id === identifier);
    if (!item || item.source["imported"] === item.content || (!("imported" in item.source) && item.content === ""))
      return;
    const text = unformatted(item.content, normalizeNames(format), field);
    if (text !== undefined) texts[field] = text;
    else
      report.unsupported(
        `${item.path}: ${identifier}`,
        `The edited text does not fit the preset's ${field}_format; the card's own is written.`,
      );
  };
  marker("charDescription", "description", "{{description}}");
  marker("charPersonality", "personality", formats.text("personality_format", "{{personality}}"));
  marker("scenario", "scenario", formats.text("scenario_format", "{{scenario}}"));
  const name = preset.variables?.["char"];
  if (name !== undefined && name !== before.name) texts["name"] = name;
  const examples = editedExamples(items);
  if (examples !== undefined) texts["mes_example"] = examples;
  const note = items.find((item) => item.from === "card");
  const depthPrompt =
    note && note.source["imported"] !== undefined && note.source["imported"] !== note.content
      ? note.content
      : undefined;
  return withTexts(source, texts, depthPrompt, embedded);
}

/** What a format was put around; nothing where the format is not there any more. */
function unformatted(text: string, format: string, field: string): string | undefined {
  const [start, end, ...more] = (format === "" ? `{{${field}}}` : format).split(
    new RegExp(`\\{\\{\\s*${field}\\s*\\}\\}`, "i"),
  );
  if (start === undefined || end === undefined || more.length > 0) return undefined;
  const isAround = text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
  return isAround ? text.slice(start.length, text.length - end.length) : undefined;
}

/** The example dialogues as a card has them, where one was edited or taken away. */
function editedExamples(items: readonly ExportItem[]): string | undefined {
  const own = items.filter((item) => item.from === "example");
  const isEdited = own.some(
    ({ source, content, step }) =>
      source["imported"] !== undefined && (source["imported"] !== content || step?.enabled !== true),
  );
  if (!isEdited) return undefined;
  return own
    .filter(({ step }) => step?.enabled === true)
    .map(({ template: { speaker }, content }) => {
      if (speaker === undefined) return "<START>";
      return `${speaker === "example_user" ? "{{user}}" : "{{char}}"}: ${content}`;
    })
    .join("\n");
}

function withTexts(
  source: JsonObject,
  texts: Readonly<Record<string, string>>,
  depthPrompt: string | undefined,
  embedded: JsonValue | undefined,
): JsonObject {
  const put = (fields: JsonObject, isWhole: boolean): JsonObject => {
    const changed: Record<string, JsonValue | undefined> = { ...fields };
    for (const [field, text] of Object.entries(texts)) {
      const old = oldNames[field];
      if (old !== undefined && old in fields) changed[old] = text;
      else if (isWhole || field in fields) changed[field] = text;
    }
    return changed;
  };
  const inner = (fields: JsonObject): JsonObject => {
    const book = fields["character_book"];
    const extensions = readFields(fields["extensions"]);
    return {
      ...fields,
      ...(embedded !== undefined && isJsonObject(book) ? { character_book: { ...book, entries: embedded } } : {}),
      ...(depthPrompt === undefined
        ? {}
        : {
            extensions: {
              ...extensions.source,
              depth_prompt: { ...extensions.fields("depth_prompt").source, prompt: depthPrompt },
            },
          }),
    };
  };
  const { data } = source;
  if (!isJsonObject(data)) return inner(put(source, true));
  // Cards of the second version repeat what the first one had.
  return { ...put(source, false), data: inner(put(data, true)) };
}
