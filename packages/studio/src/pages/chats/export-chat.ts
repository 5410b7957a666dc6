import { pagesBack } from "../../api/pages-back.ts";
import { messageText } from "../../message/message-blocks.ts";
import type { ChatMessage } from "./chat-pages.tsx";

const pageSize = 500;

/** Everything that was said in a chat, oldest first, however much it is. */
export async function readTranscript(key: string): Promise<readonly ChatMessage[]> {
  const pages: (readonly ChatMessage[])[] = [];
  for await (const page of pagesBack("chats.transcript", key, pageSize)) pages.unshift(page);
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
