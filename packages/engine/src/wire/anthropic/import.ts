// Anthropic Messages, read back. The results in a user message become a tool message, and what else it says a user message
// behind it. Blocks that Anthropic's own tools make are kept whole as parts of the assistant's message.

import { wrongInput } from "../../model/check/input.ts";
import type { AssistantPart, ModelMessage, ToolResultPart, UserPart } from "../../model/messages.ts";
import { optionsOf } from "../../model/provider-options.ts";
import {
  type CallNames,
  type Fields,
  type RequestReader,
  fieldsAt,
  mediaPart,
  opaquePart,
  outputPiece,
  readContent,
  readEach,
  readTexts,
  textAt,
  textIn,
} from "../shared/read-items.ts";

/** Reads Messages requests. */
export const anthropicReader: RequestReader = {
  list: "messages",
  items: (items, path, start = 0, names = new Map()) =>
    readEach(items, path, start, (item, at) => readMessage(fieldsAt(item, at), at, names)),
  system: (request) => readSystem(request["system"], "request.system"),
};

/** The field `system`: a text, or blocks, one message each. */
function readSystem(system: unknown, path: string): ModelMessage[] {
  if (system === undefined || system === null) return [];
  const texts = readContent(system, path, (block, at) => [textAt(block, "text", at)]);
  return (typeof texts === "string" ? [texts] : texts).map((content) => ({ role: "system", content }));
}

function readMessage(item: Fields, path: string, names: CallNames): ModelMessage[] {
  switch (item["role"]) {
    case "system":
      return readSystem(item["content"], `${path}.content`);
    case "assistant": {
      const read = (block: Fields, at: string): AssistantPart[] => [readSpoken(block, at, names)];
      return [{ role: "assistant", content: readContent(item["content"], `${path}.content`, read) }];
    }
    case "user":
      return readUser(item, path, names);
    default:
      throw wrongInput(`${path}.role`, "one of user, assistant", item["role"]);
  }
}

function readUser(item: Fields, path: string, names: CallNames): ModelMessage[] {
  const results: ToolResultPart[] = [];
  const content = readContent(item["content"], `${path}.content`, (block, at): UserPart[] => {
    if (block["type"] !== "tool_result") return [readSaid(block, at)];
    results.push(readResult(block, at, names));
    return [];
  });
  if (results.length === 0) return [{ role: "user", content }];
  return [{ role: "tool", content: results }, ...(content.length === 0 ? [] : [{ role: "user", content } as const])];
}

function readSpoken(block: Fields, path: string, names: CallNames): AssistantPart {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: textAt(block, "text", path) };
    case "tool_use": {
      const toolCallId = textAt(block, "id", path);
      const toolName = textAt(block, "name", path);
      names.set(toolCallId, toolName);
      return { type: "tool-call", toolCallId, toolName, input: block["input"] ?? {} };
    }
    case "thinking":
      return {
        type: "reasoning",
        text: textAt(block, "thinking", path),
        ...optionsOf("anthropic", { signature: textIn(block, "signature") }),
      };
    case "redacted_thinking":
      return { type: "reasoning", text: "", ...optionsOf("anthropic", { redactedData: textAt(block, "data", path) }) };
    default:
      if (typeof block["type"] !== "string") throw wrongInput(`${path}.type`, "a text", block["type"]);
      return opaquePart("anthropic", block);
  }
}

function readResult(block: Fields, path: string, names: CallNames): ToolResultPart {
  const toolCallId = textAt(block, "tool_use_id", path);
  const content = readContent(block["content"] ?? "", `${path}.content`, (piece, at) => [readSaid(piece, at)]);
  const isError = block["is_error"] === true;
  const toolName = names.get(toolCallId) ?? "unknown";
  const base = { type: "tool-result", toolCallId, toolName } as const;
  const texts =
    typeof content === "string" ? [content] : content.map((part) => (part.type === "text" ? part.text : ""));
  const isText = typeof content === "string" || content.every(({ type }) => type === "text");
  if (isError) return { ...base, output: { type: "error-text", value: texts.join("\n") } };
  if (isText && texts.length < 2) return { ...base, output: { type: "text", value: texts[0] ?? "" } };
  return { ...base, output: { type: "content", value: (content as UserPart[]).map(outputPiece) } };
}

function readSaid(block: Fields, path: string): UserPart {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: textAt(block, "text", path) };
    case "image":
    case "document": {
      const source = fieldsAt(block["source"], `${path}.source`);
      const filename = textIn(block, "title");
      const usual = block["type"] === "image" ? "image" : "application/pdf";
      return readSource(source, `${path}.source`, usual, filename);
    }
    default:
      if (typeof block["type"] !== "string") throw wrongInput(`${path}.type`, "a text", block["type"]);
      // A user message has no part for it: a model reads it as text.
      return { type: "text", text: JSON.stringify(block) };
  }
}

function readSource(source: Fields, path: string, usual: string, filename: string | undefined): UserPart {
  const mediaType = textIn(source, "media_type") ?? usual;
  switch (source["type"]) {
    case "base64":
      return mediaPart(textAt(source, "data", path), mediaType, { filename });
    case "url":
      return mediaPart(textAt(source, "url", path), mediaType, { filename });
    case "file":
      return mediaPart({ anthropic: textAt(source, "file_id", path) }, mediaType, { filename });
    case "text": {
      const data = { type: "text", text: textAt(source, "data", path) } as const;
      return { type: "file", data, mediaType, ...(filename === undefined ? {} : { filename }) };
    }
    case "content": {
      const data = { type: "text", text: readTexts(source["content"], `${path}.content`) } as const;
      return { type: "file", data, mediaType: "text/plain", ...(filename === undefined ? {} : { filename }) };
    }
    default:
      throw wrongInput(`${path}.type`, "one of base64, url, file, text, content", source["type"]);
  }
}
