import type { MessageEntry, SessionEntry } from "../../model/entries.ts";
import { handleOf, isRecallTool } from "../../model/handle.ts";
import type { MessagePart } from "../../model/messages.ts";
import { pathMessages } from "../log/path-messages.ts";
import { view } from "../log/view.ts";
import { outputText } from "../rungs/shorten-results.ts";

/** What stands in handles besides the number. */
export interface HandleNames {
  /** Stands in front of every handle: where logs beside this one have the same. */
  readonly prefix?: string | undefined;
  /** Stands inside of every handle: the log is not Galley's own [L7]. */
  readonly tag?: string | undefined;
}

/** Which window the reader has: "none" of this log, so that all of it left; or a person reads, who may see what the model sees. */
export type ReaderWindow = "none" | "person";

/** A message of the path, as it can be asked for. */
export interface RecalledMessage {
  readonly ordinal: number;
  /** With what stands in front of handles here. */
  readonly handle: string;
  readonly entryId: string;
  /** The role, and the tool where it is a result. */
  readonly speaker: string;
  readonly text: string;
  /** It is not in the window, or not whole. */
  readonly isLeft: boolean;
  readonly isErased: boolean;
}

/**
 * Every message of the active path that has a handle. What was redacted has no text; what was recalled before is at its own
 * place. It pauses anywhere.
 */
export function* readRecalled(
  entries: readonly SessionEntry[],
  { prefix = "", tag, window }: HandleNames & { readonly window?: ReaderWindow | undefined },
): Generator<undefined, readonly RecalledMessage[]> {
  const whole = window === "none" ? new Set<string>() : idsSentWhole(entries);
  yield;
  const messages: RecalledMessage[] = [];
  for (const { entry, ordinal, isErased } of pathMessages(entries)) {
    yield;
    const hasHandle = ordinal > 0 || (ordinal === 0 && entry.before !== undefined);
    if (!hasHandle || isAnswer(entry)) continue;
    messages.push({
      ordinal,
      handle: `${prefix}${handleOf(ordinal, ordinal, tag)}`,
      entryId: entry.id,
      speaker: speakerOf(entry),
      text: isErased ? "" : textOf(entry),
      isLeft: !whole.has(entry.id),
      isErased,
    });
  }
  return messages;
}

function idsSentWhole(entries: readonly SessionEntry[]): ReadonlySet<string> {
  const { messages, compaction, pins } = view(entries);
  const masked = messages.findIndex(({ id }) => id === compaction?.maskedBefore);
  const shrunk = new Set(compaction?.shrunk?.map(({ entryId }) => entryId));
  const whole = messages.filter(
    ({ id, message }, index) => pins.ids.has(id) || (!shrunk.has(id) && (index >= masked || message.role !== "tool")),
  );
  return new Set(whole.map(({ id }) => id));
}

function isAnswer({ message }: MessageEntry): boolean {
  return (
    message.role === "tool" &&
    message.content.every((part) => part.type === "tool-result" && isRecallTool(part.toolName))
  );
}

function speakerOf({ type, message }: MessageEntry): string {
  if (type === "result") return "another agent";
  const [part] = message.role === "tool" ? message.content : [];
  return part?.type === "tool-result" ? `result of ${part.toolName}` : message.role;
}

function textOf({ message: { content } }: MessageEntry): string {
  return typeof content === "string" ? content : content.map(partText).filter(Boolean).join("\n");
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "tool-call":
      return `[calls ${part.toolName} ${JSON.stringify(part.input)}]`;
    case "tool-result":
      return outputText(part.output);
    case "file":
      return `[file ${part.filename ?? part.mediaType}]`;
    case "image":
      return "[picture]";
    // What a model thought is not said again, and what a provider keeps for itself is not text.
    case "reasoning":
    case "reasoning-file":
    case "custom":
    case "tool-approval-request":
    case "tool-approval-response":
      return "";
  }
}
