import type { fromJsonSchema as FromJsonSchema } from "@modelcontextprotocol/server";
import { type ErrorCode, GalleyError, type JsonObject, type JsonValue, type Problem } from "@galley/engine";
import type { ToolResultOutput } from "@galley/engine/messages";
import type * as z from "zod";
import { isZod } from "./tool-specs.ts";
import type { Tool, ToolContent, ToolContext, ToolOutcome } from "./tool.ts";

/** Checks the arguments and runs the tool: the one way in which every face calls one [T2]. */
export async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  if (!tool.execute) throw new GalleyError("ToolFailed", `Nothing here can run ${tool.name}.`, { path: tool.name });
  return tool.execute(await checkedInput(tool, input ?? {}), context);
}

/** Arguments come from models and strangers: whichever kind of schema the tool has, they are held to it. */
async function checkedInput({ name, inputSchema }: Tool, input: unknown): Promise<unknown> {
  if (!isZod(inputSchema)) {
    const problems = await describedProblems(name, inputSchema, input);
    if (problems.length > 0) throw invalidInput(name, problems);
    return input;
  }
  const { success, data, error } = inputSchema.safeParse(input);
  if (success) return data;
  throw invalidInput(name, argumentProblems(error.issues, "ToolInputInvalid"));
}

function invalidInput(name: string, problems: readonly Problem[]): GalleyError {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return new GalleyError("ToolInputInvalid", `${name}: ${first?.message ?? "The arguments are not valid."}${more}`, {
    path: first?.path ?? "",
    hint: "See the schema of the tool.",
    problems,
  });
}

async function describedProblems(name: string, schema: JsonObject, input: unknown): Promise<readonly Problem[]> {
  // Loaded when it is used: the library does without MCP until then.
  const { fromJsonSchema } = await import("@modelcontextprotocol/server");
  let compiled = compiledSchemas.get(schema);
  try {
    compiled ??= fromJsonSchema(schema as Parameters<typeof fromJsonSchema>[0]);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GalleyError("ToolFailed", `The input schema of ${name} is not a valid JSON Schema: ${reason}.`, {
      path: name,
      hint: "Fix the schema of the tool.",
      cause,
    });
  }
  compiledSchemas.set(schema, compiled);
  const { issues = [] } = await compiled["~standard"].validate(input);
  // One sentence holds all of them: "data/a must be string, data/b must have …".
  return issues
    .flatMap(({ message }) => message.split(/, (?=data[ /])/))
    .map((sentence) => {
      const [, path = "", what = sentence] = /^data(\S*) (.*)$/s.exec(sentence) ?? [];
      return problem("ToolInputInvalid", path.split("/").slice(1), `It ${what}.`);
    });
}

const compiledSchemas = new WeakMap<JsonObject, ReturnType<typeof FromJsonSchema>>();

/** Everything that a schema finds wrong with arguments, each at its path below `base`: `args.tasks.0.target_strategy`. */
export function argumentProblems(
  issues: readonly z.core.$ZodIssue[],
  code: ErrorCode,
  base: readonly PropertyKey[] = [],
): Problem[] {
  return issues.flatMap((issue) => {
    const keys = [...base, ...issue.path];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => problem(code, [...keys, key], "There is no such argument."));
    }
    if (issue.code === "invalid_union") {
      // The alternative that came furthest is the one that was meant.
      const [branch] = issue.errors.toSorted((a, b) => (b[0]?.path.length ?? 0) - (a[0]?.path.length ?? 0));
      if (branch?.[0] && branch[0].path.length > 0) return argumentProblems(branch, code, keys);
    }
    return [problem(code, keys, issue.message.replace(/\.?$/, "."))];
  });
}

function problem(code: ErrorCode, keys: readonly PropertyKey[], what: string): Problem {
  const path = keys.map(String).join(".");
  return { severity: "error", code, path, message: path === "" ? what : `${path}: ${what}` };
}

/** What a tool gave, as the result that a model reads. */
export function outputOf(content: readonly ToolContent[]): ToolResultOutput {
  const [only] = content;
  if (content.length === 1 && only?.type === "json") return { type: "json", value: only.value };
  if (content.length === 1 && only?.type === "text") return { type: "text", value: only.text };
  return {
    type: "content",
    value: content.map((part) => {
      switch (part.type) {
        case "json":
          return { type: "text", text: JSON.stringify(part.value) };
        case "text":
          return { type: "text", text: part.text };
        case "media": {
          const { data, mediaType, filename } = part;
          if (mediaType.startsWith("image/")) return { type: "image-data", data, mediaType };
          return { type: "file-data", data, mediaType, ...(filename === undefined ? {} : { filename }) };
        }
      }
    }),
  };
}

/** What a tool gave, as one value: for callers that take data only. */
export function valueOf(content: readonly ToolContent[]): JsonValue {
  const [only] = content;
  if (content.length === 1 && only?.type === "json") return only.value;
  if (content.length === 1 && only?.type === "text") return only.text;
  return content.map((part) => ({ ...part }));
}
