import { GalleyError, type PinEntry, type PinnedItem, type PinRequest, type SessionEntry } from "@galley/engine";
import { pinEntry, pinnedItems, redactSecrets, unpinEntry } from "@galley/engine";
import { type PinLine, formatLine, messageId } from "../lines/chat-line.ts";
import type { ChatWriter } from "../lines/chat-writer.ts";
import { type WholeContext, entriesOfLine } from "../lines/session-entries.ts";
import { type WindowLimits, everything } from "../lines/read-window.ts";
import type { ChatOptions } from "./context-types.ts";

/** What was pinned or unpinned, by the id with which it is unpinned; the entry as builds read it, unless nothing changed. */
export interface Pinned {
  readonly id: string;
  readonly entry?: PinEntry;
}

/** Pins of the active context of a chat [R6]. */
export interface ChatPins {
  /** The oldest first. */
  pins(): readonly PinnedItem[];
  /** Keeps a message, or a sentence, in every build until it is unpinned. What is pinned already stays as it is. */
  pin(request: PinRequest, by?: PinEntry["by"]): Promise<Pinned>;
  unpin(id: string): Promise<Pinned>;
}

/** What reads the active context, at once or in slices. */
interface Windows {
  entries(limits: WindowLimits): readonly SessionEntry[];
  whole(): Promise<WholeContext>;
}

export interface ChatPinsInput {
  readonly windows: Windows;
  readonly files: string;
  readonly writer: ChatWriter;
  readonly nextTime: () => number;
  readonly options: ChatOptions;
}

export function chatPins({ windows, files, writer, nextTime, options }: ChatPinsInput): ChatPins {
  const write = async (entry: PinEntry, { messages, head }: WholeContext): Promise<Pinned> => {
    const { entryId, text, by, isUndone, id } = entry;
    const isOfMessage = entryId !== undefined && !isUndone;
    // Files stay where they are: the line refers to them as the message does.
    const message = isOfMessage ? messages.find((one) => messageId(one) === entryId) : undefined;
    if (isOfMessage && !message) throw notSaid(entryId);
    const line: PinLine = {
      type: "pin",
      ts: nextTime(),
      id,
      entryId,
      text,
      ...(isUndone ? { isUndone } : { by }),
      ...(message ? { message, ordinal: entry.ordinals?.[0] } : {}),
    };
    await writer.appendLine("active", formatLine(line), head);
    const [written] = entriesOfLine(line, files);
    return { id: entryId ?? id, ...(written?.type === "pin" ? { entry: written } : {}) };
  };
  return {
    pins: () => pinnedItems(windows.entries(everything)),
    async pin(request, by = "person") {
      const context = await windows.whole();
      const { entries } = context;
      const safe = "text" in request ? { text: redactSecrets(request.text, options.secrets ?? {}) } : request;
      const entry = pinEntry(entries, safe, { by });
      return entry ? write(entry, context) : { id: pinnedAs(pinnedItems(entries), safe) };
    },
    async unpin(id) {
      const context = await windows.whole();
      return write(unpinEntry(context.entries, id), context);
    },
  };
}

/** The id of what is pinned already. */
export function pinnedAs(items: readonly PinnedItem[], request: PinRequest): string {
  const isMeant = ({ id, text, handle }: PinnedItem): boolean => {
    if ("text" in request) return text === request.text.trim();
    return "entryId" in request ? id === request.entryId : handle === request.handle;
  };
  return items.find(isMeant)?.id ?? "";
}

/** Labels in front of a context, results of tasks and steps of tools are not messages of the chat. */
function notSaid(id: string): GalleyError {
  return new GalleyError("NotFound", `${JSON.stringify(id)} is not a message that was said in the active context.`, {
    path: "entryId",
    hint: "Pin a question or a reply, or a text of your own; galley chat show lists messages with their ids.",
  });
}
