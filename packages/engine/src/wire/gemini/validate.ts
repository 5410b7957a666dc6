import type { Problem } from "../../model/errors.ts";
import { isJsonObject } from "../../model/parse-json.ts";
import { type ToolRules, checkName, checkTools, problem } from "../shared/check-tools.ts";
import type { GeminiContent, GeminiPart, GeminiRequest } from "./types.ts";

const toolRules: ToolRules = {
  name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/,
  nameRule: "a letter or underscore and up to 127 letters, digits, underscores, dots, colons and dashes",
  maximum: 512,
};

/** Everything that Gemini would refuse in a request's structure, with paths into the request. */
export function validateGemini({ systemInstruction, contents, tools = [] }: GeminiRequest): Problem[] {
  const problems: Problem[] = [];
  if (contents.length === 0) problems.push(problem("contents", "The request has no contents."));
  if (contents[0]?.role === "model") problems.push(problem("contents[0].role", "The first content is not the user's."));
  if (systemInstruction && !systemInstruction.parts.some(({ text }) => text !== "")) {
    problems.push(problem("systemInstruction.parts", "The system instruction is empty."));
  }
  for (const [index, content] of contents.entries()) {
    const path = `contents[${index}]`;
    if (content.parts.length === 0) problems.push(problem(`${path}.parts`, "The content has no parts."));
    if (contents[index - 1]?.role === content.role) {
      problems.push(
        problem(`${path}.role`, `Two contents of the ${content.role} follow each other.`, "Make them one."),
      );
    }
    for (const [at, part] of content.parts.entries()) {
      problems.push(...checkPart(part, content.role, `${path}.parts[${at}]`));
    }
    problems.push(
      ...checkCalls(content, contents[index + 1], path),
      ...checkResponses(content, contents[index - 1], path),
    );
  }
  const declared = tools.flatMap(({ functionDeclarations }, tool) =>
    functionDeclarations.map(({ name, parametersJsonSchema }, index) => ({
      name,
      namePath: `tools[${tool}].functionDeclarations[${index}].name`,
      schema: parametersJsonSchema,
      schemaPath: `tools[${tool}].functionDeclarations[${index}].parametersJsonSchema`,
    })),
  );
  return [...problems, ...checkTools(declared, toolRules)];
}

function checkPart(part: GeminiPart, role: GeminiContent["role"], path: string): Problem[] {
  const kinds = ["text", "inlineData", "fileData", "functionCall", "functionResponse"].filter((kind) => kind in part);
  if (kinds.length !== 1) return [problem(path, `A part holds one kind of data; this holds ${kinds.length}.`)];
  if ("text" in part) {
    const isSigned = part.thoughtSignature !== undefined && part.thoughtSignature !== "";
    return part.text === "" && !isSigned ? [problem(`${path}.text`, "The text is empty.")] : [];
  }
  if ("inlineData" in part) {
    const { data, mimeType } = part.inlineData;
    const isType = /^[^/*]+\/[^/*]+$/.test(mimeType);
    return [
      ...(data === "" ? [problem(`${path}.inlineData.data`, "The data is empty.")] : []),
      ...(isType ? [] : [problem(`${path}.inlineData.mimeType`, `${JSON.stringify(mimeType)} is not a MIME type.`)]),
    ];
  }
  if ("fileData" in part) {
    return part.fileData.fileUri === "" ? [problem(`${path}.fileData.fileUri`, "The URI is empty.")] : [];
  }
  if ("functionCall" in part) {
    const { name, args } = part.functionCall;
    return [
      ...checkName(name, `${path}.functionCall.name`, toolRules),
      ...(isJsonObject(args) ? [] : [problem(`${path}.functionCall.args`, "A call's arguments are an object.")]),
      ...(role === "model" ? [] : [problem(path, "The user cannot call a function.")]),
    ];
  }
  const { name, response } = part.functionResponse;
  return [
    ...checkName(name, `${path}.functionResponse.name`, toolRules),
    ...(isJsonObject(response) ? [] : [problem(`${path}.functionResponse.response`, "A response is an object.")]),
    ...(role === "user" ? [] : [problem(path, "The model cannot give a function's response.")]),
  ];
}

/** Calls and responses are paired by their number and their names in order. */
function checkCalls(content: GeminiContent, next: GeminiContent | undefined, path: string): Problem[] {
  const calls = callsOf(content);
  const responses = next ? responsesOf(next) : [];
  if (calls.length === 0) return [];
  if (calls.length !== responses.length) {
    const message = `The content has ${calls.length} function calls, the next one ${responses.length} responses.`;
    return [problem(path, message, "Each call has one response, in the content directly behind it.")];
  }
  const wrong = calls.findIndex((name, index) => name !== responses[index]);
  if (wrong < 0) return [];
  return [problem(path, `The call of ${calls[wrong]} is answered by a response of ${responses[wrong]}.`)];
}

function checkResponses(content: GeminiContent, before: GeminiContent | undefined, path: string): Problem[] {
  if (responsesOf(content).length === 0 || (before && callsOf(before).length > 0)) return [];
  return [problem(path, "The function responses have no calls in the content before.")];
}

function callsOf({ parts }: GeminiContent): string[] {
  return parts.flatMap((part) => ("functionCall" in part ? [part.functionCall.name] : []));
}

function responsesOf({ parts }: GeminiContent): string[] {
  return parts.flatMap((part) => ("functionResponse" in part ? [part.functionResponse.name] : []));
}
