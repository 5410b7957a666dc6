// OpenAI Chat Completions, read back: one of our messages for each of theirs. `developer` is read as system. A name
// becomes the option `openai.name`.

import { wrongInput } from "../../model/check/input.ts";
import type { AssistantPart, ModelMessage, UserPart } from "../../model/messages.ts";
import { optionsOf } from "../../model/provider-options.ts";
import {
  type CallNames,
  type Fields,
  type RequestReader,
  fieldsAt,
  listAt,
  mediaPart,
  openAiFile,
  readArguments,
  readContent,
  readEach,
  readTexts,
  textAt,
  textIn,
} from "../shared/read-items.ts";

/** Reads Chat Completions requests. */
export const openAiChatReader: RequestReader = {
  list: "messages",
  items: (items, path, start = 0, names = new Map()) =>
    readEach(items, path, start, (item, at) => [readMessage(fieldsAt(item, at), at, names)]),
};

function readMessage(item: Fields, path: string, names: CallNames): ModelMessage {
  const options = optionsOf("openai", { name: item["role"] === "function" ? undefined : textIn(item, "name") });
  const content = item["content"] ?? "";
  switch (item["role"]) {
    case "system":
    case "developer":
      return { role: "system", content: readTexts(content, `${path}.content`), ...options };
    case "user":
      return { role: "user", content: readContent(content, `${path}.content`, readUserPart), ...options };
    case "assistant":
      return { role: "assistant", content: readSpoken(item, path, names), ...options };
    case "tool":
    case "function": {
      const toolCallId = item["role"] === "tool" ? textAt(item, "tool_call_id", path) : textAt(item, "name", path);
      const output = { type: "text", value: readTexts(content, `${path}.content`) } as const;
      return {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName: names.get(toolCallId) ?? "unknown", output }],
      };
    }
    default:
      throw wrongInput(`${path}.role`, "one of system, developer, user, assistant, tool", item["role"]);
  }
}

function readSpoken(item: Fields, path: string, names: CallNames): string | AssistantPart[] {
  const said = readContent(item["content"] ?? "", `${path}.content`, (part, at): AssistantPart[] => [
    { type: "text", text: textIn(part, "text") ?? textAt(part, "refusal", at) },
  ]);
  const refusal = textIn(item, "refusal");
  const thought = textIn(item, "reasoning_content") ?? textIn(item, "reasoning");
  const calls = item["tool_calls"] === undefined || item["tool_calls"] === null ? [] : listAt(item, "tool_calls", path);
  const asked = calls.map((call, index) => {
    const at = `${path}.tool_calls[${index}]`;
    return readCall(fieldsAt(call, at), at, names);
  });
  const old = item["function_call"];
  if (old !== undefined && old !== null) {
    const call = fieldsAt(old, `${path}.function_call`);
    asked.push(readCall({ id: textAt(call, "name", `${path}.function_call`), function: call }, path, names));
  }
  if (typeof said === "string" && refusal === undefined && thought === undefined && asked.length === 0) return said;
  const text = (value: string): AssistantPart[] => (value === "" ? [] : [{ type: "text", text: value }]);
  return [
    ...(thought === undefined ? [] : [{ type: "reasoning", text: thought } as const]),
    ...(typeof said === "string" ? text(said) : said),
    ...text(refusal ?? ""),
    ...asked,
  ];
}

function readCall(call: Fields, path: string, names: CallNames): AssistantPart {
  const toolCallId = textAt(call, "id", path);
  const kind = "custom" in call ? "custom" : "function";
  const asked = fieldsAt(call[kind], `${path}.${kind}`);
  const toolName = textAt(asked, "name", `${path}.${kind}`);
  names.set(toolCallId, toolName);
  const input = readArguments(textAt(asked, kind === "custom" ? "input" : "arguments", `${path}.${kind}`));
  return { type: "tool-call", toolCallId, toolName, input };
}

const audioTypes: Readonly<Record<string, string>> = { wav: "audio/wav", mp3: "audio/mpeg" };

function readUserPart(part: Fields, path: string): UserPart[] {
  switch (part["type"]) {
    case "text":
      return [{ type: "text", text: textAt(part, "text", path) }];
    case "image_url": {
      const given = part["image_url"];
      const image: Fields = typeof given === "string" ? { url: given } : fieldsAt(given, `${path}.image_url`);
      const options = optionsOf("openai", { imageDetail: textIn(image, "detail") });
      return [mediaPart(textAt(image, "url", `${path}.image_url`), "image", options)];
    }
    case "input_audio": {
      const audio = fieldsAt(part["input_audio"], `${path}.input_audio`);
      const format = textAt(audio, "format", `${path}.input_audio`);
      const data = textAt(audio, "data", `${path}.input_audio`);
      return [mediaPart(data, audioTypes[format] ?? `audio/${format}`)];
    }
    case "file":
      return [openAiFile(fieldsAt(part["file"], `${path}.file`), `${path}.file`)];
    default:
      throw wrongInput(`${path}.type`, "one of text, image_url, input_audio, file", part["type"]);
  }
}
