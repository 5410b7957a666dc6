import type { ImportReport } from "../files/import-report.ts";
import { type FieldReader, readFields } from "../files/read-fields.ts";
import { type TavernPersona, readRole } from "./tavern-files.ts";

/** A persona from the settings, or from a backup of all personas (the default one, else the first). */
export function readPersona(value: unknown, report: ImportReport): TavernPersona {
  const file = readFields(value, report);
  if (!file.has("persona_descriptions")) return readOne(file, "persona_description", file.text("name"));
  const names = file.fields("personas");
  const all = file.each("persona_descriptions");
  const found = all.find(({ key }) => key === file.text("default_persona")) ?? all[0];
  if (!found) return readOne(readFields({}, report), "description", "");
  if (all.length > 1)
    report.unsupported("persona_descriptions", `Of ${all.length} personas one is imported: ${found.key}.`);
  return readOne(found.fields, "description", names.text(found.key));
}

function readOne(fields: FieldReader, prefix: "persona_description" | "description", name: string): TavernPersona {
  const key = (field: string): string => (prefix === "description" ? field : `persona_description_${field}`);
  return {
    kind: "persona",
    name,
    text: fields.text(prefix),
    position: fields.number(key("position")) ?? 0,
    depth: fields.number(key("depth")) ?? 2,
    role: readRole(fields.source[key("role")]),
  };
}
