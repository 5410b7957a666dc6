import { wrongInput } from "../model/check-input.ts";
import type { AssistantPart, FilePart, ModelMessage, ToolPart, UserPart } from "../model/messages.ts";

/** The part of LangChain's messages that is read here. */
export interface LangChainMessage {
  readonly content: unknown;
  getType(): string;
}

type Fields = Readonly<Record<string, unknown>>;

/** The message that ours was made of. It goes along when a build makes a shorter copy. */
const source = Symbol("source");
type Sourced = ModelMessage & { readonly [source]?: LangChainMessage };

const known = new WeakMap<LangChainMessage, ModelMessage>();

/** A message of LangChain's as one of ours; the same object each time. */
export function ownMessage(message: LangChainMessage, index: number): ModelMessage {
  const wrong = (): Error => {
    const hint = "For other messages there is fit(messages, options) of @galley/engine.";
    return wrongInput(`messages[${index}]`, "a message of LangChain", message, { hint });
  };
  if (typeof message?.getType !== "function") throw wrong();
  const before = known.get(message);
  if (before) return before;
  try {
    const made: Sourced = { ...convert(message), [source]: message };
    known.set(message, made);
    return made;
  } catch {
    // Blocks that are none, calls that are none, and what contains itself.
    throw wrong();
  }
}

/** LangChain's own message where nothing was changed; else a copy of it, or one that the agent can read. */
export function theirMessage(message: ModelMessage): LangChainMessage {
  const own = (message as Sourced)[source];
  if (own && known.get(own) === message) return own;
  const results = message.role === "tool" ? message.content : [];
  const text = results.map(resultText).join("\n");
  if (own) return new (own.constructor as new (fields: object) => LangChainMessage)({ ...own, content: text });
  const [first] = results;
  const id = first?.type === "tool-result" ? first.toolCallId : "";
  const made = message.role === "tool" ? { role: "tool", tool_call_id: id, content: text } : message;
  // LangChain turns such an object into a message of its own.
  return made as unknown as LangChainMessage;
}

function resultText(part: ToolPart): string {
  if (part.type !== "tool-result") return "";
  const { output } = part;
  return output.type === "text" || output.type === "error-text" ? output.value : JSON.stringify(output);
}

function convert(message: LangChainMessage): ModelMessage {
  const { tool_calls: calls, tool_call_id: id, name } = message as unknown as Fields;
  // LangChain sends who speaks with every message that says so.
  const speaker = typeof name === "string" && name !== "" ? { providerOptions: { openai: { name } } } : {};
  switch (message.getType()) {
    case "system":
    case "developer":
      return { role: "system", content: textOfBlocks(message.content), ...speaker };
    case "ai":
      return { role: "assistant", content: [...spokenParts(message.content), ...callParts(calls)], ...speaker };
    case "tool":
    case "function": {
      const output = { type: "text", value: textOfBlocks(message.content) } as const;
      const [toolCallId, toolName] = [String(id ?? name), typeof name === "string" ? name : "unknown"];
      return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
    }
    default: {
      const { content } = message;
      const said = typeof content === "string" ? content : blocksOf(content).map(userPart);
      return { role: "user", content: said, ...speaker };
    }
  }
}

function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as readonly Fields[]) : [];
}

/** All that a model is told by a content, as text. */
export function textOfBlocks(content: unknown): string {
  if (typeof content === "string") return content;
  return blocksOf(content)
    .map((block) => (typeof block["text"] === "string" ? block["text"] : JSON.stringify(block)))
    .join("\n");
}

function spokenParts(content: unknown): AssistantPart[] {
  return blocksOf(content).flatMap((block): AssistantPart[] => {
    const { type, text, reasoning, thinking } = block;
    // Calls are told by `tool_calls`.
    if (type === "tool_use" || type === "tool_call" || type === "functionCall") return [];
    const thought = reasoning ?? thinking;
    if (typeof thought === "string") return [{ type: "reasoning", text: thought }];
    return [{ type: "text", text: typeof text === "string" ? text : JSON.stringify(block) }];
  });
}

function callParts(calls: unknown): AssistantPart[] {
  if (!Array.isArray(calls)) return [];
  return (calls as readonly Fields[]).map(({ id, name, args }) => ({
    type: "tool-call",
    toolCallId: String(id ?? name),
    toolName: String(name),
    input: args ?? {},
  }));
}

function userPart(block: Fields): UserPart {
  const { type, text, image_url, url, data, mime_type: older, mimeType = older } = block;
  if (typeof text === "string") return { type: "text", text };
  const image = typeof image_url === "string" ? image_url : (image_url as Fields | undefined)?.["url"];
  const media = image ?? url ?? data;
  if (typeof media !== "string") return { type: "text", text: JSON.stringify(block) };
  const kind = typeof type === "string" && type.startsWith("image") ? "image" : "";
  const mediaType = typeof mimeType === "string" ? mimeType : kind;
  return { type: "file", data: { type: "data", data: media }, mediaType } satisfies FilePart;
}
