import type { Problem } from "../../model/errors.ts";
import type { MessagePart, ModelMessage } from "../../model/messages.ts";
import type { AiSdkRequest } from "./types.ts";
import { type ToolRules, checkTools, problem } from "../shared/check-tools.ts";

const toolRules: ToolRules = { name: /^./s, nameRule: "not empty" };

/** Everything that the AI SDK would refuse in a request's structure, with paths into the request. */
export function validateAiSdk({ messages, allowSystemInMessages, tools = {} }: AiSdkRequest): Problem[] {
  const problems: Problem[] = [];
  if (messages.length === 0) problems.push(problem("messages", "The request has no messages."));
  for (const [index, { role, content }] of messages.entries()) {
    const path = `messages[${index}]`;
    if (role === "system" && allowSystemInMessages !== true) {
      problems.push(
        problem(
          `${path}.role`,
          "A system message stands among the messages.",
          "Set allowSystemInMessages, or use instructions.",
        ),
      );
    }
    if (content.length === 0) problems.push(problem(`${path}.content`, "The message is empty."));
  }
  problems.push(...checkCalls(messages));
  const checked = Object.entries(tools).map(([name, { inputSchema }]) => ({
    name,
    namePath: `tools[${JSON.stringify(name)}]`,
    schema: inputSchema.jsonSchema,
    schemaPath: `tools[${JSON.stringify(name)}].inputSchema`,
  }));
  return [...problems, ...checkTools(checked, toolRules)];
}

function checkCalls(messages: readonly ModelMessage[]): Problem[] {
  const problems: Problem[] = [];
  const open = new Map<string, string>();
  const own = new Set<string>();
  const used = new Set<string>();
  const close = (): void => {
    for (const [id, path] of open) problems.push(problem(path, `The call ${JSON.stringify(id)} has no result.`));
    open.clear();
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "user" || message.role === "system") close();
    for (const [at, part] of partsOf(message).entries()) {
      const path = `messages[${index}].content[${at}]`;
      if (part.type === "tool-call") {
        // The AI SDK passes such ids on, to providers that refuse them.
        if (used.has(part.toolCallId)) {
          problems.push(problem(path, `Two calls share the id ${JSON.stringify(part.toolCallId)}.`));
        }
        used.add(part.toolCallId);
        if (part.providerExecuted === true) own.add(part.toolCallId);
        else open.set(part.toolCallId, path);
      } else if (part.type === "tool-result" && !open.delete(part.toolCallId) && !own.has(part.toolCallId)) {
        problems.push(problem(path, `The result ${JSON.stringify(part.toolCallId)} has no call before it.`));
      }
    }
  }
  for (const id of approvedAtEnd(messages)) open.delete(id);
  close();
  return problems;
}

/** The AI SDK itself runs, or denies, the calls that the last message decides on. */
function approvedAtEnd(messages: readonly ModelMessage[]): string[] {
  const last = messages.at(-1);
  if (last?.role !== "tool") return [];
  const decided = new Set(
    last.content.flatMap((part) => (part.type === "tool-approval-response" ? [part.approvalId] : [])),
  );
  return messages
    .flatMap(partsOf)
    .flatMap((part) =>
      part.type === "tool-approval-request" && decided.has(part.approvalId) ? [part.toolCallId] : [],
    );
}

function partsOf({ content }: ModelMessage): readonly MessagePart[] {
  return typeof content === "string" ? [] : content;
}
