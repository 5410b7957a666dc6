import type { JsonObject, JsonValue, ToolSpec } from "@galley/engine";
import * as z from "zod";
import type { Tool } from "./tool.ts";

const schemas = new WeakMap<z.ZodType, JsonObject>();
const specs = new Map<string, ToolSpec>();
const maxSpecs = 2000;
/** The specs that were made of a schema: tools are made for each turn, their schemas are not. */
const bySchema = new WeakMap<object, ToolSpec[]>();

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
  const made = bySchema.get(inputSchema) ?? [];
  const own = made.find((spec) => spec.name === name && spec.description === told);
  if (own) return own;
  const spec = knownSpec(name, told, inputSchema);
  if (made.length < maxOfSchema) bySchema.set(inputSchema, [...made, spec]);
  return spec;
}

/** How many tools of one schema are known by it. */
const maxOfSchema = 8;

function knownSpec(name: string, told: string, inputSchema: Tool["inputSchema"]): ToolSpec {
  const spec: ToolSpec = { name, description: told, inputSchema: jsonSchemaOf(inputSchema) };
  const key = JSON.stringify(spec);
  const known = specs.get(key);
  if (known) return known;
  if (specs.size >= maxSpecs) specs.clear();
  specs.set(key, spec);
  return spec;
}

const lists: (readonly ToolSpec[])[] = [];
const maxLists = 32;

/** The specs of a place's tools: the same list for the same tools, so that a build knows it by the object. */
export function specsOf(tools: readonly Tool[]): readonly ToolSpec[] {
  const made = tools.map(specOf);
  const at = lists.findIndex(
    (list) => list.length === made.length && list.every((spec, index) => spec === made[index]),
  );
  const [found = made] = at < 0 ? [] : lists.splice(at, 1);
  lists.unshift(found);
  lists.length = Math.min(lists.length, maxLists);
  return found;
}

export function jsonSchemaOf(schema: Tool["inputSchema"]): JsonObject {
  if (!isZod(schema)) return schema;
  const known = schemas.get(schema);
  if (known) return known;
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const as = shortForms.get(zodSchema);
      if (!as) return;
      for (const key of Object.keys(jsonSchema)) if (key !== "description") Reflect.deleteProperty(jsonSchema, key);
      Object.assign(jsonSchema, as);
    },
  });
  const told = brief.has(schema) ? withoutLimits(made as JsonObject) : (made as JsonObject);
  schemas.set(schema, told);
  return told;
}

const brief = new WeakSet<z.ZodType>();
const shortForms = new WeakMap<object, JsonObject>();

/**
 * A schema of Galley's own, told without its limits and defaults: every call of a model pays for what is told [T10], and a call
 * that is beyond a limit is refused with its path in any case.
 */
export function toldBriefly<Schema extends z.ZodType>(schema: Schema): Schema {
  brief.add(schema);
  return schema;
}

/** A part of a schema that models are told of in this form; its description stays. */
export function toldAs<Schema extends z.ZodType>(schema: Schema, form: JsonObject): Schema {
  shortForms.set(schema, form);
  return schema;
}

const limits: ReadonlySet<string> = new Set(
  ["minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "default"].concat("additionalProperties"),
);

function withoutLimits(value: JsonObject): JsonObject {
  const told = (part: JsonValue | undefined): JsonValue | undefined => {
    if (Array.isArray(part)) return part.map((each) => told(each) ?? null);
    return typeof part === "object" && part !== null ? withoutLimits(part as JsonObject) : part;
  };
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => (limits.has(key) ? [] : [[key, told(part) ?? null]])),
  );
}

export function isZod(schema: Tool["inputSchema"]): schema is z.ZodType {
  return "safeParse" in schema && typeof schema["safeParse"] === "function";
}

/** The tool's name as a JSON-RPC method. */
export function rpcMethodOf({ rpcMethod, name }: Pick<Tool, "rpcMethod" | "name">): string {
  return rpcMethod ?? name;
}
