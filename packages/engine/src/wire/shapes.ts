import { invalidInput } from "../model/check/input.ts";
import { GalleyError } from "../model/check/errors.ts";
import type { WireProvider } from "./export-for.ts";
import type { Fields } from "./shared/read-items.ts";

// Tells the shapes of messages apart by what only one of them has. A message of mere text has none of it and fits all.

const responsesItem =
  /^(message|reasoning|item_reference|compaction|mcp_(list_tools|call|approval_re\w+)|\w+_call(_output)?|function_call\w*)$/;

const partShapes: Readonly<Record<string, WireProvider>> = {
  "tool-call": "ai-sdk",
  "tool-result": "ai-sdk",
  reasoning: "ai-sdk",
  "reasoning-file": "ai-sdk",
  "tool-approval-request": "ai-sdk",
  "tool-approval-response": "ai-sdk",
  image_url: "openai-chat",
  input_audio: "openai-chat",
  refusal: "openai-chat",
  input_text: "openai-responses",
  input_image: "openai-responses",
  input_file: "openai-responses",
  output_text: "openai-responses",
  tool_use: "anthropic",
  tool_result: "anthropic",
  thinking: "anthropic",
  redacted_thinking: "anthropic",
  document: "anthropic",
  server_tool_use: "anthropic",
};

/** The shape that one message or item shows, if it is not plain text; nothing where it could be of several. */
export function shapeOfItem(item: unknown): WireProvider | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { role, type, content, parts } = item as Fields;
  if (typeof type === "string" && responsesItem.test(type)) return "openai-responses";
  if (Array.isArray(parts)) return role === "model" || isGemini(parts) ? "gemini" : undefined;
  if ("tool_calls" in item || "tool_call_id" in item || "function_call" in item) return "openai-chat";
  if (!Array.isArray(content)) return undefined;
  if (role === "tool") return "ai-sdk";
  for (const part of content) {
    const found = shapeOfPart(part);
    if (found) return found;
  }
  return undefined;
}

function shapeOfPart(part: unknown): WireProvider | undefined {
  if (typeof part !== "object" || part === null) return undefined;
  const { type } = part as Fields;
  if (type === "image") return "source" in part ? "anthropic" : "ai-sdk";
  if (type === "file") return "file" in part ? "openai-chat" : "ai-sdk";
  return typeof type === "string" && Object.hasOwn(partShapes, type) ? partShapes[type] : undefined;
}

function isGemini(parts: readonly unknown[]): boolean {
  return parts.length > 0 && parts.every((part) => typeof part === "object" && part !== null && !("type" in part));
}

/** A shape that is none of a provider's, with what to do about it. */
function foreignShape(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const fields = item as Fields;
  const { content } = fields;
  if (typeof fields["getType"] === "function" || typeof fields["_getType"] === "function" || "lc_kwargs" in fields)
    return "This looks like a LangChain message; use @galley/engine/langchain.";
  if (typeof content === "object" && content !== null && (content as Fields)["format"] === 2)
    return "This looks like a message of Mastra's memory; use @galley/engine/mastra.";
  if (Array.isArray(fields["parts"]) && shapeOfItem(item) !== "gemini")
    return "This looks like an AI SDK UIMessage; use convertToModelMessages.";
  return undefined;
}

const names: Readonly<Record<WireProvider, string>> = {
  "ai-sdk": "AI SDK messages",
  "openai-chat": "OpenAI Chat messages",
  "openai-responses": "OpenAI Responses items",
  anthropic: "Anthropic messages",
  gemini: "Gemini contents",
};

/** Says of an error about an item which shape the item seems to have, if it is another one than was read. */
export function explainShape(error: unknown, read: WireProvider, items: readonly unknown[]): unknown {
  if (!(error instanceof GalleyError) || error.path === undefined) return error;
  const index = Number(/\[(\d+)\]/.exec(error.path)?.[1] ?? Number.NaN);
  const item = items[index];
  const shape = shapeOfItem(item);
  const hint =
    foreignShape(item) ??
    (shape && shape !== read ? `This looks like ${names[shape]}; pass shape: "${shape}".` : undefined);
  if (hint === undefined) return error;
  return new GalleyError(error.code, error.message, { path: error.path, hint, problems: error.problems });
}

/** The shape of a list. Throws where its messages have different ones. */
export function shapeOfList(items: readonly unknown[], path: string): WireProvider {
  let found: WireProvider | undefined;
  for (const [index, item] of items.entries()) {
    const shape = shapeOfItem(item);
    if (shape === undefined || shape === found) continue;
    if (found !== undefined) {
      const at = `${path}[${index}]`;
      const message = `The list has messages of several shapes: ${at} looks like ${names[shape]}, those before it like ${names[found]}.`;
      throw invalidInput(at, message, `Convert them to one shape, or pass shape: "${found}" if they all have it.`);
    }
    found = shape;
  }
  return found ?? "ai-sdk";
}
