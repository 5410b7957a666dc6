import type { Problem } from "../../model/errors.ts";
import { checkName, checkTools, problem } from "../shared/check-tools.ts";
import { checkCallId, imageUrlPattern, openAiToolRules } from "../shared/openai.ts";
import type { OpenAiChatAssistantMessage, OpenAiChatMessage, OpenAiChatRequest } from "./types.ts";

const maximumIdLength = 40;

/** Everything that OpenAI's Chat Completions would refuse in a request's structure, with paths into the request. */
export function validateOpenAiChat({ messages, tools = [] }: OpenAiChatRequest): Problem[] {
  const problems: Problem[] = [];
  if (messages.length === 0) problems.push(problem("messages", "The request has no messages."));
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    problems.push(...checkMessage(message, path));
    if (message.role === "assistant") problems.push(...checkCalls(message, answersBehind(messages, index), path));
    if (message.role === "tool" && !isAsked(messages, index)) {
      problems.push(
        problem(
          `${path}.tool_call_id`,
          `No call ${JSON.stringify(message.tool_call_id)} stands in the assistant message before this result.`,
          "A result directly follows the message with its call.",
        ),
      );
    }
  }
  const checked = tools.map(({ function: { name, parameters } }, index) => ({
    name,
    namePath: `tools[${index}].function.name`,
    schema: parameters,
    schemaPath: `tools[${index}].function.parameters`,
  }));
  return [...problems, ...checkTools(checked, openAiToolRules)];
}

function checkMessage(message: OpenAiChatMessage, path: string): Problem[] {
  switch (message.role) {
    case "system":
    case "tool":
      return typeof message.content === "string" ? [] : [problem(`${path}.content`, "Content must be a string.")];
    case "user":
      return checkUserContent(message.content, `${path}.content`);
    case "assistant": {
      const hasCalls = message.tool_calls !== undefined;
      if (hasCalls && message.tool_calls?.length === 0) {
        return [problem(`${path}.tool_calls`, "The list of calls is empty.", "Leave it out where there is no call.")];
      }
      const hasText = message.content !== undefined && message.content !== null;
      return hasText || hasCalls ? [] : [problem(path, "The assistant message has neither content nor calls.")];
    }
  }
}

function checkUserContent(content: OpenAiChatMessage["content"], path: string): Problem[] {
  if (!Array.isArray(content)) return [];
  if (content.length === 0) return [problem(path, "The content is an empty list.")];
  return content.flatMap((part, index) => {
    const at = `${path}[${index}]`;
    switch (part.type) {
      case "text":
        return part.text === "" ? [problem(`${at}.text`, "The text is empty.")] : [];
      case "image_url":
        return imageUrlPattern.test(part.image_url.url)
          ? []
          : [problem(`${at}.image_url.url`, "The image is neither a web URL nor PNG, JPEG, GIF or WebP data.")];
      case "input_audio":
        return part.input_audio.data === "" ? [problem(`${at}.input_audio.data`, "The sound is empty.")] : [];
      case "file":
        return "file_id" in part.file || /^data:[^;,]+;base64,./.test(part.file.file_data)
          ? []
          : [problem(`${at}.file.file_data`, "The file's data must be a base64 data URL.")];
    }
  });
}

function checkCalls(
  { tool_calls: calls = [] }: OpenAiChatAssistantMessage,
  answers: readonly string[],
  path: string,
): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const [index, { id, function: called }] of calls.entries()) {
    const at = `${path}.tool_calls[${index}]`;
    problems.push(...checkCallId(id, `${at}.id`, maximumIdLength));
    if (seen.has(id))
      problems.push(problem(`${at}.id`, `Two calls of one message share the id ${JSON.stringify(id)}.`));
    seen.add(id);
    problems.push(...checkName(called.name, `${at}.function.name`, openAiToolRules));
    const count = answers.filter((answer) => answer === id).length;
    if (count !== 1) {
      problems.push(
        problem(at, `The call ${JSON.stringify(id)} has ${count} results directly behind its message instead of one.`),
      );
    }
  }
  return problems;
}

/** The ids of the results that directly follow a message. */
function answersBehind(messages: readonly OpenAiChatMessage[], index: number): string[] {
  const answers: string[] = [];
  for (let at = index + 1; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== "tool") break;
    answers.push(message.tool_call_id);
  }
  return answers;
}

function isAsked(messages: readonly OpenAiChatMessage[], index: number): boolean {
  const result = messages[index];
  let at = index;
  while (messages[at]?.role === "tool") at -= 1;
  const before = messages[at];
  if (result?.role !== "tool" || before?.role !== "assistant") return false;
  return before.tool_calls?.some(({ id }) => id === result.tool_call_id) === true;
}
