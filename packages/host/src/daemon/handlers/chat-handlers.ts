import type { RouteName } from "../../api/index.ts";
import { messageId } from "../../chat/lines/chat-line.ts";
import { shortenText } from "../../chat/lines/shorten-text.ts";
import type { RouteHandlers } from "../http/route-handlers.ts";
import type { HandlerContext } from "./handler-context.ts";
import { messagePage, withId } from "./message-pages.ts";
import { exists } from "../../disk/data-files.ts";

type ChatRoute = Extract<RouteName, `chats.${string}`>;
type ContextRoute = Extract<
  ChatRoute,
  `chats.${"new" | "load" | "clear" | "search" | "context" | "rename" | "deleteContext"}`
>;

/** So many archived contexts a page shows at most; more are found by searching. */
const maxContexts = 200;
const previewLength = 200;
/** A longer context is counted no further. */
const maxCounted = 10_000;

export function chatHandlers(context: HandlerContext): RouteHandlers<ChatRoute> {
  const { galley, events } = context;
  const { chats } = galley;
  return {
    ...contextHandlers(context),
    "chats.list": () => chats.list(),
    "chats.get": async ({ params: { key } }) => {
      const chat = await chats.open(key);
      const window = chat.window({ maxMessages: maxCounted, maxCharacters: Number.MAX_SAFE_INTEGER });
      const { contexts, problems } = await chat.listContexts(maxContexts);
      return {
        key,
        exists: exists(chat.folder),
        session: `chat:${key}`,
        ...(await chats.settings(key)),
        active: {
          exists: window.exists,
          messageCount: window.messages.length,
          ...(window.recalled ? { recalledFrom: window.recalled.from } : {}),
          compactions: window.decisions.filter(({ line }) => line.entry.type === "compaction").length,
        },
        contexts,
        problems: [...chat.problems, ...problems],
      };
    },
    "chats.settings": async ({ params: { key }, body }) => {
      await chats.configure(key, body);
      return { ok: true };
    },
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
      const added = await (await chats.open(key)).append(body.messages);
      events.tell("chat:changed", key);
      return { added: added.length, ids: added.map(messageId), messages: added.map(withId) };
    },
    "chats.redact": async ({ params: { key, id } }) => {
      const { removedCopies } = await (await chats.open(key)).redact(id);
      events.tell("chat:changed", key);
      return { ok: true, removedCopies };
    },
    "chats.delete": async ({ params: { key }, query: { confirm } }) => {
      const { removedCopies } = await chats.delete(key, confirm);
      return { ok: true, removedCopies };
    },
  };
}

/** Working contexts: put away, brought back, found. */
function contextHandlers({ galley: { chats }, events }: HandlerContext): RouteHandlers<ContextRoute> {
  return {
    "chats.new": async ({ params: { key }, body }) => {
      const result = await (await chats.open(key)).newContext(body);
      events.tell("chat:changed", key);
      return result;
    },
    "chats.load": async ({ params: { key }, body }) => {
      const result = await (await chats.open(key)).loadContext(body);
      events.tell("chat:changed", key);
      return result;
    },
    "chats.clear": async ({ params: { key } }) => {
      const result = await (await chats.open(key)).clearActive();
      events.tell("chat:changed", key);
      return result;
    },
    "chats.search": async ({ params: { key }, query: { q, limit } }) => {
      const chat = await chats.open(key);
      return { matches: await chat.searchContexts(q, limit) };
    },
    "chats.context": async ({ params: { key, contextId } }) => {
      const { messages, ...archive } = (await chats.open(key)).readContext(contextId);
      return {
        ...archive,
        summaryPreview: shortenText(archive.summary ?? "", previewLength),
        messages: messages.map(withId),
      };
    },
    "chats.rename": async ({ params: { key, contextId }, body: { title } }) => {
      await (await chats.open(key)).renameContext(contextId, title);
      events.tell("chat:changed", key);
      return { ok: true };
    },
    "chats.deleteContext": async ({ params: { key, contextId }, query: { confirm } }) => {
      const { removedCopies } = await (await chats.open(key)).deleteContext(contextId, confirm);
      events.tell("chat:changed", key);
      return { ok: true, removedCopies };
    },
  };
}
