import type { JsonObject, ToolSpec } from "@galley/engine";
import * as z from "zod";
import type { Tool } from "./tool.ts";

const schemas = new WeakMap<z.ZodType, JsonObject>();
const specs = new Map<string, ToolSpec>();
const maxSpecs = 2000;

/**
 * The tool as a model is told of it: the same object for the same words, from run to run, because what was counted and hashed
 * of a spec is known by the object.
 */
export function specOf({
  name,
  description,
  usage,
  inputSchema,
}: Pick<Tool, "name" | "description" | "usage" | "inputSchema">): ToolSpec {
  const told = usage === undefined ? description : `${description}\n${usage}`;
  const spec: ToolSpec = { name, description: told, inputSchema: jsonSchemaOf(inputSchema) };
  const key = JSON.stringify(spec);
  const known = specs.get(key);
  if (known) return known;
  if (specs.size >= maxSpecs) specs.clear();
  specs.set(key, spec);
  return spec;
}

/** A tool's schema as JSON Schema. */
export function jsonSchemaOf(schema: Tool["inputSchema"]): JsonObject {
  if (!isZod(schema)) return schema;
  const known = schemas.get(schema);
  if (known) return known;
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: "input" });
  schemas.set(schema, made as JsonObject);
  return made as JsonObject;
}

export function isZod(schema: Tool["inputSchema"]): schema is z.ZodType {
  return "safeParse" in schema && typeof schema["safeParse"] === "function";
}

/** The tool's name as a JSON-RPC method. */
export function rpcMethodOf({ rpcMethod, name }: Pick<Tool, "rpcMethod" | "name">): string {
  return rpcMethod ?? name;
}
