import type { AssistantPart, JsonObject, ToolResultPart } from "../../model/messages.ts";
import { optionsOf } from "../../model/provider-options.ts";
import { numberOf, objectOf, objectsOf, textOf, timeOf } from "../files/json-fields.ts";
import type { LogRecord } from "./log-types.ts";
import { type SessionWriter, callFacts, textResult } from "./log-writer.ts";
import type { OpenReader } from "./reader.ts";

/** Events of the screen, of hooks and permissions; no model reads them. */
const aside =
  /^(assistant\.turn_|tool\.execution_start|tool\.user_requested|hook\.|permission\.|session\.(model_change|permissions_changed|info|idle|resume))/;

/** Events of Copilot CLI, one a line. Sub-agents are told apart by the call that started them. */
export const copilotCli: OpenReader = ({ writer, name, leftOut, converted }) => {
  let own = `copilot-cli:${name}`;
  const toolNames = new Map<string, string>();
  const sessionOf = (data: JsonObject): SessionWriter => {
    const call = textOf(data["parentToolCallId"]);
    return call === undefined ? writer.session(own) : writer.session(`${own}/${call}`, { parent: own });
  };
  return {
    read({ value, at }: LogRecord) {
      const [type, data] = [textOf(value["type"]) ?? "", objectOf(value["data"])];
      const origin = { id: textOf(value["id"]) ?? `line-${at}`, ts: timeOf(value["timestamp"]) };
      const session = (): SessionWriter => sessionOf(data);
      if (type === "session.start") {
        own = `copilot-cli:${textOf(data["sessionId"]) ?? name}`;
        writer.session(own, { folder: textOf(objectOf(data["context"])["cwd"]) });
      } else if (type === "session.title_changed") writer.session(own, { title: textOf(data["title"]) });
      else if (aside.test(type)) leftOut(type);
      else if (type === "system.message") {
        session().message(origin, { role: "system", content: textOf(data["content"]) ?? "" });
      } else if (type === "user.message") {
        const content = textOf(data["transformedContent"]) ?? textOf(data["content"]) ?? "";
        session().message(origin, { role: "user", content });
      } else if (type === "assistant.message") {
        const content = replyParts(data);
        for (const part of content) if (part.type === "tool-call") toolNames.set(part.toolCallId, part.toolName);
        const outputTokens = numberOf(data["outputTokens"]);
        const call = callFacts(data["model"], outputTokens === undefined ? undefined : { outputTokens });
        session().message(origin, { role: "assistant", content }, call);
      } else if (type === "tool.execution_complete") {
        const toolCallId = textOf(data["toolCallId"]) ?? "";
        const toolName = textOf(data["toolName"]) ?? toolNames.get(toolCallId) ?? "tool";
        session().message(origin, { role: "tool", content: [resultPart(data, toolCallId, toolName)] });
      } else if (type === "session.compaction_complete" && textOf(data["summaryContent"]) !== undefined) {
        converted("compactions of the agent");
        const tokens = numberOf(data["preCompactionTokens"]);
        const said = session().replaced("copilot-cli", textOf(data["summaryContent"]), tokens);
        session().compaction(origin, { firstKeptEntryId: null, ...said });
      } else session().custom(origin, type, value);
    },
  };
};

function replyParts(data: JsonObject): AssistantPart[] {
  const [thought, text] = [textOf(data["reasoningText"]), textOf(data["content"]) ?? ""];
  const options = optionsOf("copilot", { reasoningOpaque: textOf(data["reasoningOpaque"]) });
  return [
    ...(thought === undefined ? [] : [{ type: "reasoning", text: thought, ...options } as const]),
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...objectsOf(data["toolRequests"]).map((call): AssistantPart => ({
      type: "tool-call",
      toolCallId: textOf(call["toolCallId"]) ?? "",
      toolName: textOf(call["name"]) ?? "tool",
      input: call["arguments"] ?? {},
    })),
  ];
}

function resultPart(data: JsonObject, toolCallId: string, toolName: string): ToolResultPart {
  const content = textOf(objectOf(data["result"])["content"]) ?? "";
  const isError = data["success"] === false;
  const message = isError ? textOf(objectOf(data["error"])["message"]) : undefined;
  return textResult(toolCallId, toolName, message ?? content, isError);
}
