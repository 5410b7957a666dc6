import type { CallFacts, MessageEntry } from "../../model/entries.ts";
import type {
  AssistantPart,
  JsonObject,
  JsonValue,
  ModelMessage,
  ToolResultContent,
  ToolResultOutput,
  ToolResultPart,
  UserPart,
} from "../../model/messages.ts";
import { optionsOf } from "../../model/provider-options.ts";
import { jsonOr } from "../../model/parse-json.ts";
import { numberOf, objectOf, objectsOf, textOf, timeOf } from "../files/json-fields.ts";
import type { LogRecord } from "./log-types.ts";
import { type Origin, type SessionWriter, usageOf } from "./log-writer.ts";
import type { FormatReader, ReaderContext } from "./reader.ts";

/** Events of the screen: what they say stands in the items, too. */
const repeatedEvents = new Set([
  "agent_message",
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "user_message",
  "exec_command_begin",
  "exec_command_end",
  "patch_apply_begin",
  "patch_apply_end",
  "web_search_begin",
  "web_search_end",
  "mcp_tool_call_begin",
  "mcp_tool_call_end",
  "dynamic_tool_call_request",
  "dynamic_tool_call_response",
  "task_started",
  "task_complete",
  "context_compacted",
]);

const usageFields = { input: ["input_tokens"], output: ["output_tokens"], cached: ["cached_input_tokens"] };

interface OpenReply {
  readonly origin: Origin;
  readonly parts: AssistantPart[];
  call: CallFacts;
  /** The provider has counted it: whatever comes next is another reply. */
  isCounted: boolean;
}

/**
 * Rollouts of Codex: `response_item` is what the model read and said, `event_msg` what the screen showed. Records have no
 * ids; their line is their name, because a rollout only grows.
 */
export class Codex implements FormatReader {
  readonly #context: ReaderContext;
  readonly #toolNames = new Map<string, string>();
  #session: SessionWriter | undefined;
  // The instructions, which every compaction carries on.
  #head: readonly MessageEntry[] = [];
  #model: string | undefined;
  #counted = "";
  #reply: OpenReply | undefined;
  // The last entry, and for each request of the user the entry before it: going back leads there.
  #last: string | null = null;
  #beforeUser: string | null = null;
  #turns: (string | null)[] = [];
  #rewound: string | null | undefined;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  read({ value, at }: LogRecord): void {
    const payload = objectOf(value["payload"]);
    const type = textOf(value["type"]) ?? "";
    const origin = { id: `line-${at}`, ts: timeOf(value["timestamp"]) };
    if (type === "session_meta") this.#meta(payload, origin);
    else if (type === "response_item") this.#item(payload, origin);
    else if (type === "compacted") this.#compacted(payload, origin);
    else if (type === "turn_context") {
      this.#model = textOf(payload["model"]) ?? this.#model;
      this.#context.leftOut("records of the kind turn_context");
    } else this.#event(value, type, textOf(payload["type"]) ?? "", origin);
  }

  end(): void {
    this.#flush();
  }

  #own(): SessionWriter {
    this.#session ??= this.#context.writer.session(`codex:${this.#context.name}`);
    return this.#session;
  }

  #meta(payload: JsonObject, { id: line, ts }: Origin): void {
    const id = textOf(payload["id"]) ?? this.#context.name;
    // A fork repeats the log that it comes from, with what that said of itself: the first record says whose this one is.
    if (this.#session && this.#session.id !== `codex:${id}`) {
      this.#session.custom({ id: line, ts }, "session_meta", payload);
      return;
    }
    const from = textOf(payload["parent_thread_id"]) ?? spawnedBy(payload["source"]);
    this.#session = this.#context.writer.session(`codex:${id}`, {
      folder: textOf(payload["cwd"]),
      parent: from === undefined ? undefined : `codex:${from}`,
    });
    const text = textOf(objectOf(payload["base_instructions"])["text"]);
    if (text === undefined || this.#head.length > 0) return;
    const entry = { id: "instructions", ts, type: "message", message: { role: "system", content: text } } as const;
    this.#write(entry, entry.message);
    this.#head = [entry];
  }

  #event(value: JsonObject, type: string, event: string, origin: Origin): void {
    const payload = objectOf(value["payload"]);
    if (event === "token_count") this.#usage(objectOf(payload["info"]));
    else if (event === "thread_name_updated") this.#own().note({ title: textOf(payload["thread_name"]) });
    else if (event === "thread_rolled_back") this.#goBack(numberOf(payload["num_turns"]) ?? 1);
    else if (repeatedEvents.has(event)) {
      if (event === "user_message") this.#turns.push(this.#beforeUser);
      this.#context.leftOut(`records of the kind event_msg (${event}): the same stands elsewhere`);
    } else {
      this.#flush();
      this.#own().custom(origin, event === "" ? type : `${type}/${event}`, value);
    }
  }

  /** The last requests of the user were taken back, with all behind them: what comes next is a branch. */
  #goBack(turns: number): void {
    this.#flush();
    this.#context.converted("times that the user went back, as branches");
    const taken = this.#turns.splice(Math.max(0, this.#turns.length - turns));
    if (taken.length > 0) this.#rewound = taken[0];
  }

  #write(origin: Origin, message: ModelMessage, call?: CallFacts): void {
    if (message.role === "user") this.#beforeUser = this.#rewound === undefined ? this.#last : this.#rewound;
    this.#last = this.#own().message({ ...origin, parent: this.#rewound }, message, call);
    this.#rewound = undefined;
  }

  #usage(info: JsonObject): void {
    const last = info["last_token_usage"];
    const total = JSON.stringify(info["total_token_usage"] ?? null);
    // The same figures are told more than once.
    if (!this.#reply || last === undefined || total === this.#counted) return;
    this.#counted = total;
    this.#reply.isCounted = true;
    const usage = usageOf(last, usageFields);
    this.#reply.call = { ...this.#reply.call, usage };
  }

  #item(payload: JsonObject, origin: Origin): void {
    const part = saidPart(payload);
    if (part) return this.#says(origin, part);
    const message = messageOf(payload);
    if (message?.role === "assistant") {
      for (const each of message.content as AssistantPart[]) this.#says(origin, each);
      return;
    }
    this.#flush();
    const result = resultPart(payload, (id) => this.#toolNames.get(id));
    if (result) this.#write(origin, { role: "tool", content: [result] });
    else if (message) this.#write(origin, message);
    else this.#own().custom(origin, textOf(payload["type"]) ?? "item", payload);
  }

  #says(origin: Origin, part: AssistantPart): void {
    if (this.#reply?.isCounted) this.#flush();
    const call = this.#model === undefined ? {} : { model: this.#model };
    this.#reply ??= { origin, parts: [], call, isCounted: false };
    this.#reply.parts.push(part);
    if (part.type === "tool-call") this.#toolNames.set(part.toolCallId, part.toolName);
  }

  #flush(): void {
    if (!this.#reply) return;
    const { origin, parts, call } = this.#reply;
    this.#reply = undefined;
    this.#write(origin, { role: "assistant", content: parts }, call);
  }

  /** A compaction brings the whole history that replaces what was before. */
  #compacted(payload: JsonObject, { id, ts }: Origin): void {
    this.#flush();
    const own = this.#own();
    const items = objectsOf(payload["replacement_history"]);
    const carried = items
      .flatMap((item) => messageOf(item) ?? [])
      .map((message, index): MessageEntry => ({ id: `${id}/${index + 1}`, ts, type: "message", message }));
    const summary = textOf(payload["message"]) || undefined;
    this.#context.converted("compactions of the agent");
    const decision = { firstKeptEntryId: null, carried: [...this.#head, ...carried] };
    own.compaction({ id, ts }, { ...decision, ...own.replaced("codex", summary) });
    if (!items.some((item) => item["type"] === "compaction")) return;
    this.#context.leftOut("summaries in encrypted form, for the provider alone");
    own.custom({ id: `${id}/encrypted`, ts }, "compacted", payload);
  }
}

/** An item that is a part of a reply. */
function saidPart(item: JsonObject): AssistantPart | undefined {
  const type = textOf(item["type"]);
  if (type === "reasoning") {
    const texts = [...objectsOf(item["summary"]), ...objectsOf(item["content"])].map(
      (part) => textOf(part["text"]) ?? "",
    );
    const encrypted = textOf(item["encrypted_content"]);
    const options = optionsOf("openai", { reasoningEncryptedContent: encrypted, itemId: textOf(item["id"]) });
    return { type: "reasoning", text: texts.join("\n"), ...options };
  }
  const isCall = type === "function_call" || type === "custom_tool_call" || type === "local_shell_call";
  if (!isCall) return undefined;
  const toolName = textOf(item["name"]) ?? "local_shell";
  const given = item["arguments"] ?? item["input"] ?? item["action"] ?? {};
  const input = typeof given === "string" ? jsonOr(given, given) : given;
  const toolCallId = textOf(item["call_id"]) ?? textOf(item["id"]) ?? "";
  // Inputs are objects for every provider; what a tool takes as plain text stands in a field.
  return {
    type: "tool-call",
    toolCallId,
    toolName,
    input: typeof input === "object" && input !== null ? input : { input },
  };
}

function resultPart(item: JsonObject, nameOf: (id: string) => string | undefined): ToolResultPart | undefined {
  if (!/^(function_call|custom_tool_call|local_shell_call)_output$/.test(textOf(item["type"]) ?? "")) return undefined;
  const toolCallId = textOf(item["call_id"]) ?? "";
  return {
    type: "tool-result",
    toolCallId,
    toolName: nameOf(toolCallId) ?? "tool",
    output: outputOf(item["output"]),
  };
}

/** What the thread was started by, where an agent has started it. */
function spawnedBy(source: JsonValue | undefined): string | undefined {
  const { subagent } = objectOf(source);
  return textOf(objectOf(objectOf(subagent)["thread_spawn"])["parent_thread_id"]);
}

function outputOf(output: JsonValue | undefined): ToolResultOutput {
  const parts = objectsOf(output).map(contentOf);
  if (!parts.some((part) => part.type !== "text")) return { type: "text", value: outputText(output) };
  return { type: "content", value: parts };
}

/** A part of a result: a picture, where it holds one. */
function contentOf(part: JsonObject): ToolResultContent {
  const text = textOf(part["text"]);
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(textOf(part["image_url"]) ?? "") ?? [];
  if (mediaType !== undefined && data !== undefined) return { type: "image-data", data, mediaType };
  return { type: "text", text: text ?? JSON.stringify(part) };
}

/** The output of a tool: a text, the parts of one, or an object with both. */
function outputText(output: JsonValue | undefined): string {
  if (typeof output === "string") return output;
  if (Array.isArray(output))
    return objectsOf(output)
      .map((part) => textOf(part["text"]) ?? JSON.stringify(part))
      .join("\n");
  const content = objectOf(output)["content"];
  return content === undefined ? JSON.stringify(output ?? "") : outputText(content);
}

function messageOf(item: JsonObject): ModelMessage | undefined {
  if (item["type"] !== "message") return undefined;
  const role = textOf(item["role"]) ?? "user";
  const content = typeof item["content"] === "string" ? [{ text: item["content"] }] : objectsOf(item["content"]);
  const texts = content.map((part) => textOf(part["text"]) ?? "");
  if (role === "assistant") return { role, content: texts.map((text) => ({ type: "text", text })) };
  if (role === "developer" || role === "system") return { role: "system", content: texts.join("\n") };
  const parts = content.map((part): UserPart => {
    const image = textOf(part["image_url"]);
    return image === undefined ? { type: "text", text: textOf(part["text"]) ?? "" } : { type: "image", image };
  });
  return { role: "user", content: parts.every((part) => part.type === "text") ? texts.join("\n") : parts };
}
