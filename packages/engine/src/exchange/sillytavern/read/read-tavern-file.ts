import { GalleyError } from "../../../model/check/errors.ts";
import { fieldsCheck, oneOfCheck, textCheck, wrongInput } from "../../../model/check/input.ts";
import { type ImportReport, importFailed, reportCheck } from "../../files/import-report.ts";
import { readCard, readCharxCard, readPngCard } from "./read-card.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";
import type { JsonObject } from "../../../model/messages.ts";
import { isJsonObject, jsonOr, parseJson } from "../../../model/parse-json.ts";
import { isPng } from "../../files/read-png-texts.ts";
import { readableLogs, readableTavern, unreadFile } from "../../files/unread-files.ts";
import { convertBook, isForeignBook } from "./foreign-books.ts";
import { foreignFile, foreignText, isHubAgent } from "./refuse-foreign.ts";
import { isChatHeader, isChatLine, readNote, readTavernChat } from "./read-tavern-chat.ts";
import { readTavernPreset } from "./read-tavern-preset.ts";
import { readWorldInfo } from "./read-world-info.ts";
import { zipStart } from "../../files/read-zip-file.ts";
import {
  type TavernFile,
  type TavernKind,
  type TavernPersona,
  type TavernSettings,
  maxLevels,
  readRole,
  tavernKinds,
} from "../tavern-files.ts";

export interface ReadTavernOptions {
  /** What the file is called, without folder and ending: books and presets have no other name. */
  readonly name: string;
  /** What it is; without it, its content tells. */
  readonly as?: TavernKind;
}

/** Pictures may be large; no file of text is. */
const maxPictureSize = 256 * 1024 * 1024;
const maxTextSize = 32 * 1024 * 1024;

const optionsCheck = fieldsCheck({ name: textCheck, as: oneOfCheck(tavernKinds) }, ["name"]);

/** Reads one of SillyTavern's files. The kind is detected from the content, never from the name. */
export function readTavernFile(bytes: Uint8Array, options: ReadTavernOptions, report: ImportReport): TavernFile {
  if (!(bytes instanceof Uint8Array)) throw wrongInput("bytes", "a Uint8Array", bytes);
  optionsCheck(options, "options");
  reportCheck(report, "report");
  if (bytes.length === 0)
    throw importFailed("The file is empty.", "A copy or a download was cut short: fetch it again.");
  if (bytes.length > maxPictureSize) throw importFailed(`The file is larger than ${maxPictureSize} bytes.`);
  if (isPng(bytes)) return readPngCard(bytes, report);
  const start = bytes[0];
  const isText =
    start === 0x7b || start === 0x5b || start === 0xef || (start !== undefined && start <= 0x20 && start >= 9);
  if (!isText && zipStart(bytes) !== undefined) return readCharxCard(bytes, report);
  if (!isText) throw unknownText(new TextDecoder().decode(bytes.subarray(0, startLength)), bytes);
  if (bytes.length > maxTextSize) throw importFailed(`The file is text and larger than ${maxTextSize} bytes.`);
  const text = new TextDecoder().decode(bytes);
  if (options.as === "chat" || (options.as === undefined && isChat(text))) return readTavernChat(text, report);
  const value = options.as === undefined ? jsonIn(text) : parseJson(text, { what: "file", levels: maxLevels });
  if (options.as === undefined && isOwnPreset(value)) {
    throw importFailed(
      "It is a preset of Galley's own; there is nothing to import.",
      "Build it, or export it to SillyTavern.",
    );
  }
  const kind = options.as ?? kindOf(value);
  if (kind === undefined) throw foreignFile(value) ?? unreadFile(value, "") ?? unrecognised();
  if (!isJsonObject(value)) throw importFailed("It should be a JSON object and is not.");
  return readAs(kind, value, text, options.name, report);
}

function readAs(kind: TavernKind, value: JsonObject, text: string, name: string, report: ImportReport): TavernFile {
  switch (kind) {
    case "world-info":
      return readWorldInfo(convertBook(value, report) ?? value, name, report);
    case "card":
      return readCard(value, report);
    case "preset":
      return readTavernPreset(value, name, report);
    case "authors-note":
      return readNote(readFields(value, report));
    case "persona":
      return readPersona(value, report);
    case "chat":
      return readTavernChat(text, report);
    case "settings":
      return readSettings(value, report);
  }
}

/** Of SillyTavern's settings: those of world info. */
function readSettings(value: unknown, report: ImportReport): TavernSettings {
  const file = readFields(value, report);
  const own = file.has("world_info_settings") ? file.fields("world_info_settings") : file;
  report.unsupported("settings", "Of the settings, those of world info are used; all others have no effect.");
  return { kind: "settings", worldInfo: own.source, worlds: own.fields("world_info").texts("globalSelect") };
}

/** A persona from the settings, or a backup of all personas: the default one, else the first, with the others beside it. */
function readPersona(value: unknown, report: ImportReport): TavernPersona {
  const file = readFields(value, report);
  if (!file.has("persona_descriptions")) return readOnePersona(file, "persona_description", file.text("name"));
  const names = file.fields("personas");
  const all = file.each("persona_descriptions");
  const chosen = all.findIndex(({ key }) => key === file.text("default_persona"));
  const others = all.map(({ key, fields }) => readOnePersona(fields, "description", names.text(key, key)));
  const found = others[Math.max(chosen, 0)];
  if (!found) return readOnePersona(readFields({}, report), "description", "");
  return others.length > 1 ? { ...found, others } : found;
}

function readOnePersona(
  fields: FieldReader,
  prefix: "persona_description" | "description",
  name: string,
): TavernPersona {
  const key = (field: string): string => (prefix === "description" ? field : `persona_description_${field}`);
  return {
    kind: "persona",
    name,
    text: fields.text(prefix),
    position: fields.number(key("position")) ?? 0,
    depth: fields.number(key("depth")) ?? 2,
    role: readRole(fields.source[key("role")]),
    world: fields.text(prefix === "description" ? "lorebook" : "persona_description_lorebook"),
  };
}

/** Enough to say what a text is that is not JSON. */
const startLength = 4096;

/** The JSON of a file of which nothing else is known. Lines of JSON that are not a chat are not JSON with a mistake. */
function jsonIn(text: string): unknown {
  const body = text.trimStart();
  if (body === "") throw importFailed("The file is empty: it has nothing but white space.");
  if (!/^[[{]/.test(body)) throw unknownText(body.slice(0, startLength));
  try {
    return parseJson(text, { what: "file", levels: maxLevels });
  } catch (error) {
    const [first = ""] = body.slice(0, maxLineLength).split("\n", 1);
    const record = jsonOr(first, first);
    throw record === first ? error : (unreadFile(record, "") ?? unrecognised());
  }
}

/** What is neither JSON nor a picture; some of it people take for a card. */
function unknownText(start: string, [first, second]: Uint8Array = new Uint8Array()): GalleyError {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) return importFailed("The file is text in UTF-16.", "Save it as UTF-8.");
  if ((first === 0xff && second === 0xd8) || /^(?:GIF8|RIFF.{4}WEBP)/s.test(start))
    return importFailed(
      "The file is a picture and not a PNG.",
      "Cards are PNGs; pictures that a site has converted lose theirs.",
    );
  if (/^\s*<(?:!doctype|html)/i.test(start))
    return importFailed("The file is a web page.", "It was saved under another file's name: download the file itself.");
  return foreignText(start) ?? unreadFile(undefined, start) ?? unrecognised();
}

/** A person may know better what it is, and say it by the option that the path names. */
function unrecognised(): GalleyError {
  const message = "The file is not recognised: it is neither the log of an agent nor one of SillyTavern's files.";
  return new GalleyError("ImportFailed", message, { path: "as", hint: `${readableTavern} ${readableLogs}` });
}

/** No line of a chat is longer. */
const maxLineLength = 4 * 1024 * 1024;

/** The first line of a chat is a header or a message. */
function isChat(text: string): boolean {
  const start = text.search(/\S/);
  const end = text.indexOf("\n", start);
  const first = text.slice(start, end < 0 ? undefined : end);
  // A whole file in one line would be parsed twice.
  if (first.length > maxLineLength || !/"(?:mes|chat_metadata|user_name|create_date)"/.test(first)) return false;
  const value = jsonOr(first, undefined);
  return isChatHeader(value) || isChatLine(value);
}

/** Looked for before anything else: its name and description are fields of a card as well. */
function isOwnPreset(value: unknown): boolean {
  const keys = ["contextRecipes", "presetMessages"];
  return isJsonObject(value) && keys.some((key) => Array.isArray(value[key])) && !isHubAgent(value);
}

function kindOf(value: unknown): TavernKind | undefined {
  if (!isJsonObject(value)) return undefined;
  if (isForeignBook(value)) return "world-info";
  const has = (...keys: string[]): boolean => keys.some((key) => key in value);
  const data = isJsonObject(value["data"]) ? value["data"] : {};
  if (
    (typeof value["spec"] === "string" && value["spec"].startsWith("chara_card")) ||
    "first_mes" in data ||
    "description" in data
  )
    return "card";
  if (
    has("prompts", "prompt_order", "main_prompt", "new_chat_prompt", "chat_completion_source", "openai_max_context")
  ) {
    return "preset";
  }
  if (has("world_info_settings", "power_user")) return "settings";
  // Their names and contents look like those of others.
  if (foreignFile(value)) return undefined;
  if (has("entries")) return "world-info";
  if (has("first_mes", "char_name", "char_persona", "mes_example")) return "card";
  if (has("persona_description", "persona_descriptions")) return "persona";
  if (has("note_prompt")) return "authors-note";
  return has("name") && has("description", "personality", "scenario") ? "card" : undefined;
}
