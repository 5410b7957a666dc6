import { type ErrorCode, GalleyError, type JsonValue, type Problem } from "@galley/engine";
import type { ToolResultOutput } from "@galley/engine/messages";
import type * as z from "zod";
import { isZod } from "./tool-specs.ts";
import type { Tool, ToolContent, ToolContext, ToolOutcome } from "./tool.ts";

/** Checks the arguments and runs the tool: the one way in which every face calls one [T2]. */
export async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutcome> {
  if (!tool.execute) throw new GalleyError("ToolFailed", `Nothing here can run ${tool.name}.`, { path: tool.name });
  return tool.execute(checkedInput(tool, input ?? {}), context);
}

/** A JSON Schema only describes; what it describes is for the tool to check. */
function checkedInput({ name, inputSchema }: Tool, input: unknown): unknown {
  if (!isZod(inputSchema)) return input;
  const { success, data, error } = inputSchema.safeParse(input);
  if (success) return data;
  const problems = argumentProblems(error.issues, "ToolInputInvalid");
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  throw new GalleyError("ToolInputInvalid", `${name}: ${first?.message ?? "The arguments are not valid."}${more}`, {
    path: first?.path ?? "",
    hint: "See the schema of the tool.",
    problems,
  });
}

/** Everything that a schema finds wrong with arguments, each at its path below `base`: `args.tasks.0.target_strategy`. */
export function argumentProblems(
  issues: readonly z.core.$ZodIssue[],
  code: ErrorCode,
  base: readonly PropertyKey[] = [],
): Problem[] {
  const problem = (keys: readonly PropertyKey[], what: string): Problem => {
    const path = keys.map(String).join(".");
    return { severity: "error", code, path, message: path === "" ? what : `${path}: ${what}` };
  };
  return issues.flatMap((issue) => {
    const keys = [...base, ...issue.path];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => problem([...keys, key], "There is no such argument."));
    }
    if (issue.code === "invalid_union") {
      // The alternative that came furthest is the one that was meant.
      const [branch] = issue.errors.toSorted((a, b) => (b[0]?.path.length ?? 0) - (a[0]?.path.length ?? 0));
      if (branch?.[0] && branch[0].path.length > 0) return argumentProblems(branch, code, keys);
    }
    return [problem(keys, issue.message.replace(/\.?$/, "."))];
  });
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
