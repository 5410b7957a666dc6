import type { MessageEntry, ShrunkPart } from "../../model/entries.ts";
import type { MessagePart, ModelMessage, ToolMessage, ToolPart, ToolResultOutput } from "../../model/messages.ts";

/** How notes stand for what is left out: with the handle of the message, or as they were before there were handles [R1]. */
export interface NoteForm {
  readonly handleOf: (entryId: string) => string | undefined;
}

/** Messages that are pinned are sent whole [R6]. */
interface NoteFormWithPins extends NoteForm {
  readonly pinned: ReadonlySet<string>;
}

/** An entry's message as it is sent: masked, with the cuts that it has by its id, or as it is. */
export function shortened(
  { id, message }: MessageEntry,
  isMasked: boolean,
  cuts: ReadonlyMap<string, readonly ShrunkPart[]>,
  { handleOf, pinned }: NoteFormWithPins,
): ModelMessage {
  if (pinned.size > 0 && pinned.has(id)) return message;
  if (isMasked) return message.role === "tool" ? maskResults(message, handleOf(id)) : message;
  const own = cuts.size === 0 ? undefined : cuts.get(id);
  return own ? shrinkParts(message, own, handleOf(id)) : message;
}

const masked = new WeakMap<ModelMessage, { readonly handle: string | undefined; readonly message: ModelMessage }>();
/** A result that is not longer than this costs no more than the note that would stand for it. */
const shortResult = 120;

/**
 * A tool message whose results are notes with their size; the calls that they answer stay as they are [F7]. The very same
 * message when there is nothing to gain. Made once for each message, so that its size and hash are known afterwards.
 */
function maskResults(message: ToolMessage, handle: string | undefined): ModelMessage {
  const known = masked.get(message);
  if (known && known.handle === handle) return known.message;
  if (!message.content.some(isLong)) return message;
  const result: ToolMessage = { ...message, content: message.content.map((part) => mask(part, handle)) };
  masked.set(message, { handle, message: result });
  return result;
}

function isLong(part: ToolPart): boolean {
  return part.type === "tool-result" && outputText(part.output).length > shortResult;
}

function mask(part: ToolPart, handle: string | undefined): ToolPart {
  if (part.type !== "tool-result" || !isLong(part)) return part;
  const { length } = outputText(part.output);
  const value =
    handle === undefined ? `[result left out: ${length} characters]` : `[${handle}: ${length} characters left out]`;
  const result: ToolPart = { ...part, output: { type: "text", value } };
  if (!("providerOptions" in part)) return result;
  const { providerOptions: _, ...rest } = result;
  return rest;
}

const shrunk = new WeakMap<ModelMessage, { readonly key: string; readonly message: ModelMessage }>();

/** A message some of whose tool results keep only their head and tail. The last cut of each message is remembered. */
export function shrinkParts(message: ModelMessage, cuts: readonly ShrunkPart[], handle?: string): ModelMessage {
  const key = [handle, ...cuts.map(({ part, keep }) => `${part}:${keep}`)].join(",");
  const known = shrunk.get(message);
  if (known?.key === key) return known.message;
  const result = shrink(message, cuts, handle);
  shrunk.set(message, { key, message: result });
  return result;
}

function shrink(message: ModelMessage, cuts: readonly ShrunkPart[], handle: string | undefined): ModelMessage {
  if (typeof message.content === "string") return message;
  const content: MessagePart[] = [...message.content];
  for (const { part: index, keep } of cuts) {
    const part = content[index];
    if (part?.type === "tool-result") content[index] = { ...part, output: shrinkOutput(part.output, keep, handle) };
  }
  return { ...message, content } as ModelMessage;
}

function shrinkOutput(output: ToolResultOutput, keep: number, handle: string | undefined): ToolResultOutput {
  const text = outputText(output);
  const type = output.type === "error-text" || output.type === "error-json" ? "error-text" : "text";
  return { type, value: headAndTail(text, keep, handle) };
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
function headAndTail(text: string, keep: number, handle: string | undefined): string {
  if (text.length <= 2 * keep) return text;
  const headEnd = isHighSurrogate(text.charCodeAt(keep - 1)) ? keep - 1 : keep;
  const tailStart = isLowSurrogate(text.charCodeAt(text.length - keep)) ? text.length - keep + 1 : text.length - keep;
  const left = tailStart - headEnd;
  const note = `[${handle === undefined ? "" : `${handle}: `}${left} characters left out]`;
  return `${text.slice(0, headEnd)}\n${note}\n${text.slice(tailStart)}`;
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
