import { GalleyError } from "@galley/engine";
import type { RouteName, RouteReply } from "../../api/index.ts";
import type { Chat } from "../../chat/chat.ts";
import { type ChatMessage, messageId } from "../../chat/lines/chat-line.ts";
import type { Window, WindowLimits } from "../../chat/lines/read-window.ts";
import { shortenText } from "../../chat/lines/shorten-text.ts";
import { mapInSlices } from "../../limits/in-slices.ts";
import { exists } from "../../disk/data-files.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { type HandlerContext, done } from "./handler-context.ts";

type ChatRoute = Extract<RouteName, `chats.${string}`>;
type Page = RouteReply<"chats.active">;

/** How many archived contexts a page shows; more are found by searching. */
const maxContexts = 200;
const previewLength = 200;
/** A longer context is counted no further. */
const maxCounted = 10_000;
/** In characters: how much of a chat is read for one answer, beyond the messages that it needs. */
const maxCharacters = 8_000_000;
const usualLimit = 100;

export function chatHandlers({ galley: { chats }, events }: HandlerContext): RouteHandlers<ChatRoute> {
  const change = async <Result>(key: string, act: (chat: Chat) => Result): Promise<Awaited<Result>> => {
    const result = await act(await chats.open(key));
    events.tell("chat:changed", key);
    return result;
  };
  return {
    "chats.list": () => chats.list(),
    "chats.get": async ({ params: { key } }) => ({
      ...(await describeChat(await chats.open(key))),
      ...(await chats.settings(key)),
    }),
    "chats.settings": ({ params: { key }, body }) => done(chats.configure(key, body)),
    "chats.active": async ({ params: { key }, query }) => {
      const chat = await chats.open(key);
      return messagePage((limits) => chat.window(limits), query);
    },
    "chats.transcript": async ({ params: { key }, query }) => {
      const chat = await chats.open(key);
      return messagePage((limits) => chat.transcript(limits), query);
    },
    "chats.entries": async ({ params: { key } }) => ({ entries: (await chats.open(key)).entries() }),
    "chats.add": async ({ params: { key }, body }) => {
      const added = await change(key, (chat) => chat.append(body.messages));
      const messages = await mapInSlices(added, withId);
      return { added: added.length, ids: messages.map(({ id }) => id), messages };
    },
    "chats.redact": async ({ params: { key, id } }) => ({
      ok: true,
      ...(await change(key, (chat) => chat.redact(id))),
    }),
    "chats.delete": async ({ params: { key }, query: { confirm } }) => ({
      ok: true,
      ...(await chats.delete(key, confirm)),
    }),
    "chats.new": ({ params: { key }, body }) => change(key, (chat) => chat.newContext(body)),
    "chats.load": ({ params: { key }, body }) => change(key, (chat) => chat.loadContext(body)),
    "chats.clear": ({ params: { key } }) => change(key, (chat) => chat.clearActive()),
    "chats.search": async ({ params: { key }, query: { q, limit } }) => ({
      matches: await (await chats.open(key)).searchContexts(q, limit),
    }),
    "chats.context": async ({ params: { key, contextId } }) => {
      const { messages, ...archive } = (await chats.open(key)).readContext(contextId);
      const summaryPreview = shortenText(archive.summary ?? "", previewLength);
      return { ...archive, summaryPreview, messages: messages.map(withId) };
    },
    "chats.rename": ({ params: { key, contextId }, body: { title } }) =>
      done(change(key, (chat) => chat.renameContext(contextId, title))),
    "chats.deleteContext": async ({ params: { key, contextId }, query: { confirm } }) => ({
      ok: true,
      ...(await change(key, (chat) => chat.deleteContext(contextId, confirm))),
    }),
  };
}

async function describeChat(chat: Chat): Promise<Omit<RouteReply<"chats.get">, "model" | "preset">> {
  const window = chat.window({ maxMessages: maxCounted, maxCharacters });
  const { contexts, problems } = await chat.listContexts(maxContexts);
  return {
    key: chat.key,
    exists: exists(chat.folder),
    session: `chat:${chat.key}`,
    active: {
      exists: window.exists,
      messageCount: window.messages.length,
      recalledFrom: window.recalled?.from,
      compactions: window.decisions.filter(({ line }) => line.entry.type === "compaction").length,
    },
    contexts: [...contexts],
    problems: [...chat.problems, ...problems],
  };
}

/** The end of a log, or what stands before a message of it. No more is read than it takes to find that message. */
function messagePage(
  read: (limits: WindowLimits) => Window,
  { limit = usualLimit, before }: { readonly limit?: number; readonly before?: string },
): Page {
  for (let times = 1; ; times *= 4) {
    const maxMessages = limit * times * (before === undefined ? 1 : 4);
    const window = read({ maxMessages, maxCharacters: maxCharacters * times });
    const messages = window.messages.map(withId);
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
      };
    }
  }
}

function withId(message: ChatMessage): Page["messages"][number] {
  const { ts, role, content, summaryOf } = message;
  return { id: messageId(message), ts, role, content, summaryOf };
}

function noMessage(id = ""): GalleyError {
  return new GalleyError("NotFound", `There is no message ${JSON.stringify(id)}.`, {
    path: "query.before",
    hint: "It may have been redacted or put away since; begin again without `before`.",
  });
}
