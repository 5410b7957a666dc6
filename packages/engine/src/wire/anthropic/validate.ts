import type { Problem } from "../../model/check/errors.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { type Refuse, type ToolRules, checkName, checkTools, refusedBy } from "../shared/refuse.ts";
import { imageTypes } from "./blocks.ts";
import type { AnthropicBlock, AnthropicDocument, AnthropicImage, AnthropicMessage, AnthropicRequest } from "./types.ts";

const toolRules: ToolRules = {
  name: /^[a-zA-Z0-9_-]{1,128}$/,
  nameRule: "1 to 128 letters, digits, underscores and dashes",
  schemaField: "input_schema",
  refusesTopLevelChoice: true,
};
const maxMessages = 100_000;
const maxBreakpoints = 4;

/** Everything that Anthropic would refuse in a request's structure, with paths into the request. */
export function validateAnthropic(request: AnthropicRequest): Problem[] {
  return refusedBy(request, ({ system = [], messages, tools = [] }, refuse) => {
    const { length } = messages;
    if (length === 0) refuse("messages", "The request has no messages.");
    if (length > maxMessages) {
      refuse("messages", `There are ${length} messages; at most ${maxMessages} are taken.`);
    }
    if (messages[0]?.role === "assistant") refuse("messages[0].role", "The first message is not the user's.");
    for (const [index, { text }] of system.entries()) {
      if (text.trim() === "") refuse(`system[${index}].text`, "The text is blank.");
    }
    const ids = new Set<string>();
    for (const [index, message] of messages.entries()) {
      const path = `messages[${index}]`;
      checkMessage(message, messages[index - 1], path, refuse);
      checkResults(message, messages[index - 1], path, refuse);
      checkUses(message, messages[index + 1], ids, path, refuse);
    }
    checkEnd(messages, refuse);
    checkBreakpoints({ system, messages, tools }, refuse);
    const declared = tools.map(({ name, input_schema: schema }, index) => ({ name, schema, path: `tools[${index}]` }));
    checkTools(declared, toolRules, refuse);
  });
}

function checkMessage(
  { role, content }: AnthropicMessage,
  before: AnthropicMessage | undefined,
  path: string,
  refuse: Refuse,
): void {
  for (const [index, block] of content.entries()) checkBlock(block, role, `${path}.content[${index}]`, refuse);
  if (content.length === 0) refuse(`${path}.content`, "The message is empty.");
  // Anthropic's own endpoint would join them; Bedrock's refuses them.
  if (before?.role === role) {
    refuse(`${path}.role`, `Two messages of the ${role} follow each other.`, "Make them one.");
  }
  const last = content.at(-1);
  if (last?.type === "thinking" || last?.type === "redacted_thinking") {
    refuse(`${path}.content[${content.length - 1}]`, "The message ends with thinking.");
  }
}

function checkResults(
  { content }: AnthropicMessage,
  before: AnthropicMessage | undefined,
  path: string,
  refuse: Refuse,
): void {
  const uses = before?.role === "assistant" ? before.content.filter((block) => block.type === "tool_use") : [];
  const asked = new Set(uses.map(({ id }) => id));
  let isBehindOther = false;
  for (const [index, block] of content.entries()) {
    if (block.type !== "tool_result") {
      isBehindOther = true;
      continue;
    }
    const at = `${path}.content[${index}]`;
    if (isBehindOther) refuse(at, "The result does not stand before the message's other content.");
    if (!asked.delete(block.tool_use_id)) {
      refuse(
        `${at}.tool_use_id`,
        `No unanswered call ${JSON.stringify(block.tool_use_id)} stands in the message before.`,
        "Each call has one result, in the message directly behind it.",
      );
    }
  }
}

function checkUses(
  message: AnthropicMessage,
  next: AnthropicMessage | undefined,
  ids: Set<string>,
  path: string,
  refuse: Refuse,
): void {
  for (const [index, block] of message.content.entries()) {
    if (block.type !== "tool_use") continue;
    const at = `${path}.content[${index}]`;
    const id = JSON.stringify(block.id);
    if (ids.has(block.id)) refuse(`${at}.id`, `Two calls share the id ${id}.`);
    ids.add(block.id);
    const isAnswered = next?.content.some((other) => other.type === "tool_result" && other.tool_use_id === block.id);
    if (next?.role !== "user" || isAnswered !== true) refuse(at, `The call ${id} has no result in the next message.`);
  }
}

function checkEnd(messages: readonly AnthropicMessage[], refuse: Refuse): void {
  const last = messages.at(-1);
  const block = last?.content.at(-1);
  if (last?.role !== "assistant" || block?.type !== "text" || block.text === block.text.trimEnd()) return;
  const path = `messages[${messages.length - 1}].content[${last.content.length - 1}].text`;
  refuse(path, "The final assistant message ends with white space.");
}

function checkBreakpoints({ system = [], messages, tools = [] }: AnthropicRequest, refuse: Refuse): void {
  const blocks = [...tools, ...system, ...messages.flatMap(({ content }) => content)];
  const count = blocks.filter((block) => "cache_control" in block).length;
  if (count <= maxBreakpoints) return;
  refuse("", `There are ${count} cache breakpoints; at most ${maxBreakpoints} are taken.`);
}

type Role = AnthropicMessage["role"];

/** Refuses what Anthropic would in one block, by itself and by the role it is said in. */
function checkBlock(block: AnthropicBlock, role: Role, path: string, refuse: Refuse): void {
  if (role !== rightRole(block, role)) refuse(path, `The ${role} cannot say a ${block.type} block.`);
  switch (block.type) {
    case "text":
      return checkText(block.text, `${path}.text`, refuse);
    case "image":
    case "document":
      return checkSource(block, `${path}.source`, refuse);
    case "tool_use":
      checkId(block.id, `${path}.id`, refuse);
      checkName(block.name, `${path}.name`, toolRules, refuse);
      if (!isJsonObject(block.input)) refuse(`${path}.input`, "A call's input is an object.");
      return;
    case "tool_result":
      checkId(block.tool_use_id, `${path}.tool_use_id`, refuse);
      return checkResult(block, path, refuse);
    case "thinking":
    case "redacted_thinking":
      if (block.type === "thinking") checkPresent(block.signature, `${path}.signature`, refuse);
      else checkPresent(block.data, `${path}.data`, refuse);
      if ("cache_control" in block) refuse(`${path}.cache_control`, "Thinking takes no cache breakpoint.");
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

function checkText(text: string, path: string, refuse: Refuse): void {
  if (text.trim() === "") refuse(path, "The text is blank.", "Leave blank texts out.");
}

function checkId(id: string, path: string, refuse: Refuse): void {
  if (/^[a-zA-Z0-9_-]+$/.test(id)) return;
  refuse(path, `The id ${JSON.stringify(id)} is not made of letters, digits, underscores and dashes.`);
}

type ToolResult = Extract<AnthropicBlock, { type: "tool_result" }>;

function checkResult({ content = "" }: ToolResult, path: string, refuse: Refuse): void {
  if (typeof content === "string") {
    if (content !== "") checkText(content, `${path}.content`, refuse);
    return;
  }
  for (const [index, block] of content.entries()) {
    const at = `${path}.content[${index}]`;
    if (block.type === "text") checkText(block.text, `${at}.text`, refuse);
    else checkSource(block, `${at}.source`, refuse);
  }
}

function checkSource({ type, source }: AnthropicImage | AnthropicDocument, path: string, refuse: Refuse): void {
  switch (source.type) {
    case "base64": {
      const isRight = type === "image" ? imageTypes.has(source.media_type) : source.media_type === "application/pdf";
      if (!isRight) refuse(`${path}.media_type`, `No ${type} can be of the type ${source.media_type}.`);
      return checkPresent(source.data, `${path}.data`, refuse);
    }
    case "text":
      return checkText(source.data, `${path}.data`, refuse);
    case "url":
      if (!/^https?:\/\/./i.test(source.url)) refuse(`${path}.url`, "The URL is not one of the web.");
      return;
    case "file":
      return checkPresent(source.file_id, `${path}.file_id`, refuse);
  }
}

function checkPresent(value: string, path: string, refuse: Refuse): void {
  if (value === "") refuse(path, "It is empty.");
}
