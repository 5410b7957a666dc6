import { GalleyError } from "@galley/engine";
import type { RouteReply } from "../../api/index.ts";
import { type ChatMessage, messageId } from "../../chat/lines/chat-line.ts";
import type { Window, WindowLimits } from "../../chat/lines/read-window.ts";

type Page = RouteReply<"chats.active">;

const usualLimit = 100;
/** Everything; a number, because limits must be finite. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** The end of a log, or what stands before a message of it. No more is read than it takes to find that message. */
export function messagePage(
  read: (limits: WindowLimits) => Window,
  { limit = usualLimit, before }: { readonly limit?: number; readonly before?: string },
): Page {
  for (let maxMessages = before === undefined ? limit : limit * 4; ; maxMessages *= 4) {
    const window = read({ maxMessages, maxCharacters: noLimit });
    const messages = window.messages.map(withId);
    const end = before === undefined ? messages.length : messages.findIndex(({ id }) => id === before);
    if (end < 0 && window.isWhole) throw noMessage(before);
    if (end >= 0 && (end >= limit || window.isWhole)) {
      const start = Math.max(0, end - limit);
      return {
        messages: messages.slice(start, end),
        hasMore: start > 0 || !window.isWhole,
        ...(window.isWhole ? { total: messages.length } : {}),
      };
    }
  }
}

export function withId(message: ChatMessage): Page["messages"][number] {
  const { ts, role, content, summaryOf } = message;
  return { id: messageId(message), ts, role, content, ...(summaryOf === undefined ? {} : { summaryOf }) };
}

function noMessage(id = ""): GalleyError {
  return new GalleyError("NotFound", `There is no message ${JSON.stringify(id)}.`, {
    path: "query.before",
    hint: "It may have been redacted or put away since; begin again without `before`.",
  });
}
