import type { Problem } from "../../model/check/errors.ts";
import { checkCallId, imageUrlPattern, openAiToolRules } from "../shared/openai.ts";
import { idRules } from "../shared/pair-tool-calls.ts";
import { type Refuse, checkName, checkTools, refusedBy } from "../shared/refuse.ts";
import type { OpenAiChatAssistantMessage, OpenAiChatMessage, OpenAiChatPart, OpenAiChatRequest } from "./types.ts";

const { maxLength: maxIdLength } = idRules["openai-chat"];

/** Everything that OpenAI's Chat Completions would refuse in a request's structure, with paths into the request. */
export function validateOpenAiChat(request: OpenAiChatRequest): Problem[] {
  return refusedBy(request, ({ messages, tools = [] }, refuse) => {
    if (messages.length === 0) refuse("messages", "The request has no messages.");
    for (const [index, message] of messages.entries()) {
      const path = `messages[${index}]`;
      checkMessage(message, path, refuse);
      if (message.role === "assistant") checkCalls(message, answersBehind(messages, index), path, refuse);
      if (message.role === "tool" && !isAsked(messages, index)) {
        refuse(
          `${path}.tool_call_id`,
          `No call ${JSON.stringify(message.tool_call_id)} stands in the assistant message before this result.`,
          "A result directly follows the message with its call.",
        );
      }
    }
    const declared = tools.map(({ function: { name, parameters: schema } }, index) => {
      return { name, schema, path: `tools[${index}].function` };
    });
    checkTools(declared, openAiToolRules, refuse);
  });
}

function checkMessage(message: OpenAiChatMessage, path: string, refuse: Refuse): void {
  const { content } = message;
  switch (message.role) {
    case "system":
    case "tool":
      if (typeof content !== "string") refuse(`${path}.content`, "Content must be a string.");
      return;
    case "user":
      if (!Array.isArray(content)) return;
      if (content.length === 0) refuse(`${path}.content`, "The content is an empty list.");
      for (const [index, part] of content.entries()) checkPart(part, `${path}.content[${index}]`, refuse);
      return;
    case "assistant":
      if (message.tool_calls?.length === 0) {
        refuse(`${path}.tool_calls`, "The list of calls is empty.", "Leave it out where there is no call.");
      } else if ((content === undefined || content === null) && message.tool_calls === undefined) {
        refuse(path, "The assistant message has neither content nor calls.");
      }
  }
}

function checkPart(part: OpenAiChatPart, path: string, refuse: Refuse): void {
  switch (part.type) {
    case "text":
      if (part.text === "") refuse(`${path}.text`, "The text is empty.");
      return;
    case "image_url":
      if (imageUrlPattern.test(part.image_url.url)) return;
      refuse(`${path}.image_url.url`, "The image is neither a web URL nor PNG, JPEG, GIF or WebP data.");
      return;
    case "input_audio":
      if (part.input_audio.data === "") refuse(`${path}.input_audio.data`, "The sound is empty.");
      return;
    case "file":
      if ("file_id" in part.file || /^data:[^;,]+;base64,./.test(part.file.file_data)) return;
      refuse(`${path}.file.file_data`, "The file's data must be a base64 data URL.");
  }
}

function checkCalls(
  { tool_calls: calls = [] }: OpenAiChatAssistantMessage,
  answers: readonly string[],
  path: string,
  refuse: Refuse,
): void {
  const seen = new Set<string>();
  for (const [index, { id, function: called }] of calls.entries()) {
    const at = `${path}.tool_calls[${index}]`;
    const name = JSON.stringify(id);
    checkCallId(id, `${at}.id`, maxIdLength, refuse);
    if (seen.has(id)) refuse(`${at}.id`, `Two calls of one message share the id ${name}.`);
    seen.add(id);
    checkName(called.name, `${at}.function.name`, openAiToolRules, refuse);
    const count = answers.filter((answer) => answer === id).length;
    if (count !== 1) refuse(at, `The call ${name} has ${count} results directly behind its message instead of one.`);
  }
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
