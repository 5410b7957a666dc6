import type { ModelMessage, ToolPart, ToolResultPart } from "../model/messages.ts";
import type { WireProvider } from "./export-for.ts";
import type { Fields } from "./shared/read-items.ts";
import { readToolOutput, textOfPieces } from "./shared/read-parts.ts";

/** The shapes of lists that can be written back. */
export type ListShape = Exclude<WireProvider, "gemini">;

/** What became of the messages that some items were read as: the same objects, others in their place, or fewer. */
export interface Change {
  readonly items: readonly unknown[];
  readonly before: readonly ModelMessage[];
  readonly after: readonly ModelMessage[];
}

/** Items whose messages were changed by a build, in the shape that they came in: copies, never the items themselves. */
export function rewriteItems(shape: ListShape, { items, before, after }: Change): readonly unknown[] {
  if (shape === "ai-sdk") return after;
  const results = new Map<string, string>();
  for (const part of after.flatMap(resultParts)) results.set(part.toolCallId, textOfResult(part));
  const [item] = items as readonly Fields[];
  switch (shape) {
    case "openai-chat":
      return after.length === 0 ? [] : [{ ...item, content: [...results.values()].join("\n") }];
    case "openai-responses":
      return after.length === 0 ? [] : [{ ...item, output: [...results.values()].join("\n") }];
    case "anthropic": {
      const known = new Set(before.flatMap(resultParts));
      const changed = new Set(after.flatMap(resultParts).flatMap((part) => (known.has(part) ? [] : [part.toolCallId])));
      const isSaid = after.some(({ role }) => role !== "tool");
      const blocks = blocksOf(item?.["content"]).flatMap((block): Fields[] => {
        if (block["type"] !== "tool_result") return isSaid ? [block] : [];
        const id = block["tool_use_id"] as string;
        if (!results.has(id)) return [];
        return [changed.has(id) ? { ...block, content: results.get(id) } : block];
      });
      return [{ ...item, content: blocks }];
    }
  }
}

/** A message that a build has made: a text of the user, or results for calls that never got one. */
export function writeMade(shape: ListShape, message: ModelMessage): readonly unknown[] {
  if (message.role !== "tool" || shape === "ai-sdk") return [message];
  const results = resultParts(message);
  switch (shape) {
    case "openai-chat":
      return results.map((part) => ({ role: "tool", tool_call_id: part.toolCallId, content: textOfResult(part) }));
    case "openai-responses":
      return results.map((part) => ({
        type: "function_call_output",
        call_id: part.toolCallId,
        output: textOfResult(part),
      }));
    case "anthropic": {
      const content = results.map((part) => ({
        type: "tool_result",
        tool_use_id: part.toolCallId,
        content: textOfResult(part),
        is_error: true,
      }));
      return [{ role: "user", content }];
    }
  }
}

/**
 * In Anthropic's conversations the sides alternate: what a build put beside a message of the same role joins it. The results come
 * first, as they must.
 */
export function joinSides(shape: ListShape, before: unknown, next: unknown): unknown {
  if (shape !== "anthropic") return undefined;
  const [a, b] = [before as Fields, next as Fields];
  if (a["role"] !== "user" || b["role"] !== "user") return undefined;
  const blocks = [...blocksOf(a["content"]), ...blocksOf(b["content"])];
  const isResult = (block: Fields): boolean => block["type"] === "tool_result";
  const content = [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
  return { ...b, content };
}

function blocksOf(content: unknown): readonly Fields[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

function resultParts({ role, content }: ModelMessage): ToolResultPart[] {
  if (role !== "tool") return [];
  return content.filter((part: ToolPart): part is ToolResultPart => part.type === "tool-result");
}

function textOfResult({ output }: ToolResultPart): string {
  return textOfPieces(readToolOutput(output).pieces);
}
