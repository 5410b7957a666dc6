import type { ModelMessage, ToolMessage, ToolPart, ToolResultOutput } from "../../model/messages.ts";

const masked = new WeakMap<ModelMessage, ModelMessage>();
/** A result that is not longer than this costs no more than the note that would stand for it. */
const shortResult = 120;

/**
 * A tool message whose results are notes with their size; the calls that they answer stay as they are [F7]. The very same
 * message when there is nothing to gain. Made once for each message, so that its size and hash are known afterwards.
 */
export function maskResults(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return message;
  const known = masked.get(message);
  if (known) return known;
  if (!message.content.some(isLong)) return message;
  const result: ToolMessage = { ...message, content: message.content.map(mask) };
  masked.set(message, result);
  return result;
}

function isLong(part: ToolPart): boolean {
  return part.type === "tool-result" && outputLength(part.output) > shortResult;
}

function mask(part: ToolPart): ToolPart {
  if (part.type !== "tool-result" || !isLong(part)) return part;
  const value = `[result left out: ${outputLength(part.output)} characters]`;
  const result: ToolPart = { ...part, output: { type: "text", value } };
  if (!("providerOptions" in part)) return result;
  const { providerOptions: _, ...rest } = result;
  return rest;
}

function outputLength(output: ToolResultOutput): number {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value.length;
    case "json":
    case "error-json":
      return JSON.stringify(output.value).length;
    case "execution-denied":
      return output.reason?.length ?? 0;
    case "content":
      return JSON.stringify(output.value).length;
  }
}
