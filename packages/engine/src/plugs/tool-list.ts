import * as z from "zod";
import type { Fields } from "../wire/shared/read-items.ts";

const known = new WeakMap<object, object>();

/** Tools of a framework in the form that `fit` counts: by name or as a list, with schemas of any kind. */
export function toolList(tools: unknown): readonly object[] | undefined {
  if (typeof tools !== "object" || tools === null) return undefined;
  const before = known.get(tools);
  if (before) return before as readonly object[];
  const named = Array.isArray(tools) ? tools.map((tool) => [undefined, tool] as const) : Object.entries(tools);
  const list = named.flatMap(([name, tool]) => {
    if (typeof tool !== "object" || tool === null) return [];
    const { description, inputSchema, parameters, schema, input_schema, ...rest } = tool as Fields;
    const own = name ?? rest["name"] ?? rest["id"] ?? rest["type"];
    const given = inputSchema ?? parameters ?? schema ?? input_schema;
    return [{ name: own, ...(typeof description === "string" ? { description } : {}), inputSchema: jsonSchema(given) }];
  });
  known.set(tools, list);
  return list;
}

/** A schema as JSON Schema: what a provider is sent. One that cannot be read counts as empty. */
function jsonSchema(schema: unknown): object {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return {};
  try {
    const { jsonSchema: own, "~standard": standard } = schema as { jsonSchema?: unknown; "~standard"?: Fields };
    if (typeof own === "object" && own !== null) return own;
    if ("_zod" in schema) return z.toJSONSchema(schema as z.ZodType, { io: "input", unrepresentable: "any" });
    const written = standard?.["jsonSchema"] as { input?: (options: object) => object } | undefined;
    if (written?.input) return written.input({ target: "draft-07" });
    // Without its functions, a plain schema is what it is.
    return JSON.parse(JSON.stringify(schema)) as object;
  } catch {
    return {};
  }
}
