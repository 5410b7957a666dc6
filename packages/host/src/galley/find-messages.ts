import type { Chat } from "../chat/chat.ts";
import { chatFinder } from "../chat/find-in-chat.ts";
import { nextTurn } from "../limits/in-slices.ts";
import type { ChatItem, FoundMessage } from "../turn/services/galley-ports.ts";

const defaultLimit = 50;

/** Looks through chats one after the other until there is enough; others have their turn in between. */
export async function findMessages(
  chats: readonly ChatItem[],
  open: (key: string) => Promise<Chat>,
  query: string,
  limit = defaultLimit,
): Promise<readonly FoundMessage[]> {
  const find = chatFinder(query);
  const found: FoundMessage[] = [];
  if (!find) return found;
  for (const { key, title } of chats) {
    if (found.length >= limit) break;
    await nextTurn();
    found.push(...(await find(await open(key))).map((match) => ({ chat: key, title, ...match })));
  }
  return found.slice(0, limit);
}
