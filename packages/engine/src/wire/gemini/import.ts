// Gemini generateContent, read back. Responses become a tool message, and what else the content holds a user message behind
// it. Calls have no ids in most requests: a response answers the oldest open call of its name.

import { wrongInput } from "../../model/check/input.ts";
import type {
  AssistantPart,
  JsonValue,
  ModelMessage,
  ToolResultOutput,
  ToolResultPart,
  UserPart,
} from "../../model/messages.ts";
import { optionsOf } from "../../model/provider-options.ts";
import {
  type Fields,
  type RequestReader,
  fieldsAt,
  listAt,
  mediaPart,
  opaquePart,
  readEach,
  textAt,
  textIn,
} from "../shared/read-items.ts";

/** Reads generateContent requests. */
export const geminiReader: RequestReader = {
  list: "contents",
  items(items, path, start = 0) {
    const calls = callIds();
    return readEach(items, path, start, (item, at) => readContents(fieldsAt(item, at), at, calls));
  },
  system: (request) => readSystem(request["systemInstruction"] ?? request["system_instruction"]),
};

function readSystem(system: unknown): ModelMessage[] {
  if (system === undefined || system === null) return [];
  if (typeof system === "string") return [{ role: "system", content: system }];
  const path = "request.systemInstruction";
  return partsOf(fieldsAt(system, path), path).map(({ part, at }) => ({
    role: "system",
    content: textAt(part, "text", at),
  }));
}

interface CallIds {
  open(call: Fields, name: string): string;
  answer(response: Fields, name: string): string;
}

function callIds(): CallIds {
  const open: { readonly id: string; readonly name: string }[] = [];
  let count = 0;
  return {
    open(call, name) {
      count += 1;
      const id = textIn(call, "id") ?? `call_${count}`;
      open.push({ id, name });
      return id;
    },
    answer(response, name) {
      const own = textIn(response, "id");
      const found = open.findIndex((call) => (own === undefined ? call.name === name : call.id === own));
      return (found < 0 ? undefined : open.splice(found, 1)[0]?.id) ?? own ?? name;
    },
  };
}

function partsOf(content: Fields, path: string): { readonly part: Fields; readonly at: string }[] {
  return listAt(content, "parts", path).map((part, index) => {
    const at = `${path}.parts[${index}]`;
    return { part: fieldsAt(part, at), at };
  });
}

function readContents(content: Fields, path: string, calls: CallIds): ModelMessage[] {
  const parts = partsOf(content, path);
  const { role = "user" } = content;
  if (role === "model")
    return [{ role: "assistant", content: parts.map(({ part, at }) => readModelPart(part, at, calls)) }];
  if (role !== "user" && role !== "function") throw wrongInput(`${path}.role`, "one of user, model", role);
  const results: ToolResultPart[] = [];
  const said: UserPart[] = [];
  for (const { part, at } of parts) {
    if ("functionResponse" in part) results.push(readResponse(part["functionResponse"], at, calls));
    else said.push(readUserPart(part, at));
  }
  if (results.length === 0) return [{ role: "user", content: said }];
  return [{ role: "tool", content: results }, ...(said.length === 0 ? [] : [{ role: "user", content: said } as const])];
}

function readModelPart(part: Fields, path: string, calls: CallIds): AssistantPart {
  const options = optionsOf("google", { thoughtSignature: textIn(part, "thoughtSignature") });
  if ("functionCall" in part) {
    const call = fieldsAt(part["functionCall"], `${path}.functionCall`);
    const toolName = textAt(call, "name", `${path}.functionCall`);
    const toolCallId = calls.open(call, toolName);
    return { type: "tool-call", toolCallId, toolName, input: call["args"] ?? {}, ...options };
  }
  const media = readMedia(part, path);
  if (media) return { ...media, ...options };
  const text = textIn(part, "text");
  if (text === undefined) return opaquePart("google", part);
  return part["thought"] === true ? { type: "reasoning", text, ...options } : { type: "text", text, ...options };
}

function readUserPart(part: Fields, path: string): UserPart {
  const media = readMedia(part, path);
  if (media) return media;
  // A user message has no part for anything else: a model reads it as text.
  return { type: "text", text: textIn(part, "text") ?? JSON.stringify(part) };
}

function readMedia(part: Fields, path: string): ReturnType<typeof mediaPart> | undefined {
  if ("inlineData" in part) {
    const data = fieldsAt(part["inlineData"], `${path}.inlineData`);
    return mediaPart(textAt(data, "data", `${path}.inlineData`), textIn(data, "mimeType") ?? "");
  }
  if (!("fileData" in part)) return undefined;
  const file = fieldsAt(part["fileData"], `${path}.fileData`);
  return mediaPart(textAt(file, "fileUri", `${path}.fileData`), textIn(file, "mimeType") ?? "");
}

function readResponse(given: unknown, path: string, calls: CallIds): ToolResultPart {
  const response = fieldsAt(given, `${path}.functionResponse`);
  const toolName = textAt(response, "name", `${path}.functionResponse`);
  const toolCallId = calls.answer(response, toolName);
  return { type: "tool-result", toolCallId, toolName, output: readOutput(response["response"]) };
}

/** Tools give `{ output }` or `{ error }`; anything else is the result itself. */
function readOutput(response: unknown): ToolResultOutput {
  const fields = (typeof response === "object" && response !== null ? response : {}) as Fields;
  const [key] = Object.keys(fields);
  const isOnly = Object.keys(fields).length === 1;
  const isError = isOnly && key === "error";
  const value = (isOnly && (key === "output" || isError) ? fields[key] : (response ?? {})) as JsonValue;
  if (typeof value === "string") return { type: isError ? "error-text" : "text", value };
  return { type: isError ? "error-json" : "json", value };
}
