import type { Problem } from "../../model/errors.ts";
import type { AnthropicBlock, AnthropicDocument, AnthropicImage } from "./types.ts";
import { type ToolRules, checkName, problem } from "../shared/check-tools.ts";

const idPattern = /^[a-zA-Z0-9_-]+$/;
const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** What Anthropic would refuse in one block, by itself and by the role it is said in. */
export function checkAnthropicBlock(
  block: AnthropicBlock,
  role: "user" | "assistant",
  path: string,
  toolRules: ToolRules,
): Problem[] {
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
        ...(typeof block.input === "object" && block.input !== null && !Array.isArray(block.input)
          ? []
          : [problem(`${path}.input`, "A call's input is an object.")]),
      ];
    case "tool_result":
      return [...problems, ...checkId(block.tool_use_id, `${path}.tool_use_id`), ...checkResult(block, path)];
    case "thinking":
      return [...problems, ...present(block.signature, `${path}.signature`), ...unmarked(block, path)];
    case "redacted_thinking":
      return [...problems, ...present(block.data, `${path}.data`), ...unmarked(block, path)];
  }
}

function rightRole(block: AnthropicBlock, role: "user" | "assistant"): "user" | "assistant" {
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
