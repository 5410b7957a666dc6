import type { AssistantPart, JsonObject, JsonValue, ToolResultPart, UserPart } from "../../model/messages.ts";
import { objectOf, objectsOf, textOf, timeOf } from "../files/json-fields.ts";
import type { LogRecord } from "./log-types.ts";
import { type Origin, type SessionWriter, callFacts, textResult, usageOf } from "./log-writer.ts";
import type { OpenReader } from "./reader.ts";

/**
 * Chats of Gemini CLI: one document, or since 2026 lines of which the first says which session it is. A message is written
 * again when more of it is known; `$rewindTo` takes back a message and all behind it.
 */
export const geminiCli: OpenReader = ({ writer, name, leftOut, converted }) => {
  let session: SessionWriter | undefined;
  let open: JsonObject | undefined;
  let last: string | null = null;
  // What each message follows, so that going back finds its place.
  const before = new Map<string, string | null>();
  let rewound: string | null | undefined;
  const own = (): SessionWriter => (session ??= writer.session(`gemini-cli:${name}`));
  const flush = (): void => {
    const message = open;
    open = undefined;
    if (!message) return;
    const id = textOf(message["id"]) ?? "";
    before.set(id, last);
    const origin = { id, ts: timeOf(message["timestamp"]), parent: rewound };
    rewound = undefined;
    const kind = textOf(message["type"]) ?? "";
    if (kind === "user") last = own().message(origin, { role: "user", content: userContent(message["content"]) });
    else if (kind === "gemini") last = writeReply(own(), origin, message);
    else last = own().custom(origin, kind === "" ? "record" : kind, message);
  };
  const messages = (list: JsonValue | undefined): void => {
    for (const [index, message] of objectsOf(list).entries())
      take(textOf(message["id"]) ? message : { ...message, id: `message-${index + 1}` });
  };
  const take = (message: JsonObject): void => {
    if (open && open["id"] !== message["id"]) flush();
    open = message;
  };
  return {
    read({ value, at }: LogRecord) {
      const [id, rewind] = [textOf(value["sessionId"]), textOf(value["$rewindTo"])];
      if (rewind !== undefined) {
        flush();
        converted("messages taken back, as a branch");
        rewound = before.get(rewind) ?? null;
      } else if (value["$set"] !== undefined) {
        const set = objectOf(value["$set"]);
        own().note({ title: textOf(set["summary"]) });
        messages(set["messages"]);
        leftOut("records of the kind $set");
      } else if (id !== undefined && value["type"] === undefined) {
        session = writer.session(`gemini-cli:${id}`, { title: textOf(value["summary"]) });
        messages(value["messages"]);
      } else take({ ...value, id: textOf(value["id"]) || `line-${at}` });
    },
    end: flush,
  };
};

/** A reply, with the results of its calls behind it. */
function writeReply(session: SessionWriter, origin: Origin, message: JsonObject): string {
  const content: AssistantPart[] = objectsOf(message["thoughts"]).map((thought) => ({
    type: "reasoning",
    text: [textOf(thought["subject"]), textOf(thought["description"])].filter((text) => text).join("\n"),
  }));
  const text = textIn(message["content"]);
  if (text !== "") content.push({ type: "text", text });
  const results: ToolResultPart[] = [];
  for (const call of objectsOf(message["toolCalls"])) {
    const [toolCallId, toolName] = [textOf(call["id"]) ?? "", textOf(call["name"]) ?? "tool"];
    content.push({ type: "tool-call", toolCallId, toolName, input: call["args"] ?? {} });
    const value = resultText(call["result"]);
    if (value === undefined) continue;
    results.push(textResult(toolCallId, toolName, value, call["status"] === "error"));
  }
  const call = callFacts(message["model"], usageOf(message["tokens"] ?? undefined, usageFields));
  const id = session.message(origin, { role: "assistant", content }, call);
  if (results.length === 0) return id;
  return session.message({ id: `${origin.id}/results`, ts: origin.ts }, { role: "tool", content: results });
}

/** What a call gave: parts as Gemini has them; nothing while it runs. */
function resultText(result: JsonValue | undefined): string | undefined {
  if (result === undefined || result === null) return undefined;
  if (typeof result === "string") return result;
  const texts = objectsOf(result).map((part) => {
    const { response } = objectOf(part["functionResponse"]);
    const { output, error } = objectOf(response);
    return textOf(part["text"]) ?? textOf(output) ?? textOf(error) ?? JSON.stringify(response ?? part);
  });
  return texts.join("\n");
}

function textIn(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map((part) => textOf(part["text"]) ?? "")
    .join("");
}

function userContent(content: JsonValue | undefined): string | UserPart[] {
  const parts = objectsOf(content).flatMap((part): UserPart[] => {
    const { data, mimeType } = objectOf(part["inlineData"]);
    const [bytes, text] = [textOf(data), textOf(part["text"])];
    if (bytes !== undefined) return [{ type: "file", data: bytes, mediaType: textOf(mimeType) ?? "image/png" }];
    return text === undefined ? [] : [{ type: "text", text }];
  });
  return parts.some((part) => part.type !== "text") ? parts : textIn(content);
}

const usageFields = { input: ["input"], output: ["output", "thoughts"], cached: ["cached"] };
