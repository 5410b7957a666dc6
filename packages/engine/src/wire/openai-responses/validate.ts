import type { Problem } from "../../model/check/errors.ts";
import { checkCallId, imageUrlPattern, openAiToolRules } from "../shared/openai.ts";
import { idRules } from "../shared/pair-tool-calls.ts";
import { type Refuse, checkName, checkTools, refusedBy } from "../shared/refuse.ts";
import type { OpenAiInputItem, OpenAiInputPart, OpenAiResponsesRequest } from "./types.ts";

const { maxLength: maxIdLength } = idRules["openai-responses"];

/** Everything that OpenAI's Responses would refuse in a request's structure, with paths into the request. */
export function validateOpenAiResponses(request: OpenAiResponsesRequest): Problem[] {
  return refusedBy(request, ({ input, tools = [] }, refuse) => {
    if (input.length === 0) refuse("input", "The request has no input.");
    const open = new Map<string, string>();
    const called = new Set<string>();
    for (const [index, item] of input.entries()) {
      const path = `input[${index}]`;
      checkItem(item, input[index + 1], path, refuse);
      if (!("type" in item)) continue;
      if (item.type === "function_call") {
        const id = JSON.stringify(item.call_id);
        if (called.has(item.call_id)) refuse(`${path}.call_id`, `Two calls share the id ${id}.`);
        called.add(item.call_id);
        open.set(item.call_id, path);
      }
      if (item.type === "function_call_output" && !open.delete(item.call_id)) {
        const id = JSON.stringify(item.call_id);
        refuse(`${path}.call_id`, `No call ${id} without a result stands before this result.`);
      }
    }
    for (const [id, path] of open) refuse(path, `The call ${JSON.stringify(id)} has no result.`);
    const declared = tools.map(({ name, parameters: schema }, index) => ({ name, schema, path: `tools[${index}]` }));
    checkTools(declared, openAiToolRules, refuse);
  });
}

function checkItem(item: OpenAiInputItem, next: OpenAiInputItem | undefined, path: string, refuse: Refuse): void {
  if (!("type" in item)) return checkContent(item.content, `${path}.content`, refuse);
  switch (item.type) {
    case "message":
      if (!item.id.startsWith("msg")) refuse(`${path}.id`, 'A message\'s id begins with "msg".');
      if (item.content.length === 0) refuse(`${path}.content`, "The content is an empty list.");
      return;
    case "reasoning":
      if (item.id === "") refuse(`${path}.id`, "Reasoning needs the id of its item.");
      if (!isReasoned(next)) refuse(path, "Reasoning stands without the item that it led to.");
      return;
    case "function_call":
      checkCallId(item.call_id, `${path}.call_id`, maxIdLength, refuse);
      checkName(item.name, `${path}.name`, openAiToolRules, refuse);
      if (item.id !== undefined && !item.id.startsWith("fc")) {
        refuse(`${path}.id`, 'A call\'s item id begins with "fc".', "Leave it out; call_id pairs the result.");
      }
      return;
    case "function_call_output":
      checkCallId(item.call_id, `${path}.call_id`, maxIdLength, refuse);
      checkContent(item.output, `${path}.output`, refuse);
  }
}

/** Whether an item is one that reasoning leads to. */
function isReasoned(item: OpenAiInputItem | undefined): boolean {
  if (!item) return false;
  if (!("type" in item)) return item.role === "assistant";
  return item.type === "message" || item.type === "function_call";
}

function checkContent(content: string | readonly OpenAiInputPart[], path: string, refuse: Refuse): void {
  if (typeof content === "string") return;
  if (content.length === 0) refuse(path, "The content is an empty list.");
  for (const [index, part] of content.entries()) checkPart(part, `${path}[${index}]`, refuse);
}

function checkPart(part: OpenAiInputPart, path: string, refuse: Refuse): void {
  switch (part.type) {
    case "input_text":
      if (part.text === "") refuse(`${path}.text`, "The text is empty.");
      return;
    case "input_image": {
      const isUrl = imageUrlPattern.test(part.image_url ?? "");
      const isFile = part.file_id !== undefined && part.file_id !== "";
      if (isUrl === isFile) {
        refuse(path, "An image has either a web URL, or PNG, JPEG, GIF or WebP data, or a file id.");
      }
      return;
    }
    case "input_file": {
      const given = [part.file_id, part.file_url, part.file_data].filter((value) => value !== undefined);
      if (given.length !== 1 || given[0] === "") {
        refuse(path, "A file has exactly one of file_id, file_url and file_data.");
      }
    }
  }
}
