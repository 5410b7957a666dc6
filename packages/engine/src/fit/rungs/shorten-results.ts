import type { MessageEntry, ShrunkPart } from "../../model/entries.ts";
import type { MessagePart, ModelMessage, ToolMessage, ToolPart, ToolResultOutput } from "../../model/messages.ts";

/** An entry's message as it is sent: masked, with the cuts that it has by its id, or as it is. */
export function shortened(
  { id, message }: MessageEntry,
  isMasked: boolean,
  cuts: ReadonlyMap<string, readonly ShrunkPart[]>,
): ModelMessage {
  if (isMasked) return maskResults(message);
  const own = cuts.size === 0 ? undefined : cuts.get(id);
  return own ? shrinkParts(message, own) : message;
}

const masked = new WeakMap<ModelMessage, ModelMessage>();
/** A result that is not longer than this costs no more than the note that would stand for it. */
const shortResult = 120;

/**
 * A tool message whose results are notes with their size; the calls that they answer stay as they are [F7]. The very same
 * message when there is nothing to gain. Made once for each message, so that its size and hash are known afterwards.
 */
function maskResults(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return message;
  const known = masked.get(message);
  if (known) return known;
  if (!message.content.some(isLong)) return message;
  const result: ToolMessage = { ...message, content: message.content.map(mask) };
  masked.set(message, result);
  return result;
}

function isLong(part: ToolPart): boolean {
  return part.type === "tool-result" && outputText(part.output).length > shortResult;
}

function mask(part: ToolPart): ToolPart {
  if (part.type !== "tool-result" || !isLong(part)) return part;
  const value = `[result left out: ${outputText(part.output).length} characters]`;
  const result: ToolPart = { ...part, output: { type: "text", value } };
  if (!("providerOptions" in part)) return result;
  const { providerOptions: _, ...rest } = result;
  return rest;
}

const shrunk = new WeakMap<ModelMessage, { readonly key: string; readonly message: ModelMessage }>();

/** A message some of whose tool results keep only their head and tail. The last cut of each message is remembered. */
export function shrinkParts(message: ModelMessage, cuts: readonly ShrunkPart[]): ModelMessage {
  const key = cuts.map(({ part, keep }) => `${part}:${keep}`).join(",");
  const known = shrunk.get(message);
  if (known?.key === key) return known.message;
  const result = shrink(message, cuts);
  shrunk.set(message, { key, message: result });
  return result;
}

function shrink(message: ModelMessage, cuts: readonly ShrunkPart[]): ModelMessage {
  if (typeof message.content === "string") return message;
  const content: MessagePart[] = [...message.content];
  for (const { part: index, keep } of cuts) {
    const part = content[index];
    if (part?.type === "tool-result") content[index] = { ...part, output: shrinkOutput(part.output, keep) };
  }
  return { ...message, content } as ModelMessage;
}

function shrinkOutput(output: ToolResultOutput, keep: number): ToolResultOutput {
  const text = outputText(output);
  const type = output.type === "error-text" || output.type === "error-json" ? "error-text" : "text";
  return { type, value: headAndTail(text, keep) };
}

/** The text of a result, as a model would be shown it. */
export function outputText(output: ToolResultOutput): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
    case "content":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ?? "";
  }
}

/** The first and the last `keep` characters, with a note between them; never half of a surrogate pair. */
function headAndTail(text: string, keep: number): string {
  if (text.length <= 2 * keep) return text;
  const headEnd = isHighSurrogate(text.charCodeAt(keep - 1)) ? keep - 1 : keep;
  const tailStart = isLowSurrogate(text.charCodeAt(text.length - keep)) ? text.length - keep + 1 : text.length - keep;
  const left = tailStart - headEnd;
  return `${text.slice(0, headEnd)}\n[${left} characters left out]\n${text.slice(tailStart)}`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
