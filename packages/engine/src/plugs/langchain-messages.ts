import { wrongInput } from "../model/check/input.ts";
import type { ModelMessage, ToolPart } from "../model/messages.ts";
import type { Fields } from "../wire/shared/read-items.ts";
import { blocksOf, callParts, spokenParts, textOfBlocks, userPart } from "./langchain-blocks.ts";

/** The part of LangChain's messages that is read here. */
export interface LangChainMessage {
  readonly content: unknown;
  getType(): string;
}

/** The message that ours was made of. It goes along when a build makes a shorter copy. */
const source = Symbol("source");
type Sourced = ModelMessage & { readonly [source]?: LangChainMessage };

const known = new WeakMap<LangChainMessage, ModelMessage>();

/** A message of LangChain's as one of ours; the same object each time. */
export function ownMessage(message: LangChainMessage, index: number): ModelMessage {
  const wrong = (): Error =>
    wrongInput(`messages[${index}]`, "a message of LangChain", message, { hint: hintFor(message) });
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

/** What makes a message of it. */
function hintFor(message: unknown): string {
  const { lc, type, role, data } = (message ?? {}) as Fields;
  if (lc !== undefined) return "It was written as JSON: load(text) of @langchain/core/load makes a message of it.";
  if (typeof type === "string" && data !== undefined)
    return "It was stored: mapStoredMessagesToChatMessages(messages) of @langchain/core/messages makes messages of them.";
  if (typeof type === "string" || typeof role === "string")
    return "It is a plain object: coerceMessageLikeToMessage(message) of @langchain/core/messages makes a message of it; for lists of other libraries there is fit(messages, options) of @galley/engine.";
  return "For other messages there is fit(messages, options) of @galley/engine.";
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
