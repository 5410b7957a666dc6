import type { Problem } from "../../model/check/errors.ts";
import type { MessagePart, ModelMessage } from "../../model/messages.ts";
import { type Refuse, type ToolRules, checkTools, refusedBy } from "../shared/refuse.ts";
import { decidedApprovals } from "./adjust.ts";
import type { AiSdkRequest } from "./types.ts";

const toolRules: ToolRules = { name: /^./s, nameRule: "not empty", nameField: "", schemaField: "inputSchema" };

/** Everything that the AI SDK would refuse in a request's structure, with paths into the request. */
export function validateAiSdk(request: AiSdkRequest): Problem[] {
  return refusedBy(request, ({ messages, allowSystemInMessages, tools = {} }, refuse) => {
    if (messages.length === 0) refuse("messages", "The request has no messages.");
    for (const [index, { role, content }] of messages.entries()) {
      if (role === "system" && allowSystemInMessages !== true) {
        const hint = "Set allowSystemInMessages, or use instructions.";
        refuse(`messages[${index}].role`, "A system message stands among the messages.", hint);
      }
      if (content.length === 0) refuse(`messages[${index}].content`, "The message is empty.");
    }
    checkCalls(messages, refuse);
    const declared = Object.entries(tools).map(([name, { inputSchema }]) => {
      return { name, schema: inputSchema.jsonSchema, path: `tools[${JSON.stringify(name)}]` };
    });
    checkTools(declared, toolRules, refuse);
  });
}

function checkCalls(messages: readonly ModelMessage[], refuse: Refuse): void {
  const open = new Map<string, string>();
  const own = new Set<string>();
  const used = new Set<string>();
  const close = (): void => {
    for (const [id, path] of open) refuse(path, `The call ${JSON.stringify(id)} has no result.`);
    open.clear();
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "user" || message.role === "system") close();
    for (const [at, part] of partsOf(message).entries()) {
      const path = `messages[${index}].content[${at}]`;
      if (part.type === "tool-call") {
        const { toolCallId: id } = part;
        // The AI SDK passes such ids on, to providers that refuse them.
        if (used.has(id)) refuse(path, `Two calls share the id ${JSON.stringify(id)}.`);
        used.add(id);
        if (part.providerExecuted === true) own.add(id);
        else open.set(id, path);
      } else if (part.type === "tool-result" && !open.delete(part.toolCallId) && !own.has(part.toolCallId)) {
        refuse(path, `The result ${JSON.stringify(part.toolCallId)} has no call before it.`);
      }
    }
  }
  const decided = decidedApprovals(messages);
  for (const part of messages.flatMap(partsOf)) {
    if (part.type === "tool-approval-request" && decided.has(part.approvalId)) open.delete(part.toolCallId);
  }
  close();
}

function partsOf({ content }: ModelMessage): readonly MessagePart[] {
  return typeof content === "string" ? [] : content;
}
