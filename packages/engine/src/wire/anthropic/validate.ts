import type { Problem } from "../../model/errors.ts";
import type { AnthropicBlock, AnthropicDocument, AnthropicImage, AnthropicMessage, AnthropicRequest } from "./types.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { type ToolRules, checkName, checkTools, problem } from "../shared/check-tools.ts";
import { imageTypes } from "./blocks.ts";

const toolRules: ToolRules = {
  name: /^[a-zA-Z0-9_-]{1,128}$/,
  nameRule: "1 to 128 letters, digits, underscores and dashes",
  refusesTopLevelChoice: true,
};
const maximumMessages = 100_000;
const maximumBreakpoints = 4;

/** Everything that Anthropic would refuse in a request's structure, with paths into the request. */
export function validateAnthropic({ system = [], messages, tools = [] }: AnthropicRequest): Problem[] {
  const problems: Problem[] = [];
  if (messages.length === 0) problems.push(problem("messages", "The request has no messages."));
  if (messages.length > maximumMessages) {
    problems.push(problem("messages", `There are ${messages.length} messages; at most ${maximumMessages} are taken.`));
  }
  if (messages[0]?.role === "assistant") {
    problems.push(problem("messages[0].role", "The first message is not the user's."));
  }
  for (const [index, { text }] of system.entries()) {
    if (text.trim() === "") problems.push(problem(`system[${index}].text`, "The text is blank."));
  }
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    problems.push(...checkMessage(message, messages[index - 1], `messages[${index}]`));
    problems.push(...checkUses(message, messages[index + 1], ids, `messages[${index}]`));
  }
  problems.push(...checkEnd(messages), ...checkBreakpoints({ system, messages, tools }));
  const checked = tools.map(({ name, input_schema }, index) => ({
    name,
    namePath: `tools[${index}].name`,
    schema: input_schema,
    schemaPath: `tools[${index}].input_schema`,
  }));
  return [...problems, ...checkTools(checked, toolRules)];
}

function checkMessage(message: AnthropicMessage, before: AnthropicMessage | undefined, path: string): Problem[] {
  const problems = message.content.flatMap((block, index) =>
    checkBlock(block, message.role, `${path}.content[${index}]`),
  );
  if (message.content.length === 0) problems.push(problem(`${path}.content`, "The message is empty."));
  // Anthropic's own endpoint would join them; Bedrock's refuses them.
  if (before?.role === message.role) {
    problems.push(problem(`${path}.role`, `Two messages of the ${message.role} follow each other.`, "Make them one."));
  }
  const last = message.content.at(-1);
  if (last?.type === "thinking" || last?.type === "redacted_thinking") {
    problems.push(problem(`${path}.content[${message.content.length - 1}]`, "The message ends with thinking."));
  }
  return [...problems, ...checkResults(message, before, path)];
}

function checkResults({ content }: AnthropicMessage, before: AnthropicMessage | undefined, path: string): Problem[] {
  const problems: Problem[] = [];
  const asked = new Set(before?.role === "assistant" ? usesOf(before).map(({ id }) => id) : []);
  let isBehindOther = false;
  for (const [index, block] of content.entries()) {
    if (block.type !== "tool_result") {
      isBehindOther = true;
      continue;
    }
    const at = `${path}.content[${index}]`;
    if (isBehindOther) problems.push(problem(at, "The result does not stand before the message's other content."));
    if (!asked.delete(block.tool_use_id)) {
      problems.push(
        problem(
          `${at}.tool_use_id`,
          `No unanswered call ${JSON.stringify(block.tool_use_id)} stands in the message before.`,
          "Each call has one result, in the message directly behind it.",
        ),
      );
    }
  }
  return problems;
}

function checkUses(
  message: AnthropicMessage,
  next: AnthropicMessage | undefined,
  ids: Set<string>,
  path: string,
): Problem[] {
  const problems: Problem[] = [];
  for (const [index, block] of message.content.entries()) {
    if (block.type !== "tool_use") continue;
    const at = `${path}.content[${index}]`;
    if (ids.has(block.id)) problems.push(problem(`${at}.id`, `Two calls share the id ${JSON.stringify(block.id)}.`));
    ids.add(block.id);
    const isAnswered = next?.content.some((other) => other.type === "tool_result" && other.tool_use_id === block.id);
    if (next?.role !== "user" || isAnswered !== true) {
      problems.push(problem(at, `The call ${JSON.stringify(block.id)} has no result in the next message.`));
    }
  }
  return problems;
}

function usesOf({ content }: AnthropicMessage): Extract<AnthropicBlock, { type: "tool_use" }>[] {
  return content.filter((block) => block.type === "tool_use");
}

function checkEnd(messages: readonly AnthropicMessage[]): Problem[] {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== "assistant" || block?.type !== "text" || block.text === block.text.trimEnd()) return [];
  const path = `messages[${messages.length - 1}].content[${last.content.length - 1}].text`;
  return [problem(path, "The final assistant message ends with white space.")];
}

function checkBreakpoints({ system = [], messages, tools = [] }: AnthropicRequest): Problem[] {
  const blocks = [...tools, ...system, ...messages.flatMap(({ content }) => content)];
  const count = blocks.filter((block) => "cache_control" in block).length;
  if (count <= maximumBreakpoints) return [];
  return [problem("", `There are ${count} cache breakpoints; at most ${maximumBreakpoints} are taken.`)];
}

type Role = AnthropicMessage["role"];
const idPattern = /^[a-zA-Z0-9_-]+$/;

/** What Anthropic would refuse in one block, by itself and by the role it is said in. */
function checkBlock(block: AnthropicBlock, role: Role, path: string): Problem[] {
  const problems =
    role === rightRole(block, role) ? [] : [problem(path, `The ${role} cannot say a ${block.type} block.`)];
  switch (block.type) {
    case "text":
      return [...problems, ...checkText(block.text, `${path}.text`)];
    case "image":
    case "document":
      return [...problems, ...checkSource(block, `${path}.source`)];
    case "tool_use":
      return [
        ...problems,
        ...checkId(block.id, `${path}.id`),
        ...checkName(block.name, `${path}.name`, toolRules),
        ...(isJsonObject(block.input) ? [] : [problem(`${path}.input`, "A call's input is an object.")]),
      ];
    case "tool_result":
      return [...problems, ...checkId(block.tool_use_id, `${path}.tool_use_id`), ...checkResult(block, path)];
    case "thinking":
      return [...problems, ...present(block.signature, `${path}.signature`), ...unmarked(block, path)];
    case "redacted_thinking":
      return [...problems, ...present(block.data, `${path}.data`), ...unmarked(block, path)];
  }
}

function rightRole(block: AnthropicBlock, role: Role): Role {
  switch (block.type) {
    case "text":
      return role;
    case "tool_use":
    case "thinking":
    case "redacted_thinking":
      return "assistant";
    case "image":
    case "document":
    case "tool_result":
      return "user";
  }
}

function checkText(text: string, path: string): Problem[] {
  return text.trim() === "" ? [problem(path, "The text is blank.", "Leave blank texts out.")] : [];
}

function checkId(id: string, path: string): Problem[] {
  if (idPattern.test(id)) return [];
  return [problem(path, `The id ${JSON.stringify(id)} is not made of letters, digits, underscores and dashes.`)];
}

function checkResult({ content }: Extract<AnthropicBlock, { type: "tool_result" }>, path: string): Problem[] {
  if (content === undefined) return [];
  if (typeof content === "string") return content === "" ? [] : checkText(content, `${path}.content`);
  return content.flatMap((block, index) => {
    const at = `${path}.content[${index}]`;
    return block.type === "text" ? checkText(block.text, `${at}.text`) : checkSource(block, `${at}.source`);
  });
}

function checkSource({ type, source }: AnthropicImage | AnthropicDocument, path: string): Problem[] {
  switch (source.type) {
    case "base64": {
      const isRight = type === "image" ? imageTypes.has(source.media_type) : source.media_type === "application/pdf";
      const wrong = isRight
        ? []
        : [problem(`${path}.media_type`, `No ${type} can be of the type ${source.media_type}.`)];
      return [...wrong, ...present(source.data, `${path}.data`)];
    }
    case "text":
      return checkText(source.data, `${path}.data`);
    case "url":
      return /^https?:\/\/./i.test(source.url) ? [] : [problem(`${path}.url`, "The URL is not one of the web.")];
    case "file":
      return present(source.file_id, `${path}.file_id`);
  }
}

function present(value: string, path: string): Problem[] {
  return value === "" ? [problem(path, "It is empty.")] : [];
}

function unmarked(block: object, path: string): Problem[] {
  return "cache_control" in block ? [problem(`${path}.cache_control`, "Thinking takes no cache breakpoint.")] : [];
}
