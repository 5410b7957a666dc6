import { kindOf } from "../../../compose/preset/preset-items.ts";
import { presetCheck } from "../../../compose/preset/preset-schema.ts";
import type { Preset } from "../../../compose/preset/preset.ts";
import {
  explain,
  fieldsCheck,
  inputCheck,
  listCheck,
  objectCheck,
  oneOfCheck,
  textCheck,
} from "../../../model/check/input.ts";
import { toAdvanced } from "../../../compose/preset/simple-mode.ts";
import type { SessionEntry } from "../../../model/entries.ts";
import { entrySchemaFor } from "../../../model/entry-schema.ts";
import type { JsonObject } from "../../../model/messages.ts";
import { type CardVersion, cardVersions } from "./card-versions.ts";
import { cardText, normalizeNames } from "../example-dialogue.ts";
import { exportBooks } from "./export-books.ts";
import { type ExportedCard, exportCards } from "./export-card.ts";
import { exportChat } from "./export-chat.ts";
import { type ExportItem, itemsOf } from "./export-items.ts";
import { exportOrder } from "./export-order.ts";
import { exportPrompts } from "./export-prompts.ts";
import { type ImportNote, type ImportReport, importReport } from "../../files/import-report.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";
import { globalOrderId, readTavernPreset } from "../read/read-tavern-preset.ts";
import type { TavernPreset } from "../tavern-files.ts";
import { wholeForm } from "../tavern-pieces.ts";

export interface TavernExport {
  /** A chat-completion preset. */
  readonly preset: JsonObject;
  /** World info files, by the name of the book. */
  readonly books: readonly { readonly name: string; readonly book: JsonObject }[];
  /** The cards that were imported, each with the book inside it. */
  readonly cards: readonly ExportedCard[];
  /** The lines of a chat, where a session was given. */
  readonly chat?: string;
  /** What SillyTavern's files cannot say, each with the field of the preset. */
  readonly notes: readonly ImportNote[];
}

export interface TavernExportOptions {
  /** The model whose recipe is written. */
  readonly model?: string;
  /** What was said, to be written as a chat. */
  readonly entries?: readonly SessionEntry[];
  /** The version that cards are written in; unless given, the one that they have. */
  readonly cardVersion?: CardVersion;
}

const optionsCheck = fieldsCheck({
  model: textCheck,
  entries: listCheck(objectCheck),
  cardVersion: oneOfCheck(cardVersions),
});

/** Writes a preset as SillyTavern's files, as far as these can say it. What was not edited is written as it was imported. */
export function exportTavern(preset: Preset, options: TavernExportOptions = {}): TavernExport {
  presetCheck(preset, "preset");
  optionsCheck(options, "options");
  try {
    return write(preset, options);
  } catch (error) {
    throw explain(error, () => {
      listCheck((entry, path) => inputCheck(entrySchemaFor(entry))(entry, path))(
        options.entries ?? [],
        "options.entries",
      );
    });
  }
}

function write(preset: Preset, options: TavernExportOptions): TavernExport {
  const report = importReport();
  const items = itemsOf(toAdvanced(preset), options.model);
  const memory = readFields(readFields(preset.metadata, report).fields("sillytavern").source, report);
  const { books, embedded } = exportBooks(items, memory, report);
  const cards = exportCards(items, preset, memory, { version: options.cardVersion, embedded }, report);
  reportForeign(items, preset, { hasCard: cards.length > 0, hasChat: options.entries !== undefined }, report);
  return {
    preset: exportPreset(items, preset, memory, report),
    books,
    cards,
    ...(options.entries && { chat: exportChat(options.entries, items, preset, memory, report) }),
    notes: report.notes,
  };
}

/** The preset's own file. */
function exportPreset(
  items: readonly ExportItem[],
  preset: Preset,
  memory: FieldReader,
  report: ImportReport,
): JsonObject {
  const kept = memory.fields("preset").source;
  // Earlier imports did not keep the list of the prompts.
  const document = memory.has("preset") && memory.number("form") === wholeForm ? kept : undefined;
  const { prompts, order, wasSent, fields, worldInfoFormat } = exportPrompts(items, preset, document, report);
  const before = readTavernPreset({ ...kept, prompts: [] }, "");
  const changed = { ...fieldsOf(items, preset, worldInfoFormat, before, document === undefined), ...fields };
  if (!document) {
    const ordered = order.map(({ identifier, isEnabled }) => ({ identifier, enabled: isEnabled }));
    return { ...kept, ...changed, prompts, prompt_order: [{ character_id: globalOrderId, order: ordered }] };
  }
  const lists = exportOrder(order, document, wasSent);
  return {
    ...document,
    ...changed,
    ...("prompts" in document || prompts.length > 0 ? { prompts } : {}),
    ...(lists === undefined ? {} : { prompt_order: lists }),
  };
}

/** The fields of the preset that differ from what they were; all of them where there was no file. */
function fieldsOf(
  items: readonly ExportItem[],
  { postProcessing = {}, variables = {}, onContinue = {} }: Preset,
  worldInfoFormat: string | undefined,
  before: TavernPreset,
  isNew: boolean,
): JsonObject {
  const pieceOf = (from: string): string | undefined => {
    const item = items.find((one) => one.from === from);
    return item && (item.step?.enabled === false ? "" : item.content);
  };
  const isGroup = items.some((item) => item.from === "new-group-chat");
  const history = items.find((item) => item.from === "prompt" && kindOf(item.template) === "chat_history");
  const isSent = history?.step?.enabled === true;
  // Where the history is sent and its first text is not there, it was taken away.
  const beginning = isSent && !isGroup ? (pieceOf("new-chat") ?? "") : undefined;
  const format = before.worldInfoFormat.trim() === "{0}" ? "{0}" : before.worldInfoFormat;
  const now: readonly (readonly [string, string | undefined, string])[] = [
    ["new_chat_prompt", isNew ? (pieceOf("new-chat") ?? "") : beginning, before.newChat],
    ["new_example_chat_prompt", variables["newexample"], cardText(before.newExample)],
    ["wi_format", worldInfoFormat, format],
    ["continue_nudge_prompt", onContinue.nudge ?? postProcessing.continueLast, before.continueNudge],
    ["impersonation_prompt", pieceOf("impersonation"), before.impersonation],
    ["new_group_chat_prompt", isGroup && isSent ? pieceOf("new-group-chat") : undefined, before.newGroupChat],
    ["send_if_empty", isSent ? pieceOf("send-if-empty") : undefined, before.sendIfEmpty],
    ["group_nudge_prompt", isSent ? pieceOf("group-nudge") : undefined, before.groupNudge],
  ];
  const isSquashed = postProcessing.squashSystem ?? false;
  const isPrefilled = onContinue.prefill ?? false;
  return {
    ...Object.fromEntries(
      now
        .filter(([, text, was]) => text !== undefined && (isNew || text !== normalizeNames(was)))
        .map(([key, text]) => [key, text]),
    ),
    ...(isPrefilled === before.isContinuePrefilled ? {} : { continue_prefill: isPrefilled }),
    ...(isNew || isSquashed !== before.isSquashed ? { squash_system_messages: isSquashed } : {}),
  };
}

/** What belongs to other files, and what has no counterpart. */
function reportForeign(
  items: readonly ExportItem[],
  { postProcessing = {}, ...preset }: Preset,
  { hasCard, hasChat }: { readonly hasCard: boolean; readonly hasChat: boolean },
  report: ImportReport,
): void {
  const owners: Readonly<Record<string, string>> = {
    ...(hasCard ? {} : { card: "the card", example: "the card" }),
    ...(hasChat ? {} : { note: "the chat" }),
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
    if (from === undefined && (step?.priority ?? template.priority) !== undefined)
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
