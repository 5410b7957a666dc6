import type { Problem } from "../../model/errors.ts";

/** A tool as a validator sees it, whatever its provider calls its fields. */
export interface CheckedTool {
  readonly name: string;
  readonly namePath: string;
  readonly schema: unknown;
  readonly schemaPath: string;
}

export interface ToolRules {
  readonly name: RegExp;
  readonly nameRule: string;
  readonly maximum?: number;
  /** Some providers refuse a choice at the top of the schema. */
  readonly refusesTopLevelChoice?: boolean;
}

export function problem(path: string, message: string, hint?: string): Problem {
  return { severity: "error", code: "WireInvalid", message, path, ...(hint === undefined ? {} : { hint }) };
}

/** What a provider would refuse in the tools: names, duplicates, count, non-object schemas. */
export function checkTools(tools: readonly CheckedTool[], rules: ToolRules): Problem[] {
  const problems: Problem[] = [];
  const names = new Set<string>();
  if (tools.length > (rules.maximum ?? Infinity)) {
    problems.push(problem("tools", `There are ${tools.length} tools; at most ${rules.maximum} are taken.`));
  }
  for (const tool of tools) {
    problems.push(...checkName(tool.name, tool.namePath, rules));
    if (names.has(tool.name)) {
      problems.push(
        problem(tool.namePath, `Two tools are called ${JSON.stringify(tool.name)}.`, "Give each a name of its own."),
      );
    }
    names.add(tool.name);
    problems.push(...checkSchema(tool, rules));
  }
  return problems;
}

export function checkName(name: string, path: string, { name: pattern, nameRule }: ToolRules): Problem[] {
  if (pattern.test(name)) return [];
  return [problem(path, `The tool name ${JSON.stringify(name)} is not taken.`, `A name is ${nameRule}.`)];
}

function checkSchema({ name, schema, schemaPath }: CheckedTool, { refusesTopLevelChoice }: ToolRules): Problem[] {
  const type = field(schema, "type");
  if (type !== "object") {
    return [
      problem(
        schemaPath,
        `The schema of the tool ${JSON.stringify(name)} is not of type "object".`,
        'Set "type": "object" at its top.',
      ),
    ];
  }
  const choice = ["anyOf", "oneOf", "allOf"].find((key) => field(schema, key) !== undefined);
  if (refusesTopLevelChoice !== true || choice === undefined) return [];
  return [
    problem(
      schemaPath,
      `The schema of the tool ${JSON.stringify(name)} has ${choice} at its top.`,
      "Move the choice into a property.",
    ),
  ];
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
