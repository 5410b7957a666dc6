import type {
  AssistantPart,
  JsonObject,
  JsonValue,
  ToolResultContent,
  ToolResultOutput,
  ToolResultPart,
  UserPart,
} from "../../model/messages.ts";
import { optionsOf } from "../../model/provider-options.ts";
import { objectOf, objectsOf, textOf } from "../files/json-fields.ts";

/** The content of an Anthropic message as blocks. */
export function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
}

/** A block of an assistant's message; nothing for one that this version does not know. */
export function assistantPart(block: JsonObject): AssistantPart | undefined {
  const [type, text] = [textOf(block["type"]) ?? "", textOf(block["text"])];
  if (type === "text") return text === undefined ? undefined : { type: "text", text };
  if (type === "thinking") {
    const options = optionsOf("anthropic", { signature: textOf(block["signature"]) });
    return { type: "reasoning", text: textOf(block["thinking"]) ?? "", ...options };
  }
  if (type === "redacted_thinking") {
    return { type: "reasoning", text: "", providerOptions: { anthropic: { redactedData: block["data"] } } };
  }
  if (type === "tool_use" || type === "server_tool_use") {
    const provider = type === "server_tool_use" ? { providerExecuted: true } : {};
    const [toolCallId, toolName] = [textOf(block["id"]) ?? "", textOf(block["name"]) ?? "tool"];
    return { type: "tool-call", toolCallId, toolName, input: block["input"] ?? {}, ...provider };
  }
  return undefined;
}

/** A block of what a user said; nothing for one that is not said but given, as a tool's result is. */
export function userPart(block: JsonObject): UserPart | undefined {
  const [type, text] = [textOf(block["type"]), textOf(block["text"])];
  if (type === "text") return text === undefined ? undefined : { type: "text", text };
  const { media_type: media, data, type: kind, url } = objectOf(block["source"]);
  const content = kind === "url" ? textOf(url) : textOf(data);
  const mediaType = textOf(media);
  if (type === "image" && content !== undefined) {
    return { type: "image", image: content, ...(mediaType === undefined ? {} : { mediaType }) };
  }
  if (type === "document" && content !== undefined) {
    return { type: "file", data: content, mediaType: mediaType ?? "application/pdf" };
  }
  return undefined;
}

/** The result of a call; `nameOf` knows which tool was called. */
export function toolPart(block: JsonObject, nameOf: (callId: string) => string | undefined): ToolResultPart {
  const toolCallId = textOf(block["tool_use_id"]) ?? "";
  const isError = block["is_error"] === true;
  return {
    type: "tool-result",
    toolCallId,
    toolName: nameOf(toolCallId) ?? "tool",
    output: outputOf(block["content"], isError),
  };
}

function outputOf(content: JsonValue | undefined, isError: boolean): ToolResultOutput {
  const parts = blocksOf(content).map(resultContent);
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length === parts.length) return { type: isError ? "error-text" : "text", value: texts.join("\n") };
  return { type: "content", value: parts };
}

function resultContent(block: JsonObject): ToolResultContent {
  const text = textOf(block["text"]);
  if (block["type"] === "text" && text !== undefined) return { type: "text", text };
  const source = objectOf(block["source"]);
  const data = textOf(source["data"]);
  if (data !== undefined) return { type: "image-data", data, mediaType: textOf(source["media_type"]) ?? "image/png" };
  // References to tools and the like: what they say, so that nothing is left out in silence.
  return { type: "text", text: JSON.stringify(block) };
}
