import type { AssistantPart, FilePart, UserPart } from "../model/messages.ts";
import type { Fields } from "../wire/shared/read-items.ts";

// The contents of LangChain's messages: a text, or blocks of many kinds.

export function blocksOf(content: unknown): readonly Fields[] {
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

export function spokenParts(content: unknown): AssistantPart[] {
  return blocksOf(content).flatMap((block): AssistantPart[] => {
    const { type, text, reasoning, thinking } = block;
    // Calls are told by `tool_calls`.
    if (type === "tool_use" || type === "tool_call" || type === "functionCall") return [];
    const thought = reasoning ?? thinking;
    if (typeof thought === "string") return [{ type: "reasoning", text: thought }];
    return [{ type: "text", text: typeof text === "string" ? text : JSON.stringify(block) }];
  });
}

export function callParts(calls: unknown): AssistantPart[] {
  if (!Array.isArray(calls)) return [];
  return (calls as readonly Fields[]).map(({ id, name, args }) => ({
    type: "tool-call",
    toolCallId: String(id ?? name),
    toolName: String(name),
    input: args ?? {},
  }));
}

export function userPart(block: Fields): UserPart {
  const { type, text, image_url, url, data, mime_type: older, mimeType = older } = block;
  if (typeof text === "string") return { type: "text", text };
  const image = typeof image_url === "string" ? image_url : (image_url as Fields | undefined)?.["url"];
  const media = image ?? url ?? data;
  if (typeof media !== "string") return { type: "text", text: JSON.stringify(block) };
  const kind = typeof type === "string" && type.startsWith("image") ? "image" : "";
  const mediaType = typeof mimeType === "string" ? mimeType : kind;
  return { type: "file", data: { type: "data", data: media }, mediaType } satisfies FilePart;
}
