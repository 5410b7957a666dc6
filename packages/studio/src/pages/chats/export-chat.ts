import { call } from "../../api/call.ts";
import { messageText } from "../../message/message-blocks.ts";
import type { ChatMessage } from "./chat-pages.tsx";

const pageSize = 500;

/** Everything that was said in a chat, oldest first, however much it is. */
export async function readTranscript(key: string): Promise<readonly ChatMessage[]> {
  const pages: (readonly ChatMessage[])[] = [];
  let before: string | undefined;
  do {
    const query = { limit: pageSize, ...(before !== undefined && { before }) };
    const { messages, hasMore } = await call("chats.transcript", { params: { key }, query });
    pages.unshift(messages);
    before = hasMore ? messages[0]?.id : undefined;
  } while (before !== undefined);
  return pages.flat();
}

interface MarkdownWords {
  readonly you: string;
  readonly assistant: string;
}

/** A chat as a page to read or to pass on: who said what, when. */
export function chatMarkdown(chat: string, messages: readonly ChatMessage[], words: MarkdownWords): string {
  const parts = messages.map(({ role, ts, content }) => {
    const speaker = role === "user" ? words.you : words.assistant;
    return `## ${speaker} · ${new Date(ts).toISOString()}\n\n${messageText(content)}\n`;
  });
  return [`# ${chat}\n`, ...parts].join("\n");
}
