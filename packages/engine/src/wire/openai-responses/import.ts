// OpenAI Responses, read back. Items of the assistant that follow each other (reasoning, texts, calls) are one message of
// ours, because OpenAI refuses reasoning that is parted from what it led to. Calls that OpenAI runs itself, and outputs
// that are not text, are kept whole as parts of the assistant's message.

import { wrongInput } from "../../model/check/input.ts";
import type { AssistantPart, ModelMessage, ReasoningPart, ToolResultPart, UserPart } from "../../model/messages.ts";
import { optionsOf } from "../../model/provider-options.ts";
import {
  type CallNames,
  type Fields,
  type ReadUnit,
  type RequestReader,
  fieldsAt,
  listAt,
  mediaPart,
  opaquePart,
  openAiFile,
  outputPiece,
  readArguments,
  readContent,
  readTexts,
  textAt,
  textIn,
} from "../shared/read-items.ts";

/** Reads Responses requests. */
export const openAiResponsesReader: RequestReader = {
  list: "input",
  takesText: true,
  items: readItems,
  system: ({ instructions }) => (typeof instructions === "string" ? [{ role: "system", content: instructions }] : []),
};

function readItems(items: readonly unknown[], path: string, start = 0, names: CallNames = new Map()): ReadUnit[] {
  const units: { from: number; to: number; messages: ModelMessage[] }[] = [];
  /** What the assistant says, while nothing else has come in between. */
  let spoken: AssistantPart[] | undefined;
  let isAnswered = false;
  for (let from = start; from < items.length; from += 1) {
    const at = `${path}[${from}]`;
    const item = fieldsAt(items[from], at);
    const parts = assistantParts(item, at, names);
    const open = units.at(-1);
    // An output that is not text belongs to the call before it; the next words begin a unit of their own.
    const isOutput = /_(output|response)$/.test(String(item["type"]));
    if (parts && spoken && open && (isOutput || !isAnswered)) {
      spoken.push(...parts);
      open.to = from + 1;
      isAnswered = isOutput;
      continue;
    }
    spoken = parts && [...parts];
    isAnswered = isOutput;
    const message: ModelMessage = spoken ? { role: "assistant", content: spoken } : readOther(item, at, names);
    units.push({ from, to: from + 1, messages: [message] });
  }
  return units.map((unit) => ({ ...unit, messages: unit.messages.map(plainText) }));
}

/** A message of mere text, as every other format has it. */
function plainText(message: ModelMessage): ModelMessage {
  if (message.role !== "assistant" || typeof message.content === "string") return message;
  const [part, ...rest] = message.content;
  const isPlain = part?.type === "text" && rest.length === 0 && part.providerOptions === undefined;
  return isPlain ? { role: "assistant", content: part.text } : message;
}

/** Nothing for an item that is not the assistant's. */
function assistantParts(item: Fields, path: string, names: CallNames): AssistantPart[] | undefined {
  const type = item["type"] ?? "message";
  switch (type) {
    case "message":
      return item["role"] === "assistant" ? readSpoken(item, path) : undefined;
    case "reasoning":
      return readReasoning(item, path);
    case "function_call":
    case "custom_tool_call": {
      const toolCallId = textAt(item, "call_id", path);
      const toolName = textAt(item, "name", path);
      names.set(toolCallId, toolName);
      const input = readArguments(textAt(item, type === "function_call" ? "arguments" : "input", path));
      const options = optionsOf("openai", { itemId: textIn(item, "id") });
      return [{ type: "tool-call", toolCallId, toolName, input, ...options }];
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return undefined;
    default:
      if (typeof type !== "string") throw wrongInput(`${path}.type`, "a text", type);
      return [opaquePart("openai", item)];
  }
}

function readSpoken(item: Fields, path: string): AssistantPart[] {
  const options = optionsOf("openai", { itemId: textIn(item, "id"), phase: textIn(item, "phase") });
  const said = readContent(item["content"], `${path}.content`, (part, at): AssistantPart[] => [
    { type: "text", text: textIn(part, "text") ?? textAt(part, "refusal", at), ...options },
  ]);
  return typeof said === "string" ? [{ type: "text", text: said, ...options }] : said;
}

function readReasoning(item: Fields, path: string): ReasoningPart[] {
  const encrypted = textIn(item, "encrypted_content");
  const options = optionsOf("openai", { itemId: textIn(item, "id"), reasoningEncryptedContent: encrypted });
  const summary = item["summary"] === undefined ? [] : listAt(item, "summary", path);
  const texts = summary.map((part, index) => {
    const at = `${path}.summary[${index}]`;
    return textAt(fieldsAt(part, at), "text", at);
  });
  return (texts.length === 0 ? [""] : texts).map((text) => ({ type: "reasoning", text, ...options }));
}

function readOther(item: Fields, path: string, names: CallNames): ModelMessage {
  if (item["type"] !== undefined && item["type"] !== "message") {
    const toolCallId = textAt(item, "call_id", path);
    const output = readOutput(item["output"], `${path}.output`);
    return {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName: names.get(toolCallId) ?? "unknown", output }],
    };
  }
  switch (item["role"]) {
    case "system":
    case "developer":
      return { role: "system", content: readTexts(item["content"], `${path}.content`) };
    case "user":
      return { role: "user", content: readContent(item["content"], `${path}.content`, readUserPart) };
    default:
      throw wrongInput(`${path}.role`, "one of system, developer, user, assistant", item["role"]);
  }
}

function readOutput(output: unknown, path: string): ToolResultPart["output"] {
  if (typeof output === "string") return { type: "text", value: output };
  const parts = readContent(output, path, readUserPart);
  if (typeof parts === "string") return { type: "text", value: parts };
  return { type: "content", value: parts.map(outputPiece) };
}

function readUserPart(part: Fields, path: string): UserPart[] {
  switch (part["type"]) {
    case "input_text":
    case "output_text":
    case "text":
      return [{ type: "text", text: textAt(part, "text", path) }];
    case "input_image": {
      const id = textIn(part, "file_id");
      const options = optionsOf("openai", { imageDetail: textIn(part, "detail") });
      const source = id === undefined ? textAt(part, "image_url", path) : { openai: id };
      return [mediaPart(source, "image", options)];
    }
    case "input_file":
      return [openAiFile(part, path)];
    default:
      throw wrongInput(`${path}.type`, "one of input_text, input_image, input_file", part["type"]);
  }
}
