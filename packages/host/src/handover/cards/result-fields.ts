import { type AssistantMessage, GalleyError, type JsonValue } from "@galley/engine";
import * as z from "zod";
import { fieldTypes } from "../options/tool-arguments.ts";
import { badRequest, dotted, parseRequest } from "../options/request-errors.ts";

const fieldSchema = z.strictObject({
  name: z.string().trim().min(1, "A field needs a name."),
  type: z.enum(fieldTypes).default("any"),
  description: z.string().optional(),
  required: z.boolean().default(true),
});

/** One field of the result that a task must give. */
export type ResultField = z.output<typeof fieldSchema>;

/** The fields of a `task.result_fields` card: a list of names or of `{name, type?, description?, required?}`. */
export function parseResultFields(value: unknown, path: string): readonly ResultField[] {
  if (!Array.isArray(value)) {
    throw badRequest(
      path,
      `${path} must be a list of fields, not ${describe(value)}.`,
      'For example ["summary", {"name": "score", "type": "number"}].',
    );
  }
  if (value.length === 0) throw badRequest(path, `${path} names no field.`, "Leave it out where any result will do.");
  const names = new Set<string>();
  return value.map((item: unknown, index) => {
    const field = parseRequest(fieldSchema, typeof item === "string" ? { name: item } : item, dotted(path, index));
    if (names.has(field.name)) {
      throw badRequest(dotted(path, index, "name"), `The field ${JSON.stringify(field.name)} is named twice.`);
    }
    names.add(field.name);
    return field;
  });
}

function describe(value: unknown): string {
  return value === null
    ? "null"
    : typeof value === "object"
      ? "an object"
      : `the ${typeof value} ${JSON.stringify(value)}`;
}

/** What the model is told of the contract. */
export function contractText(fields: readonly ResultField[]): string {
  const lines = fields.map(({ name, type, description, required }) => {
    const kind = [type === "any" ? "any value" : type, ...(required ? [] : ["optional"])].join(", ");
    return `- ${name} (${kind})${description ? `: ${description}` : ""}`;
  });
  return ["End with one JSON object that has these fields, and nothing after it:", ...lines].join("\n");
}

/** What is wrong with a result, by the contract. Further fields are allowed. */
export function resultProblems(fields: readonly ResultField[], value: JsonValue | undefined): readonly string[] {
  if (value === undefined) return ["The answer holds no JSON object."];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return ["The result is not a JSON object."];
  const given = value as Readonly<Record<string, JsonValue | undefined>>;
  return fields.flatMap(({ name, type, required }) => {
    const found = Object.hasOwn(given, name) ? given[name] : undefined;
    if (found === undefined) return required ? [`result.${name} is missing.`] : [];
    return isOfType(found, type) ? [] : [`result.${name} must be of type ${type}, not ${describe(found)}.`];
  });
}

function isOfType(value: JsonValue, type: ResultField["type"]): boolean {
  switch (type) {
    case "any":
      return true;
    case "integer":
      return Number.isSafeInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
  }
}

/** The JSON object in an answer: the whole of it, its last fenced block, or from its first brace to its last. */
export function resultInText(text: string): JsonValue | undefined {
  const fenced = [...text.matchAll(/```(?:json)?[^\S\n]*\n([\s\S]*?)```/g)].at(-1)?.[1];
  const braces = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1);
  for (const candidate of [text, fenced, braces]) {
    if (candidate === undefined || candidate.trim() === "") continue;
    try {
      const value = JSON.parse(candidate) as JsonValue;
      if (typeof value === "object" && value !== null) return value;
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined;
}

/** The result that a reply gives. One that breaks the contract is an error that is worth another attempt [H3]. */
export function resultOf({ content }: AssistantMessage, contract: readonly ResultField[] | undefined): JsonValue {
  const texts =
    typeof content === "string" ? [content] : content.flatMap((part) => (part.type === "text" ? part.text : []));
  const text = texts.join("\n");
  if (!contract) return text;
  const result = resultInText(text);
  const problems = resultProblems(contract, result);
  if (result !== undefined && problems.length === 0) return result;
  throw new GalleyError("ResultInvalid", `The result does not keep its contract: ${problems.join(" ")}`, {
    path: "result",
    hint: `It must hold ${contract.map(({ name }) => name).join(", ")}.`,
    retryable: true,
  });
}
