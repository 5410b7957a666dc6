import type { ChatMessage } from "../../chat/lines/chat-line.ts";
import type { Chat } from "../../chat/chat.ts";
import type { DaemonClient } from "../../daemon/client/daemon-client.ts";

/**
 * A chat of a data folder whose daemon runs: what changes something is done by the daemon, so that it and the pages that
 * look on know of it; what only reads, reads the disk.
 */
export function chatThroughDaemon(chat: Chat, daemon: DaemonClient): Chat {
  const { key } = chat;
  const params = { key };
  return {
    ...chat,
    get problems() {
      return chat.problems;
    },
    async append(messages) {
      const { messages: added } = await daemon.call("chats.add", { params, body: { messages: [...messages] } });
      return added as readonly ChatMessage[];
    },
    newContext: ({ title, reason } = {}) => daemon.call("chats.new", { params, body: { title, reason } }),
    loadContext: ({ contextId, query, mode }) =>
      daemon.call("chats.load", { params, body: { contextId, query, mode } }) as ReturnType<Chat["loadContext"]>,
    clearActive: () => daemon.call("chats.clear", { params }),
    async renameContext(contextId, title) {
      await daemon.call("chats.rename", { params: { key, contextId }, body: { title } });
    },
    async deleteContext(contextId, confirm) {
      await daemon.call("chats.deleteContext", { params: { key, contextId }, query: { confirm } });
    },
    async deleteChat(confirm) {
      await daemon.call("chats.delete", { params, query: { confirm } });
    },
    async redact(id) {
      await daemon.call("chats.redact", { params: { key, id } });
    },
  };
}
