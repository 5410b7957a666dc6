import type { Problem } from "../../model/errors.ts";
import { checkName, checkTools, problem } from "../shared/check-tools.ts";
import { checkCallId, imageUrlPattern, openAiToolRules } from "../shared/openai.ts";
import type { OpenAiInputItem, OpenAiInputPart, OpenAiResponsesRequest } from "./types.ts";

const maximumIdLength = 64;

/** Everything that OpenAI's Responses would refuse in a request's structure, with paths into the request. */
export function validateOpenAiResponses({ input, tools = [] }: OpenAiResponsesRequest): Problem[] {
  const problems: Problem[] = [];
  if (input.length === 0) problems.push(problem("input", "The request has no input."));
  const open = new Map<string, string>();
  const called = new Set<string>();
  for (const [index, item] of input.entries()) {
    const path = `input[${index}]`;
    problems.push(...checkItem(item, input[index + 1], path));
    if (!("type" in item)) continue;
    if (item.type === "function_call") {
      if (called.has(item.call_id)) {
        problems.push(problem(`${path}.call_id`, `Two calls share the id ${JSON.stringify(item.call_id)}.`));
      }
      called.add(item.call_id);
      open.set(item.call_id, path);
    }
    if (item.type === "function_call_output" && !open.delete(item.call_id)) {
      problems.push(
        problem(
          `${path}.call_id`,
          `No call ${JSON.stringify(item.call_id)} without a result stands before this result.`,
        ),
      );
    }
  }
  for (const [id, path] of open) problems.push(problem(path, `The call ${JSON.stringify(id)} has no result.`));
  const checked = tools.map(({ name, parameters }, index) => ({
    name,
    namePath: `tools[${index}].name`,
    schema: parameters,
    schemaPath: `tools[${index}].parameters`,
  }));
  return [...problems, ...checkTools(checked, openAiToolRules)];
}

function checkItem(item: OpenAiInputItem, next: OpenAiInputItem | undefined, path: string): Problem[] {
  if (!("type" in item)) return checkContent(item.content, `${path}.content`);
  switch (item.type) {
    case "message":
      return [
        ...(item.id.startsWith("msg") ? [] : [problem(`${path}.id`, 'A message\'s id begins with "msg".')]),
        ...(item.content.length === 0 ? [problem(`${path}.content`, "The content is an empty list.")] : []),
      ];
    case "reasoning":
      return [
        ...(item.id === "" ? [problem(`${path}.id`, "Reasoning needs the id of its item.")] : []),
        ...(isReasoned(next) ? [] : [problem(path, "Reasoning stands without the item that it led to.")]),
      ];
    case "function_call":
      return [
        ...checkCallId(item.call_id, `${path}.call_id`, maximumIdLength),
        ...checkName(item.name, `${path}.name`, openAiToolRules),
        ...(item.id === undefined || item.id.startsWith("fc")
          ? []
          : [problem(`${path}.id`, 'A call\'s item id begins with "fc".', "Leave it out; call_id pairs the result.")]),
      ];
    case "function_call_output":
      return [
        ...checkCallId(item.call_id, `${path}.call_id`, maximumIdLength),
        ...checkContent(item.output, `${path}.output`),
      ];
  }
}

/** Whether an item is one that reasoning leads to. */
function isReasoned(item: OpenAiInputItem | undefined): boolean {
  if (!item) return false;
  if (!("type" in item)) return item.role === "assistant";
  return item.type === "message" || item.type === "function_call";
}

function checkContent(content: string | readonly OpenAiInputPart[], path: string): Problem[] {
  if (typeof content === "string") return [];
  if (content.length === 0) return [problem(path, "The content is an empty list.")];
  return content.flatMap((part, index) => {
    const at = `${path}[${index}]`;
    switch (part.type) {
      case "input_text":
        return part.text === "" ? [problem(`${at}.text`, "The text is empty.")] : [];
      case "input_image": {
        const isUrl = imageUrlPattern.test(part.image_url ?? "");
        return isUrl !== (part.file_id !== undefined && part.file_id !== "")
          ? []
          : [problem(at, "An image has either a web URL, or PNG, JPEG, GIF or WebP data, or a file id.")];
      }
      case "input_file": {
        const given = [part.file_id, part.file_url, part.file_data].filter((value) => value !== undefined);
        return given.length === 1 && given[0] !== ""
          ? []
          : [problem(at, "A file has exactly one of file_id, file_url and file_data.")];
      }
    }
  });
}
