import type { Problem } from "../../model/check/errors.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { type Refuse, type ToolRules, checkName, checkTools, refusedBy } from "../shared/refuse.ts";
import type { GeminiContent, GeminiPart, GeminiRequest } from "./types.ts";

const toolRules: ToolRules = {
  name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  nameRule: "a letter or underscore and up to 127 letters, digits, underscores, dots, colons and dashes",
  schemaField: "parametersJsonSchema",
  maxTools: 512,
};

/** Everything that Gemini would refuse in a request's structure, with paths into the request. */
export function validateGemini(request: GeminiRequest): Problem[] {
  return refusedBy(request, ({ systemInstruction, contents, tools = [] }, refuse) => {
    if (contents.length === 0) refuse("contents", "The request has no contents.");
    if (contents[0]?.role === "model") refuse("contents[0].role", "The first content is not the user's.");
    if (systemInstruction && !systemInstruction.parts.some(({ text }) => text !== "")) {
      refuse("systemInstruction.parts", "The system instruction is empty.");
    }
    for (const [index, content] of contents.entries()) {
      const path = `contents[${index}]`;
      if (content.parts.length === 0) refuse(`${path}.parts`, "The content has no parts.");
      if (contents[index - 1]?.role === content.role) {
        refuse(`${path}.role`, `Two contents of the ${content.role} follow each other.`, "Make them one.");
      }
      for (const [at, part] of content.parts.entries()) checkPart(part, content.role, `${path}.parts[${at}]`, refuse);
      checkCalls(content, contents[index + 1], path, refuse);
      checkResponses(content, contents[index - 1], path, refuse);
    }
    const declared = tools.flatMap(({ functionDeclarations }, tool) =>
      functionDeclarations.map(({ name, parametersJsonSchema: schema }, index) => {
        return { name, schema, path: `tools[${tool}].functionDeclarations[${index}]` };
      }),
    );
    checkTools(declared, toolRules, refuse);
  });
}

function checkPart(part: GeminiPart, role: GeminiContent["role"], path: string, refuse: Refuse): void {
  const kinds = ["text", "inlineData", "fileData", "functionCall", "functionResponse"].filter((kind) => kind in part);
  if (kinds.length !== 1) refuse(path, `A part holds one kind of data; this holds ${kinds.length}.`);
  else if ("text" in part) {
    const isSigned = part.thoughtSignature !== undefined && part.thoughtSignature !== "";
    if (part.text === "" && !isSigned) refuse(`${path}.text`, "The text is empty.");
  } else if ("inlineData" in part) {
    const { data, mimeType } = part.inlineData;
    const isType = /^[^/*]+\/[^/*]+$/.test(mimeType);
    if (data === "") refuse(`${path}.inlineData.data`, "The data is empty.");
    if (!isType) refuse(`${path}.inlineData.mimeType`, `${JSON.stringify(mimeType)} is not a MIME type.`);
  } else if ("fileData" in part) {
    if (part.fileData.fileUri === "") refuse(`${path}.fileData.fileUri`, "The URI is empty.");
  } else if ("functionCall" in part) {
    const { name, args } = part.functionCall;
    checkName(name, `${path}.functionCall.name`, toolRules, refuse);
    if (!isJsonObject(args)) refuse(`${path}.functionCall.args`, "A call's arguments are an object.");
    if (role !== "model") refuse(path, "The user cannot call a function.");
  } else {
    const { name, response } = part.functionResponse;
    checkName(name, `${path}.functionResponse.name`, toolRules, refuse);
    if (!isJsonObject(response)) refuse(`${path}.functionResponse.response`, "A response is an object.");
    if (role !== "user") refuse(path, "The model cannot give a function's response.");
  }
}

/** Calls and responses are paired by their number and their names in order. */
function checkCalls(content: GeminiContent, next: GeminiContent | undefined, path: string, refuse: Refuse): void {
  const calls = callsOf(content);
  const responses = next ? responsesOf(next) : [];
  if (calls.length === 0) return;
  if (calls.length !== responses.length) {
    const message = `The content has ${calls.length} function calls, the next one ${responses.length} responses.`;
    refuse(path, message, "Each call has one response, in the content directly behind it.");
    return;
  }
  const wrong = calls.findIndex((name, index) => name !== responses[index]);
  if (wrong >= 0) refuse(path, `The call of ${calls[wrong]} is answered by a response of ${responses[wrong]}.`);
}

function checkResponses(content: GeminiContent, before: GeminiContent | undefined, path: string, refuse: Refuse): void {
  if (responsesOf(content).length === 0 || (before && callsOf(before).length > 0)) return;
  refuse(path, "The function responses have no calls in the content before.");
}

function callsOf({ parts }: GeminiContent): string[] {
  return parts.flatMap((part) => ("functionCall" in part ? [part.functionCall.name] : []));
}

function responsesOf({ parts }: GeminiContent): string[] {
  return parts.flatMap((part) => ("functionResponse" in part ? [part.functionResponse.name] : []));
}
