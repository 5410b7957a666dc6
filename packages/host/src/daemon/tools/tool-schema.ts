import { type StandardSchemaWithJSON, fromJsonSchema } from "@modelcontextprotocol/server";
import type * as z from "zod";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Whatever has the schema of a tool's arguments. */
export interface WithInputSchema {
  /** A zod schema or a JSON Schema. */
  readonly inputSchema: z.ZodType | JsonSchema;
}

const schemas = new WeakMap<object, StandardSchemaWithJSON>();

/** The schema in the form that both checks and describes itself. */
export function schemaOf({ inputSchema }: WithInputSchema): StandardSchemaWithJSON {
  if ("~standard" in inputSchema) return inputSchema as unknown as StandardSchemaWithJSON;
  const schema = schemas.get(inputSchema) ?? fromJsonSchema(inputSchema as Parameters<typeof fromJsonSchema>[0]);
  schemas.set(inputSchema, schema);
  return schema;
}

/** The arguments' schema as JSON Schema. */
export function parametersOf(tool: WithInputSchema): JsonSchema {
  const { $schema: _, ...parameters } = schemaOf(tool)["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  return parameters;
}
