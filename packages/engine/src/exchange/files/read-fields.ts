import type { JsonObject, JsonValue } from "../../model/messages.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { type ImportReport, importReport } from "./import-report.ts";

/**
 * Reads the fields of an object that some program, some year, wrote. `null` is the same as nothing; a number in quotes
 * is a number; anything else of the wrong kind is ignored. All but `null` is reported as a repair.
 */
export interface FieldReader {
  readonly source: JsonObject;
  has(key: string): boolean;
  text(key: string, otherwise?: string): string;
  number(key: string): number | undefined;
  flag(key: string, otherwise: boolean): boolean;
  texts(key: string): string[];
  /** The fields of an object within; one without fields when there is none. */
  fields(key: string): FieldReader;
  /** The objects of a list, or of an object's values, each with its key. */
  each(key: string): { readonly key: string; readonly fields: FieldReader }[];
}

/** Of one list; far more than any file that people made has. */
const maxItems = 50_000;

/** Without a report, what is wrong is said to nobody. */
export function readFields(value: unknown, report: ImportReport = importReport()): FieldReader {
  const source = isJsonObject(value) ? value : {};
  const wrong = (key: string, wanted: string): void => {
    report.repaired(key, `It should be ${wanted} and is ${kindOf(source[key])}.`);
  };
  const reader: FieldReader = {
    source,
    has: (key) => source[key] !== undefined && source[key] !== null,
    text(key, otherwise = "") {
      const field = source[key] ?? undefined;
      if (typeof field === "string") return field;
      if (field === undefined) return otherwise;
      wrong(key, "a text");
      return typeof field === "number" || typeof field === "boolean" ? String(field) : otherwise;
    },
    number(key) {
      const field = source[key] ?? undefined;
      if (field === undefined || (typeof field === "number" && Number.isFinite(field))) return field;
      if (typeof field === "string" && field.trim() === "") return undefined;
      wrong(key, "a number");
      const read = typeof field === "string" || typeof field === "boolean" ? Number(field) : Number.NaN;
      return Number.isFinite(read) ? read : undefined;
    },
    flag(key, otherwise) {
      const field = source[key] ?? undefined;
      if (typeof field === "boolean") return field;
      if (field === undefined) return otherwise;
      if (typeof field !== "number") wrong(key, "true or false");
      return typeof field === "string" ? field.trim().toLowerCase() === "true" : Boolean(field);
    },
    texts(key) {
      const field = source[key] ?? undefined;
      if (field === undefined) return [];
      if (Array.isArray(field)) return field.filter((item): item is string => typeof item === "string");
      if (typeof field !== "string") wrong(key, "a list of texts");
      return typeof field === "string" ? field.split(",").map((item) => item.trim()) : [];
    },
    fields(key) {
      if (reader.has(key) && !isJsonObject(source[key])) wrong(key, "an object");
      return readFields(source[key], report.at(`${key}.`));
    },
    each(key) {
      const field = source[key] ?? undefined;
      if (field === undefined) return [];
      if (typeof field !== "object") wrong(key, "a list");
      const items: [string, JsonValue | undefined][] =
        typeof field === "object" && field !== null ? Object.entries(field) : [];
      const isList = Array.isArray(field);
      if (items.length > maxItems) report.unsupported(key, `Of ${items.length} items the first ${maxItems} are read.`);
      return items.slice(0, maxItems).flatMap(([name, item]) => {
        const path = isList ? `${key}[${name}]` : `${key}.${name}`;
        if (isJsonObject(item)) return [{ key: name, fields: readFields(item, report.at(`${path}.`)) }];
        report.repaired(path, `It should be an object and is ${kindOf(item)}; it is left out.`);
        return [];
      });
    },
  };
  return reader;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
