import type { JsonValue } from "@galley/engine";
import { expect, test } from "vitest";
import { parseResultFields, resultInText, resultProblems } from "./result-fields.ts";

test.each<[string, string, JsonValue | undefined]>([
  ["the whole text", '{"a": 1}', { a: 1 }],
  ["the last fenced block", 'First ```json\n{"a": 1}\n``` then\n```json\n{"a": 2}\n```\nDone.', { a: 2 }],
  ["from the first brace to the last", 'The result is {"a": {"b": 1}}.', { a: { b: 1 } }],
  ["nothing where there is no object", "I do not know.", undefined],
  ["nothing where the object is broken", '{"a": ', undefined],
  ["nothing for a bare value", "42", undefined],
  // Each blank line could be the end of the fence's own line; to try them all would take n² steps.
  ["nothing, and at once, in a fence of a million blank lines", `\`\`\`json${"\n".repeat(1_000_000)}`, undefined],
])("[H3] a result is found in an answer: %s", (_, text, expected) => {
  expect(resultInText(text)).toEqual(expected);
});

const contract = parseResultFields(
  ["title", { name: "score", type: "integer" }, { name: "tags", type: "array", required: false }],
  "fields",
);

test.each<[string, JsonValue | undefined, readonly string[]]>([
  ["all fields", { title: null, score: 3, tags: [] }, []],
  ["fields beyond the contract", { title: "x", score: 3, more: true }, []],
  ["a missing field", { score: 3 }, ["result.title is missing."]],
  ["wrong types, all of them", { title: 1, score: 3.5, tags: "a" }, ["result.score", "result.tags"]],
  ["what the language itself has", JSON.parse('{"score": 1}') as JsonValue, ["result.title is missing."]],
  ["a list", [1], ["The result is not a JSON object."]],
  ["nothing", undefined, ["The answer holds no JSON object."]],
])("[H3] a result is held against its contract: %s", (_, value, problems) => {
  const found = resultProblems(contract, value);
  expect(found).toHaveLength(problems.length);
  for (const [index, problem] of problems.entries()) expect(found[index]).toContain(problem);
});
