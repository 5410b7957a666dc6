import type { ActantToolDefinition } from "../../config/providers/tool-definition.ts";
import { loadTemplate, renderTemplate } from "./templates.ts";

/** How an agent gets its token: in the text itself, or in a header or variable that the text only names [I6]. */
export type TokenDelivery = "prompt" | "env";

/** The environment variable that holds the token when the text does not. */
export const tokenVariable = "GALLEY_SESSION_TOKEN";

/** The last piece of system text: which tools there are, how each is called, and where the token is. */
export function toolInstructions(
  tools: readonly ActantToolDefinition[],
  token: string,
  delivery: TokenDelivery,
): string {
  const where =
    delivery === "prompt" ? `\`${token}\`` : `sent for you with every call, or in the variable \`${tokenVariable}\``;
  const toolList = tools.map(toolEntry).join("\n");
  return renderTemplate(loadTemplate("tool-instructions"), { toolList, token: where }).trim();
}

function toolEntry({ name, description, parameters, context }: ActantToolDefinition): string {
  const fields = fieldsOf(parameters, 0);
  const lines = [
    `- \`${name}(${fields.length === 0 ? "" : `{ ${signatureOf(fields)} }`})\`: ${indent(description, 2)}`,
  ];
  for (const field of fields) {
    if (field.description !== "") lines.push(`  - ${field.name}: ${indent(field.description, 4)}`);
  }
  if (context) lines.push(`  ${indent(context, 2)}`);
  return lines.join("\n");
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

function fieldsOf(schema: Readonly<Record<string, unknown>>, depth: number): Field[] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(objectAt(schema, "properties")).map(([name, property]) => ({
    name,
    type: typeName(property, depth),
    isRequired: required.includes(name),
    description: isObject(property) && typeof property["description"] === "string" ? property["description"] : "",
  }));
}

/** A schema as one would write its type. Deep ones are cut short: this is a reminder, the schema itself is the law. */
function typeName(schema: unknown, depth: number): string {
  if (!isObject(schema)) return "any";
  if (depth > 3) return "…";
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  for (const key of ["anyOf", "oneOf"]) {
    const branches = schema[key];
    if (Array.isArray(branches)) return branches.map((branch) => typeName(branch, depth + 1)).join(" | ");
  }
  const { type } = schema;
  if (Array.isArray(type)) return type.map((one) => typeName({ ...schema, type: one }, depth + 1)).join(" | ");
  if (type === "array") {
    const items = typeName(schema["items"], depth + 1);
    return items.includes(" | ") ? `(${items})[]` : `${items}[]`;
  }
  const fields = fieldsOf(schema, depth + 1);
  if (fields.length === 0) return typeof type === "string" ? type : "any";
  return `{ ${signatureOf(fields)} }`;
}

function signatureOf(fields: readonly Field[]): string {
  return fields.map(({ name, type, isRequired }) => `${name}${isRequired ? "" : "?"}: ${type}`).join(", ");
}

function indent(text: string, width: number): string {
  return text.trim().replaceAll("\n", `\n${" ".repeat(width)}`);
}

function objectAt(value: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const found = value[key];
  return isObject(found) ? found : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
