import type { ModelMessage } from "@galley/engine";
import type { MessagePart, ToolResultContent, ToolResultOutput } from "@galley/engine/messages";
import { cutMiddleByLength } from "./cut-to-tokens.ts";

const maxResultLength = 2000;
const maxInputLength = 1000;

/** A message as text about what was said and done, or nothing when it says nothing. */
export function transcribeMessage({ role, content }: ModelMessage): string | undefined {
  const parts: readonly MessagePart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const texts = parts.map(transcribePart).filter((text) => text.trim() !== "");
  if (texts.length === 0) return undefined;
  // A half of a surrogate pair has no UTF-8 form, and some providers refuse the whole request for it.
  return `[${role}] ${texts.join("\n")}`.toWellFormed();
}

function transcribePart(part: MessagePart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
      return "(an image)";
    case "file":
      return `(a file: ${[part.filename, part.mediaType].filter(Boolean).join(", ")})`;
    case "tool-call":
      return `(called ${part.toolName} with ${cutMiddleByLength(jsonText(part.input), maxInputLength)})`;
    case "tool-result":
      return `(result of ${part.toolName}) ${cutMiddleByLength(resultText(part.output), maxResultLength)}`;
    case "tool-approval-response":
      return part.approved ? "" : `(a tool call was not approved${part.reason ? `: ${part.reason}` : ""})`;
    case "tool-approval-request":
    case "reasoning":
    case "reasoning-file":
    case "custom":
      return "";
  }
}

function resultText(output: ToolResultOutput): string {
  switch (output.type) {
    case "text":
      return output.value;
    case "error-text":
      return `error: ${output.value}`;
    case "json":
      return jsonText(output.value);
    case "error-json":
      return `error: ${jsonText(output.value)}`;
    case "execution-denied":
      return `error: the call was denied${output.reason === undefined ? "" : `: ${output.reason}`}`;
    case "content":
      return output.value.map(contentText).join("\n");
  }
}

function contentText(content: ToolResultContent): string {
  return content.type === "text" ? content.text : `(${content.type})`;
}

/** What a model gave as arguments is JSON; what an application put into its place need not be. */
function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "(not JSON)";
  }
}
