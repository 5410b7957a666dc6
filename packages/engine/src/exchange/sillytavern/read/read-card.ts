import { decodeBase64 } from "../../../model/base64.ts";
import { GalleyError } from "../../../model/check/errors.ts";
import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { parseJson } from "../../../model/parse-json.ts";
import { type ImportReport, importFailed, importReport } from "../../files/import-report.ts";
import { readFields } from "../../files/read-fields.ts";
import { readPngTexts } from "../../files/read-png-texts.ts";
import { readCharacterBook } from "./read-world-info.ts";
import { readZipFile } from "../../files/read-zip-file.ts";
import { type TavernCard, maxLevels, readRole } from "../tavern-files.ts";

/** A card's JSON: versions 1 to 3, and Pygmalion's. */
export function readCard(value: unknown, report: ImportReport = importReport()): TavernCard {
  const outer = readFields(value, report);
  const card = outer.has("data") ? outer.fields("data") : outer;
  // SillyTavern trims what it sends of a card and takes carriage returns out.
  const clean = (text: string): string => text.replaceAll("\r", "").trim();
  const either = (key: string, old: string): string =>
    card.has(key) ? card.text(key) : outer.text(key, outer.text(old));
  const extensions = card.fields("extensions");
  const depthPrompt = extensions.fields("depth_prompt");
  const name = clean(either("name", "char_name"));
  if (name === "") report.repaired("name", "The card has no name.");
  reportLeftOut(card.source, outer.source, report);
  const { regex_scripts: scripts } = extensions.source;
  if (Array.isArray(scripts) && scripts.length > 0)
    report.unsupported("extensions.regex_scripts", "Regex scripts are not run.");
  const others = Object.keys(extensions.source).filter((key) => !readExtensions.has(key));
  if (others.length > 0)
    report.unsupported("extensions", `These are kept for an export and have no effect: ${others.join(", ")}.`);
  const world = extensions.text("world") || card.fields("character_book").text("name") || `${name}'s Lorebook`;
  return {
    kind: "card",
    name,
    description: clean(either("description", "char_persona")),
    personality: clean(either("personality", "")),
    scenario: clean(either("scenario", "world_scenario")),
    // Of a greeting, the outer white space is sent.
    greeting: either("first_mes", "char_greeting").replaceAll("\r", ""),
    examples: clean(either("mes_example", "example_dialogue")),
    systemPrompt: clean(card.text("system_prompt")),
    postHistory: clean(card.text("post_history_instructions")),
    creatorNotes: card.text("creator_notes", outer.text("creatorcomment")),
    version: card.text("character_version"),
    otherGreetings: card.texts("alternate_greetings"),
    tags: card.texts("tags"),
    world: extensions.text("world"),
    depthPrompt: {
      text: clean(depthPrompt.text("prompt")),
      depth: depthPrompt.number("depth") ?? 4,
      role: readRole(depthPrompt.source["role"]),
    },
    book: card.has("character_book")
      ? readCharacterBook(card.source["character_book"], world, report.at("character_book."))
      : undefined,
    source: outer.source,
  };
}

/** What the book inside a card is called. */
export function bookName({ book, world, name }: TavernCard): string {
  return book?.name ?? (world || `${name}'s Lorebook`);
}

const leftOut = [
  ["group_only_greetings", "Greetings for groups do not become messages."],
  ["creator", "Who made the card is not sent."],
  ["tags", "Tags are not sent."],
  ["nickname", "SillyTavern does not read it either."],
  ["assets", "Pictures and sounds are not imported."],
  ["creator_notes_multilingual", "SillyTavern does not read it either."],
  ["source", "Where the card came from is not sent."],
] as const;

/** Fields of cards that are read, of all versions, and those that say what the file is. */
const readFieldsOfCards = new Set(
  (
    "name description personality scenario first_mes mes_example creator_notes system_prompt post_history_instructions " +
    "alternate_greetings character_book character_version extensions char_name char_persona world_scenario char_greeting " +
    "example_dialogue creatorcomment talkativeness fav spec spec_version data"
  ).split(" "),
);

/** Says what a card holds that is not taken. The outer fields of a newer card repeat the inner ones for older programs. */
function reportLeftOut(card: JsonObject, outer: JsonObject, report: ImportReport): void {
  const isSaid = (field: JsonValue | undefined): boolean =>
    field !== undefined && field !== null && field !== "" && !(Array.isArray(field) && field.length === 0);
  for (const [field, why] of leftOut) if (isSaid(card[field])) report.unsupported(field, why);
  const known = new Set<string>([...readFieldsOfCards, ...leftOut.map(([field]) => field)]);
  const others = Object.entries({ ...outer, ...card }).flatMap(([field, value]) =>
    known.has(field) || !isSaid(value) ? [] : [field],
  );
  if (others.length > 0)
    report.unsupported("fields", `These are kept for an export and have no effect: ${others.join(", ")}.`);
}

/** Fields of a card's extensions that are read. */
const readExtensions = new Set(["depth_prompt", "world", "regex_scripts", "talkativeness", "fav"]);

/** The card in a picture: `ccv3` before `chara`, and the next one when the first cannot be read. */
export function readPngCard(bytes: Uint8Array, report: ImportReport): TavernCard {
  const before = report.notes.length;
  const texts = readPngTexts(bytes, report);
  const found = ["ccv3", "chara"].flatMap((keyword) => texts.filter((text) => text.keyword === keyword));
  for (const keyword of ["ccv3", "chara"]) {
    const count = texts.filter((text) => text.keyword === keyword).length;
    if (count > 1)
      report.repaired(keyword, `The picture holds ${count} such chunks; the first that can be read counts.`);
  }
  for (const { keyword, data } of found) {
    // Some writers pad with zeros, and some put more behind the end.
    const [digits = ""] = new TextDecoder().decode(data).replaceAll("\0", "").split("=", 1);
    const decoded = decodeBase64(digits);
    if (!decoded) {
      report.repaired(keyword, "The chunk is not base64 and is left out.");
      continue;
    }
    try {
      return readCard(
        parseJson(new TextDecoder().decode(decoded), { what: `card in the chunk ${keyword}`, levels: maxLevels }),
        report,
      );
    } catch (error) {
      if (!(error instanceof GalleyError)) throw error;
      report.repaired(keyword, `${error.message} It is left out.`);
    }
  }
  // What was odd is the reason, and a report of an import that failed is not shown.
  const reasons = report.notes.slice(before).map(({ path, message }) => `${path}: ${message}`);
  const problem = "The picture holds no character card that can be read.";
  const hint =
    found.length > 0
      ? "Its card chunks are damaged; export the card again."
      : "A card stands in a tEXt chunk named chara or ccv3; pictures that a site has converted lose it.";
  throw importFailed([problem, ...new Set(reasons)].join(" "), hint);
}

/** The card in a CharX archive. */
export function readCharxCard(bytes: Uint8Array, report: ImportReport): TavernCard {
  const file = readZipFile(bytes, "card.json", report);
  if (!file) throw importFailed("The archive has no card.json.", "A CharX file has one at its root.");
  return readCard(
    parseJson(new TextDecoder().decode(file), { what: "card.json in the archive", levels: maxLevels }),
    report.at("card.json."),
  );
}
