import type { ChatMessage } from "../../chat/lines/chat-line.ts";
import type { Chat } from "../../chat/chat.ts";
import type { DaemonClient } from "../../daemon/client/daemon-client.ts";

/**
 * A chat of a data folder whose daemon may run: what changes something is done by the daemon, so that it and the pages that
 * look on know of it; what only reads, reads the disk, and does not ask for the daemon at all.
 */
export function chatThroughDaemon(chat: Chat, find: () => Promise<DaemonClient | undefined>): Chat {
  const { key } = chat;
  const params = { key };
  const change = changer(find);
  return {
    ...chat,
    get problems() {
      return chat.problems;
    },
    append: (messages) =>
      change(
        () => chat.append(messages),
        async (daemon) => {
          const { messages: added } = await daemon.call("chats.add", { params, body: { messages: [...messages] } });
          return added as readonly ChatMessage[];
        },
      ),
    newContext: ({ title, reason } = {}) =>
      change(
        () => chat.newContext({ title, reason }),
        (daemon) => daemon.call("chats.new", { params, body: { title, reason } }),
      ),
    loadContext: ({ contextId, query, mode }) =>
      change(
        () => chat.loadContext({ contextId, query, mode }),
        (daemon) =>
          daemon.call("chats.load", { params, body: { contextId, query, mode } }) as ReturnType<Chat["loadContext"]>,
      ),
    clearActive: () =>
      change(
        () => chat.clearActive(),
        (daemon) => daemon.call("chats.clear", { params }),
      ),
    renameContext: (contextId, title) =>
      change(
        () => chat.renameContext(contextId, title),
        async (daemon) => void (await daemon.call("chats.rename", { params: { key, contextId }, body: { title } })),
      ),
    deleteContext: (contextId, confirm) =>
      change(
        () => chat.deleteContext(contextId, confirm),
        (daemon) => daemon.call("chats.deleteContext", { params: { key, contextId }, query: { confirm } }),
      ),
    deleteChat: (confirm) =>
      change(
        () => chat.deleteChat(confirm),
        (daemon) => daemon.call("chats.delete", { params, query: { confirm } }),
      ),
    redact: (id) =>
      change(
        () => chat.redact(id),
        (daemon) => daemon.call("chats.redact", { params: { key, id } }),
      ),
  };
}

type Change = <Result>(
  own: () => Promise<Result>,
  through: (daemon: DaemonClient) => Promise<Result>,
) => Promise<Result>;

/** Looks for the daemon before the first change, and once. */
function changer(find: () => Promise<DaemonClient | undefined>): Change {
  let found: Promise<DaemonClient | undefined> | undefined;
  return async (own, through) => {
    const daemon = await (found ??= find());
    return daemon ? through(daemon) : own();
  };
}
