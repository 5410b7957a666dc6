import type { Problem } from "../../model/check/errors.ts";
import { isJsonObject } from "../../model/parse-json.ts";

/** Takes one thing that a provider would refuse; the path leads into the request. */
export type Refuse = (path: string, message: string, hint?: string) => void;

/** Everything that a check refuses in a request; of one that is not even built like a request, only that. */
export function refusedBy<Request>(request: Request, check: (request: Request, refuse: Refuse) => void): Problem[] {
  const problems: Problem[] = [];
  const refuse: Refuse = (path, message, hint) => {
    problems.push({ severity: "error", code: "WireInvalid", message, path, ...(hint === undefined ? {} : { hint }) });
  };
  try {
    check(request, refuse);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const hint = "exportFor makes requests of the right structure.";
    refuse("", `The request does not have the structure of this API: ${error.message}.`, hint);
  }
  return problems;
}

/** A tool as a validator sees it, whatever its provider calls its fields. */
interface CheckedTool {
  readonly name: string;
  readonly schema: unknown;
  /** Where the tool stands in the request. */
  readonly path: string;
}

export interface ToolRules {
  readonly name: RegExp;
  readonly nameRule: string;
  /** Unless said otherwise, the field with the name. */
  readonly nameField?: "";
  readonly schemaField: string;
  readonly maxTools?: number;
  /** Some providers refuse a choice at the top of the schema. */
  readonly refusesTopLevelChoice?: boolean;
}

/** Refuses what a provider would in the tools: names, duplicates, count, non-object schemas. */
export function checkTools(tools: readonly CheckedTool[], rules: ToolRules, refuse: Refuse): void {
  const names = new Set<string>();
  const { maxTools = Infinity } = rules;
  if (tools.length > maxTools) refuse("tools", `There are ${tools.length} tools; at most ${maxTools} are taken.`);
  for (const { name, schema, path } of tools) {
    const namePath = path + (rules.nameField ?? ".name");
    checkName(name, namePath, rules, refuse);
    if (names.has(name)) {
      refuse(namePath, `Two tools are called ${JSON.stringify(name)}.`, "Give each a name of its own.");
    }
    names.add(name);
    checkSchema(name, schema, `${path}.${rules.schemaField}`, rules, refuse);
  }
}

export function checkName(name: string, path: string, { name: pattern, nameRule }: ToolRules, refuse: Refuse): void {
  if (pattern.test(name)) return;
  refuse(path, `The tool name ${JSON.stringify(name)} is not taken.`, `A name is ${nameRule}.`);
}

function checkSchema(name: string, schema: unknown, path: string, rules: ToolRules, refuse: Refuse): void {
  const which = `The schema of the tool ${JSON.stringify(name)}`;
  const fields = isJsonObject(schema) ? schema : {};
  const choice = ["anyOf", "oneOf", "allOf"].find((key) => fields[key] !== undefined);
  if (fields["type"] !== "object") {
    refuse(path, `${which} is not of type "object".`, 'Set "type": "object" at its top.');
  } else if (rules.refusesTopLevelChoice === true && choice !== undefined) {
    refuse(path, `${which} has ${choice} at its top.`, "Move the choice into a property.");
  }
}
