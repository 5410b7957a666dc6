import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { isJsonObject } from "../../../model/parse-json.ts";
import { importReport, type ImportReport } from "../../files/import-report.ts";
import { readCard } from "../read/read-card.ts";
import { encodeBase64 } from "../../../model/base64.ts";
import { objectCheck, wrongInput } from "../../../model/check/input.ts";
import { isPng } from "../../files/read-png-texts.ts";
import { plainPng, writePngTexts } from "../../files/write-png-texts.ts";

export const cardVersions = ["v2", "v3"] as const;
/** A version of the card's format. */
export type CardVersion = (typeof cardVersions)[number];

/** Fields that the second version of the format does not have. */
const newInThird = new Set([
  "assets",
  "nickname",
  "creator_notes_multilingual",
  "source",
  "group_only_greetings",
  "creation_date",
  "modification_date",
]);

/** A card in another version of the format; what that one cannot say is reported. */
export function cardAs(card: JsonObject, version: CardVersion, report: ImportReport = importReport()): JsonObject {
  const whole = isJsonObject(card["data"]) ? card : fromFirst(card);
  const data = isJsonObject(whole["data"]) ? whole["data"] : {};
  if (version === "v2") return { ...whole, spec: "chara_card_v2", spec_version: "2.0", data: secondData(data, report) };
  return { ...whole, spec: "chara_card_v3", spec_version: "3.0", data: thirdData(data) };
}

function fromFirst(card: JsonObject): JsonObject {
  const { name, description, personality, scenario, greeting, examples } = readCard(card);
  const { creator_notes: notes, tags, extensions, character_book: book } = card;
  const said = { name, description, personality, scenario, first_mes: greeting, mes_example: examples };
  return {
    spec: "chara_card_v2",
    spec_version: "2.0",
    data: {
      ...said,
      creator_notes: typeof notes === "string" ? notes : "",
      system_prompt: "",
      post_history_instructions: "",
      alternate_greetings: [],
      tags: Array.isArray(tags) ? tags : [],
      creator: "",
      character_version: "",
      extensions: isJsonObject(extensions) ? extensions : {},
      ...(isJsonObject(book) ? { character_book: book } : {}),
    },
  };
}

function secondData(data: JsonObject, report: ImportReport): JsonObject {
  const kept = Object.entries(data).filter(([field, value]) => {
    if (!newInThird.has(field)) return true;
    const isEmpty =
      value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) report.unsupported(`card: ${field}`, "Cards of version 2 do not have it; it is left out.");
    return false;
  });
  return Object.fromEntries(kept);
}

function thirdData(data: JsonObject): JsonObject {
  const book = data["character_book"];
  const entries = isJsonObject(book) ? book["entries"] : undefined;
  // SillyTavern reads every key that looks like one as a regular expression, and says so.
  const withRule = (entry: JsonValue): JsonValue =>
    isJsonObject(entry) && !("use_regex" in entry) ? { ...entry, use_regex: true } : entry;
  return {
    ...data,
    ...("group_only_greetings" in data ? {} : { group_only_greetings: [] }),
    ...(isJsonObject(book) && Array.isArray(entries)
      ? { character_book: { ...book, entries: entries.map(withRule) } }
      : {}),
  };
}

/** A card as a picture: with both versions of it, as SillyTavern writes them; a plain grey where no PNG is given. */
export function cardPicture(card: JsonObject, picture?: Uint8Array): Uint8Array {
  objectCheck(card, "card");
  if (picture !== undefined && (!(picture instanceof Uint8Array) || !isPng(picture)))
    throw wrongInput("picture", "the bytes of a PNG", picture);
  const encoded = (version: "v2" | "v3"): string =>
    encodeBase64(new TextEncoder().encode(JSON.stringify(cardAs(card, version))));
  // The first is what programs of before version 3 read: what only version 3 can say stands in the second.
  return writePngTexts(picture ?? plainPng(), { chara: encoded("v2"), ccv3: encoded("v3") });
}
