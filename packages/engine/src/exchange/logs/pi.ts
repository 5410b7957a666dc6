import type {
  AssistantPart,
  JsonObject,
  JsonValue,
  ModelMessage,
  ToolResultContent,
  UserPart,
} from "../../model/messages.ts";
import { optionsOf } from "../../model/provider-options.ts";
import { numberOf, objectOf, objectsOf, textOf, timeOf } from "../files/json-fields.ts";
import type { LogRecord } from "./log-types.ts";
import { type Origin, type SessionWriter, callFacts, textResult, usageOf } from "./log-writer.ts";
import type { FormatReader, ReaderContext } from "./reader.ts";

/** Records that change nothing of what a model reads. */
const aside = new Set(["thinking_level_change", "model_change", "label", "session_info"]);

/** Sessions of pi: a line of records in old files, a tree by `id` and `parentId` since version 2. */
export class Pi implements FormatReader {
  readonly #context: ReaderContext;
  #session: SessionWriter | undefined;
  // Which entry a record became or led to, by its id and by its index in the file.
  readonly #entryOf = new Map<string, string>();
  readonly #entryAt: (string | undefined)[] = [];

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  read({ value, at }: LogRecord): void {
    if (value["type"] === "session") {
      this.#entryAt.push(undefined);
      const id = textOf(value["id"]) ?? this.#context.name;
      this.#session = this.#context.writer.session(`pi:${id}`, { folder: textOf(value["cwd"]) });
      return;
    }
    this.#session ??= this.#context.writer.session(`pi:${this.#context.name}`);
    const entry = this.#write(value, this.#session, this.#originOf(value, at));
    this.#entryAt.push(entry);
    const id = textOf(value["id"]);
    if (id !== undefined && entry !== undefined) this.#entryOf.set(id, entry);
  }

  #originOf(record: JsonObject, at: string): Origin {
    const [id, parent] = [textOf(record["id"]), record["parentId"]];
    const ts = timeOf(record["timestamp"]);
    if (id === undefined) return { id: `line-${at}`, ts };
    // A root that is not the first record begins another conversation.
    const isRoot = parent === null && this.#entryOf.size > 0;
    return { id, ts, parent: isRoot ? null : this.#entryOf.get(textOf(parent) ?? "") };
  }

  #write(record: JsonObject, session: SessionWriter, origin: Origin): string | undefined {
    const type = textOf(record["type"]) ?? "record";
    const { converted, leftOut } = this.#context;
    if (aside.has(type)) {
      session.note({ title: type === "session_info" ? textOf(record["name"]) : undefined });
      leftOut(`records of the kind ${type}`);
      return this.#entryOf.get(textOf(record["parentId"]) ?? "");
    }
    if (type === "compaction") {
      converted("compactions of the agent");
      const summary = textOf(record["summary"]) ?? "";
      const said = session.replaced("pi", summary, numberOf(record["tokensBefore"]));
      return session.compaction(origin, { firstKeptEntryId: this.#firstKept(record), ...said });
    }
    if (type === "custom_message" || type === "branch_summary") {
      converted(`records of the kind ${type}, as messages of the user`);
      return session.message(origin, { role: "user", content: partsOf(record["content"] ?? record["summary"]) });
    }
    const inner = objectOf(record["message"]);
    const message = type === "message" ? messageOf(inner) : undefined;
    if (!message) return session.custom(origin, type, record);
    const call = callFacts(inner["model"], usageOf(inner["usage"], usageFields));
    return session.message(origin, message, message.role === "assistant" ? call : undefined);
  }

  #firstKept(record: JsonObject): string | null {
    const named = textOf(record["firstKeptEntryId"]);
    if (named !== undefined) return this.#entryOf.get(named) ?? null;
    const index = numberOf(record["firstKeptEntryIndex"]);
    if (index === undefined) return null;
    return this.#entryAt.slice(Math.max(0, index)).find((id) => id !== undefined) ?? null;
  }
}

function messageOf(inner: JsonObject): ModelMessage | undefined {
  const role = textOf(inner["role"]);
  if (role === "user" || role === "custom" || role === "hookMessage")
    return { role: "user", content: partsOf(inner["content"]) };
  if (role === "assistant") return { role, content: objectsOf(inner["content"]).map(assistantPart) };
  if (role === "bashExecution") {
    const text = `$ ${textOf(inner["command"]) ?? ""}\n${textOf(inner["output"]) ?? ""}`;
    return { role: "user", content: text };
  }
  if (role !== "toolResult") return undefined;
  const parts = objectsOf(inner["content"]);
  const value = parts.map((part) => textOf(part["text"]) ?? "").join("\n");
  const [id, name] = [textOf(inner["toolCallId"]) ?? "", textOf(inner["toolName"]) ?? "tool"];
  const result = textResult(id, name, value, inner["isError"] === true);
  if (!parts.some((part) => part["type"] === "image")) return { role: "tool", content: [result] };
  const content = parts.map((part): ToolResultContent => {
    if (part["type"] !== "image") return { type: "text", text: textOf(part["text"]) ?? "" };
    return { type: "image-data", data: textOf(part["data"]) ?? "", mediaType: textOf(part["mimeType"]) ?? "image/png" };
  });
  return { role: "tool", content: [{ ...result, output: { type: "content", value: content } }] };
}

function partsOf(content: JsonValue | undefined): string | UserPart[] {
  if (typeof content === "string") return content;
  const parts = objectsOf(content).map((part): UserPart => {
    if (part["type"] !== "image") return { type: "text", text: textOf(part["text"]) ?? "" };
    return { type: "image", image: textOf(part["data"]) ?? "", mediaType: textOf(part["mimeType"]) ?? "image/png" };
  });
  return parts;
}

function assistantPart(block: JsonObject): AssistantPart {
  if (block["type"] === "thinking") {
    const options = optionsOf("anthropic", { signature: textOf(block["thinkingSignature"]) });
    return { type: "reasoning", text: textOf(block["thinking"]) ?? "", ...options };
  }
  if (block["type"] === "toolCall") {
    const [toolCallId, toolName] = [textOf(block["id"]) ?? "", textOf(block["name"]) ?? "tool"];
    return { type: "tool-call", toolCallId, toolName, input: block["arguments"] ?? {} };
  }
  return { type: "text", text: textOf(block["text"]) ?? JSON.stringify(block) };
}

const usageFields = { input: ["input", "cacheRead", "cacheWrite"], output: ["output"], cached: ["cacheRead"] };
