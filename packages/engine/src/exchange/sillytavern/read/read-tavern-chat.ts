import type { TimedEffects } from "../../../compose/activation/activation.ts";
import { GalleyError } from "../../../model/check/errors.ts";
import type { JsonValue } from "../../../model/messages.ts";
import { isJsonObject, parseJson } from "../../../model/parse-json.ts";
import { type ImportReport, importFailed } from "../../files/import-report.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";
import { type TavernChat, type TavernLine, type TavernNote, maxLevels, readRole } from "../tavern-files.ts";

const maxLines = 100_000;
/** With this many unreadable lines, it is not a chat. */
const maxBadLines = 1000;

/** A chat file: JSON lines; a header first, which groups of old versions lack. A bad line is left out and reported. */
export function readTavernChat(text: string, report: ImportReport): TavernChat {
  let header: FieldReader | undefined;
  const lines: TavernLine[] = [];
  let bad = 0;
  for (const [index, source] of linesOf(text)) {
    const path = `line ${index + 1}`;
    const value = readLine(source, path, report);
    if (value === undefined) {
      bad += 1;
      if (bad > maxBadLines) throw tooMany(`More than ${maxBadLines} lines cannot be read.`);
      continue;
    }
    if (lines.length >= maxLines) throw tooMany(`There are more than ${maxLines} messages.`);
    const fields = readFields(value, report.at(`${path}.`));
    if (isChatHeader(value)) header ??= fields;
    else if (isChatLine(value)) lines.push(readMessage(fields, lines.at(-1)?.ts ?? 0, lines.length));
    else report.repaired(path, "Skipped: the line is not a message.");
  }
  const named = (key: string): string | undefined => {
    const name = header?.text(key) ?? "";
    return name === "" || name === "unused" ? undefined : name;
  };
  const metadata = header?.fields("chat_metadata");
  return {
    kind: "chat",
    header: header?.source,
    user: named("user_name"),
    character: named("character_name"),
    variables: readVariables(metadata),
    timed: readTimed(metadata),
    world: metadata?.text("world_info") ?? "",
    ignored: Object.keys(metadata?.source ?? {}).filter((key) => !readMetadata.has(key) && !key.startsWith("note_")),
    overrides: {
      scenario: metadata?.text("scenario").trim() ?? "",
      examples: metadata?.text("mes_example").trim() ?? "",
      systemPrompt: metadata?.text("system_prompt").trim() ?? "",
    },
    note:
      metadata && ["note_prompt", "note_depth", "note_position"].some((key) => metadata.has(key))
        ? readNote(metadata)
        : undefined,
    lines,
  };
}

export function isChatHeader(value: unknown): boolean {
  if (!isJsonObject(value) || "mes" in value) return false;
  // Cards have a date too.
  const isCard = "data" in value || "spec" in value || "first_mes" in value || "description" in value;
  return "chat_metadata" in value || "user_name" in value || ("create_date" in value && !isCard);
}

export function isChatLine(value: unknown): boolean {
  return isJsonObject(value) && "mes" in value && ("is_user" in value || "name" in value);
}

/** The lines that say something, with their index. */
function* linesOf(text: string): Generator<[number, string]> {
  let index = 0;
  for (let from = 0; from < text.length; index += 1) {
    const next = text.indexOf("\n", from);
    const end = next < 0 ? text.length : next;
    const line = end > from ? text.slice(from, end) : "";
    if (line.trim() !== "") yield [index, line];
    from = end + 1;
  }
}

function tooMany(message: string): GalleyError {
  const hint = "Check that the file is a chat; split it if it really is one.";
  return importFailed(`${message} No chat of SillyTavern's looks like this.`, hint);
}

function readLine(source: string, path: string, report: ImportReport): unknown {
  try {
    return parseJson(source, { what: `chat's ${path}`, levels: maxLevels });
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    report.repaired(path, `${error.message} The line is left out.`);
    return undefined;
  }
}

const readMetadata = new Set(["variables", "timedWorldInfo", "world_info", "scenario", "mes_example", "system_prompt"]);

function readVariables(metadata: FieldReader | undefined): Record<string, string> {
  const values = Object.entries(metadata?.fields("variables").source ?? {});
  return Object.fromEntries(
    values.flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? [[name, String(value)]]
        : [],
    ),
  );
}

/** Effects that are not whole are left out, as SillyTavern does. */
export function readTimed(metadata: FieldReader | undefined): TimedEffects | undefined {
  if (!metadata?.has("timedWorldInfo")) return undefined;
  const all = metadata.fields("timedWorldInfo");
  const read = (kind: string): TimedEffects["sticky"] =>
    Object.fromEntries(
      all.each(kind).flatMap(({ key, fields }) => {
        const { hash, start, end, protected: isProtected } = fields.source;
        if (typeof start !== "number" || typeof end !== "number" || typeof hash !== "number") return [];
        return [[key, { hash, start, end, protected: isProtected === true }]];
      }),
    );
  return { sticky: read("sticky"), cooldown: read("cooldown") };
}

/** A line; `before` is the time of the one before it. */
export function readMessage(fields: FieldReader, before: string | number, index: number): TavernLine {
  const extra = fields.fields("extra");
  const isUser = fields.flag("is_user", false);
  const isNarrator = extra.text("type") === "narrator";
  const swipes = swipeTexts(fields);
  const text = messageText(fields.source["mes"]) ?? fields.text("mes");
  return {
    name: fields.text("name"),
    text,
    role: isNarrator ? "system" : isUser ? "user" : "assistant",
    isUser,
    isHidden: fields.flag("is_system", false),
    isNarrator,
    index,
    hasAvatar: Boolean(fields.source["force_avatar"]),
    ts: readDate(fields.source["send_date"]) ?? before,
    swipes: swipes.filter((swipe) => swipe !== text),
    source: fields.source,
  };
}

/** Chub keeps a message as an object that holds its text. */
function messageText(value: JsonValue | undefined): string | undefined {
  return isJsonObject(value) && typeof value["message"] === "string" ? value["message"] : undefined;
}

function swipeTexts(fields: FieldReader): string[] {
  const { swipes } = fields.source;
  return Array.isArray(swipes) && swipes.some(isJsonObject)
    ? swipes.flatMap((swipe) => messageText(swipe) ?? (typeof swipe === "string" ? [swipe] : []))
    : fields.texts("swipes");
}

/** An author's note, from a chat's metadata or from a file of its own. */
export function readNote(fields: FieldReader): TavernNote {
  return {
    kind: "authors-note",
    text: fields.text("note_prompt"),
    interval: fields.number("note_interval") ?? 1,
    position: fields.number("note_position") ?? 1,
    depth: fields.number("note_depth") ?? 4,
    role: readRole(fields.source["note_role"]),
  };
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Dates of all ages: milliseconds, ISO 8601, "March 30, 2024 8:17pm", "2024-3-30@17h10m10s". Those without a zone count as UTC. */
function readDate(value: unknown): string | number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "string") return undefined;
  const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(value);
  if (iso) return iso[1] === undefined ? `${value}Z` : value;
  if (/^\d{10,14}$/.test(value)) return Number(value);
  const stamp = /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s/.exec(value);
  if (stamp) return isoDate(stamp.slice(1).map(Number));
  const said = /^([A-Z][a-z]{2,8}) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2}) ?([ap])m$/i.exec(value);
  const month = months.indexOf((said?.[1] ?? "").slice(0, 3).toLowerCase()) + 1;
  if (!said) return undefined;
  const hour = (Number(said[4]) % 12) + (said[6]?.toLowerCase() === "p" ? 12 : 0);
  return isoDate([Number(said[3]), month, Number(said[2]), hour, Number(said[5])]);
}

function isoDate([year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0]: readonly number[]):
  | string
  | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59) return undefined;
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}Z`;
}
