import { GalleyError, type SessionEntry, standingCompactions } from "@galley/engine";
import { onOneLine } from "../../limits/short-text.ts";
import { placeOfChat } from "../../turn/places/turn-place.ts";
import type { RouteName, RouteReply } from "../../api/index.ts";
import type { Chat } from "../../chat/chat.ts";
import { previewText } from "../../chat/contexts/archive-file.ts";
import { maxCharacters, messagePage, withId } from "./message-page.ts";
import { readStoredFile } from "../../chat/lines/chat-files.ts";
import { chatPaths } from "../../chat/lines/chat-paths.ts";
import { mapInSlices } from "../../limits/in-slices.ts";
import { exists } from "../../disk/data-files.ts";
import type { RouteHandlers } from "../http/bind-routes.ts";
import { type FolderContext, done, removed } from "./handler-context.ts";

type ChatRoute = Extract<RouteName, `chats.${string}`>;

/** How many archived contexts a page shows; more are found by searching. */
const maxContexts = 200;
const previewLength = 200;
/** A longer context is counted no further. */
const maxCounted = 10_000;

/** Changes a chat, and tells those who look on. */
type Change = <Result>(key: string, act: (chat: Chat) => Result) => Promise<Awaited<Result>>;

/** What adds messages from elsewhere. */
function addingHandlers(change: Change): Pick<RouteHandlers<ChatRoute>, "chats.add" | "chats.import"> {
  return {
    "chats.add": async ({ params: { key }, body }) => {
      const added = await change(key, (chat) => chat.append(body.messages));
      const messages = await mapInSlices(added, withId);
      return { added: added.length, ids: messages.map(({ id }) => id), messages };
    },
    "chats.import": async ({ params: { key }, body }) => {
      const { messages, left } = await change(key, (chat) =>
        chat.importEntries(body.entries as unknown as readonly SessionEntry[]),
      );
      return { added: messages.length, left, messages: await mapInSlices(messages, withId) };
    },
  };
}

export function chatHandlers({ galley, events }: FolderContext): RouteHandlers<ChatRoute> {
  const { chats } = galley;
  const change: Change = async <Result>(key: string, act: (chat: Chat) => Result): Promise<Awaited<Result>> => {
    const result = await act(await chats.open(key));
    events.tell("chat:changed", key);
    return result;
  };
  return {
    "chats.list": () => chats.list(),
    "chats.find": async ({ query: { q, limit } }) => ({ found: [...(await chats.find(q, limit))] }),
    "chats.fork": ({ params: { key }, body }) => chats.fork(key, body),
    "chats.get": async ({ params: { key } }) => ({
      ...(await describeChat(await chats.open(key))),
      ...(await chats.settings(key)),
    }),
    "chats.settings": ({ params: { key }, body }) => done(chats.configure(key, body)),
    "chats.inForce": ({ params: { key }, query }) => galley.settingsFor({ chat: key, ...query }),
    "chats.active": async ({ params: { key }, query }) => {
      const chat = await chats.open(key);
      return messagePage((limits) => chat.window(limits), query, `active ${chat.folder}`);
    },
    "chats.transcript": async ({ params: { key }, query }) => {
      const chat = await chats.open(key);
      return messagePage((limits) => chat.transcript(limits), query, `transcript ${chat.folder}`);
    },
    ...addingHandlers(change),
    "chats.redact": ({ params: { key, id } }) => removed(change(key, (chat) => chat.redact(id))),
    "chats.delete": ({ params: { key }, query: { confirm } }) => removed(chats.delete(key, confirm)),
    "chats.alternates": async ({ params: { key } }) => ({ alternates: alternatesOf(await chats.open(key)) }),
    "chats.file": async ({ params: { key, name } }) => {
      const found = readStoredFile(chatPaths((await chats.open(key)).folder).files, name);
      if (!found) throw new GalleyError("NotFound", `The chat ${key} has no file ${name}.`, { path: "name" });
      return { data: found.toString("base64") };
    },
    "chats.choose": ({ params: { key, id } }) => done(change(key, (chat) => chat.chooseAlternate(id))),
    "chats.new": ({ params: { key }, body }) => change(key, (chat) => chat.newContext(body)),
    "chats.load": ({ params: { key }, body }) => change(key, (chat) => chat.loadContext(body)),
    "chats.clear": ({ params: { key } }) => change(key, (chat) => chat.clearActive()),
    "chats.search": async ({ params: { key }, query: { q, limit } }) => ({
      matches: await (await chats.open(key)).searchContexts(q, limit),
    }),
    "chats.context": async ({ params: { key, contextId } }) => {
      const { messages, kept: _, ...archive } = (await chats.open(key)).readContext(contextId);
      const summaryPreview = onOneLine(previewText(archive), previewLength);
      return { ...archive, summaryPreview, messages: messages.map(withId) };
    },
    "chats.rename": ({ params: { key, contextId }, body: { title } }) =>
      done(change(key, (chat) => chat.renameContext(contextId, title))),
    "chats.deleteContext": ({ params: { key, contextId }, query: { confirm } }) =>
      removed(change(key, (chat) => chat.deleteContext(contextId, confirm))),
  };
}

async function describeChat(chat: Chat): Promise<Omit<RouteReply<"chats.get">, "model" | "preset">> {
  const window = chat.window({ maxMessages: maxCounted, maxCharacters });
  const { contexts, problems } = await chat.listContexts(maxContexts);
  return {
    key: chat.key,
    exists: exists(chat.folder),
    session: placeOfChat(chat.key).session,
    active: {
      exists: window.exists,
      messageCount: window.messages.length,
      recalledFrom: window.recalled?.from,
      compactions: standingCompactions(window.decisions.map(({ line }) => line.entry)).length,
    },
    contexts: [...contexts],
    problems: [...chat.problems, ...problems],
  };
}

function alternatesOf(chat: Chat): RouteReply<"chats.alternates">["alternates"] {
  return chat.alternates().map(({ message, ...about }) => ({ ...withId(message), ...about }));
}
