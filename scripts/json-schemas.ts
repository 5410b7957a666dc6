import { presetSchema, sessionEntrySchema } from "@galley/engine/schemas";
import * as z from "zod";

/** The committed schema files by name, made from the schemas that the engine itself checks with. */
export function jsonSchemas(): Record<string, string> {
  return {
    "preset.schema.json": toText(presetSchema, "inline"),
    // Written out at each place, the parts of messages would be half a megabyte.
    "session-entry.schema.json": toText(sessionEntrySchema, "ref"),
  };
}

function toText(schema: z.ZodType, reused: "inline" | "ref"): string {
  // Bytes and URL objects exist in memory only; in a file they are text, which the schemas allow as well.
  const json = z.toJSONSchema(schema, { unrepresentable: "any", io: "input", reused });
  return `${JSON.stringify(json, null, 2)}\n`;
}
