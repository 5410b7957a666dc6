import type { JsonObject, JsonValue } from "../../../model/messages.ts";
import { isJsonObject } from "../../../model/parse-json.ts";
import type { ImportReport } from "../../files/import-report.ts";
import { type FieldReader, readFields } from "../../files/read-fields.ts";

/** A lorebook of another program as SillyTavern converts it; nothing for one of its own. */
export function convertBook(value: JsonObject, report: ImportReport): JsonObject | undefined {
  const book = readFields(value, report);
  const reader = readers.find(({ is }) => is(value));
  if (!reader) return undefined;
  report.converted("entries", `It is a lorebook of ${reader.program}; it becomes world info.`);
  const entries = book
    .each(reader.list)
    .map(({ fields }, index): JsonObject => ({ uid: index, ...usual, ...reader.convert(fields), displayIndex: index }));
  return { entries: Object.fromEntries(entries.map((entry, index) => [String(index), entry])) };
}

const usual: JsonObject = {
  keysecondary: [],
  constant: false,
  selective: false,
  selectiveLogic: 0,
  position: 0,
  disable: false,
  excludeRecursion: false,
  preventRecursion: false,
  probability: 100,
  useProbability: true,
  depth: 4,
};

interface BookReader {
  readonly program: string;
  readonly is: (value: JsonObject) => boolean;
  /** The field that holds the entries. */
  readonly list: string;
  readonly convert: (entry: FieldReader) => JsonObject;
}

const readers: readonly BookReader[] = [
  {
    program: "NovelAI",
    is: (value) => "lorebookVersion" in value,
    list: "entries",
    convert: (entry) => ({
      key: entry.texts("keys"),
      comment: entry.text("displayName"),
      content: entry.text("text"),
      constant: entry.flag("forceActivation", false),
      order: entry.fields("contextConfig").number("budgetPriority") ?? 0,
      disable: !entry.flag("enabled", true),
    }),
  },
  {
    program: "Agnai",
    is: ({ kind, entries }) => kind === "memory" && Array.isArray(entries),
    list: "entries",
    convert: (entry) => ({
      key: entry.texts("keywords"),
      comment: entry.text("name"),
      content: entry.text("entry"),
      order: entry.number("weight") ?? 0,
      disable: !entry.flag("enabled", true),
    }),
  },
  {
    program: "RisuAI",
    is: ({ type, data }) => type === "risu" && Array.isArray(data),
    list: "data",
    convert: (entry) => ({
      key: listed(entry.source["key"]),
      keysecondary: listed(entry.source["secondkey"]),
      comment: entry.text("comment"),
      content: entry.text("content"),
      constant: entry.flag("alwaysActive", false),
      selective: entry.flag("selective", false),
      order: entry.number("insertorder") ?? 100,
      ...(entry.has("activationPercent") ? { probability: entry.number("activationPercent") ?? 100 } : {}),
    }),
  },
];

/** Keys that stand in one text. */
function listed(value: JsonValue | undefined): string[] {
  if (typeof value !== "string") return [];
  return value
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
}

/** Whether a file is a lorebook of another program. */
export function isForeignBook(value: unknown): boolean {
  return isJsonObject(value) && readers.some(({ is }) => is(value));
}
