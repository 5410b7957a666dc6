import { GalleyError } from "@galley/engine";
import type { RouteReply } from "../../api/index.ts";
import { type ChatMessage, messageId } from "../../chat/lines/chat-line.ts";
import type { Window, WindowLimits } from "../../chat/lines/read-window.ts";
import { boundedMap } from "../../limits/bounded-map.ts";

type Page = RouteReply<"chats.active">;
type Read = (limits: WindowLimits) => Window;

/** In characters: how much of a chat is read for one answer, beyond the messages that it needs. */
export const maxCharacters = 8_000_000;
const usualLimit = 100;

/** Where pages that were shown begin, by log and first message: going on from there needs no search. */
const places = boundedMap<string, NonNullable<Window["first"]>>(10_000, () => 1);

interface PageQuery {
  readonly limit?: number;
  readonly before?: string;
  readonly around?: string;
}

/**
 * The end of a log, or what stands before a message of it. The page behind one that was given costs what it holds; for any
 * other, no more is read than it takes to find the message.
 */
export function messagePage(read: Read, { limit = usualLimit, before, around }: PageQuery, log: string): Page {
  if (around !== undefined) return pageAround(read, limit, around);
  const known = before === undefined ? undefined : places.get(`${log} ${before}`);
  // It may have been redacted or put away since, and another line may stand there.
  const isThere =
    known && read({ maxMessages: 1, maxCharacters, endsAt: known.end }).messages.map(messageId)[0] === before;
  const window = isThere ? read({ maxMessages: limit, maxCharacters, endsAt: known.start }) : undefined;
  const page = window
    ? { messages: shownMessages(window), hasMore: !window.isWhole, total: undefined, first: window.first }
    : searchedPage(read, limit, before);
  const { first, ...shown } = page;
  const oldest = shown.messages[0]?.id;
  if (first && oldest !== undefined) places.set(`${log} ${oldest}`, first);
  return shown;
}

function searchedPage(read: Read, limit: number, before: string | undefined): Page & Pick<Window, "first"> {
  for (let times = 1; ; times *= 4) {
    const maxMessages = limit * times * (before === undefined ? 1 : 4);
    const window = read({ maxMessages, maxCharacters: maxCharacters * times });
    const messages = shownMessages(window);
    const end = before === undefined ? messages.length : messages.findIndex(({ id }) => id === before);
    if (end < 0 && window.isWhole) throw noMessage(before);
    // A window with fewer messages than it may have is full of characters: its page is shorter.
    const isFull = end > 0 && messages.length < maxMessages;
    if (end >= 0 && (end >= limit || window.isWhole || isFull)) {
      const start = Math.max(0, end - limit);
      return {
        messages: messages.slice(start, end),
        hasMore: start > 0 || !window.isWhole,
        total: window.isWhole ? messages.length : undefined,
        ...(start === 0 ? { first: window.first } : {}),
      };
    }
  }
}

/** A message with what was said before and after it. */
function pageAround(read: Read, limit: number, around: string): Page {
  for (let times = 4; ; times *= 4) {
    const window = read({ maxMessages: limit * times, maxCharacters: maxCharacters * times });
    const { isWhole } = window;
    const messages = shownMessages(window);
    const at = messages.findLastIndex(({ id }) => id === around);
    const start = at - Math.floor(limit / 2);
    if (at < 0 && isWhole) throw noMessage(around, "around");
    if (at < 0 || (start < 0 && !isWhole)) continue;
    const shown = messages.slice(Math.max(0, start), Math.max(0, start) + limit);
    const hasLater = Math.max(0, start) + limit < messages.length;
    return { messages: shown, hasMore: start > 0 || !isWhole, hasLater };
  }
}

/** The messages of a window; those whose runs were stopped say so [T17]. */
function shownMessages({ messages, kept }: Window): Page["messages"] {
  const stopped = new Set(kept.flatMap(({ line }) => (line.type === "stopped" ? [line.entryId] : [])));
  return messages.map((message) => {
    const shown = withId(message);
    return stopped.has(shown.id) ? { ...shown, isStopped: true } : shown;
  });
}

export function withId(message: ChatMessage): Page["messages"][number] {
  const { ts, role, content, summaryOf, said } = message;
  const by = said?.by === undefined ? {} : { said: { by: said.by } };
  return { id: messageId(message), ts, role, content, summaryOf, ...by };
}

function noMessage(id = "", name = "before"): GalleyError {
  return new GalleyError("NotFound", `There is no message ${JSON.stringify(id)}.`, {
    path: `query.${name}`,
    hint: `It may have been redacted or put away since; begin again without \`${name}\`.`,
  });
}
