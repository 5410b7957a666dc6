import type { RouteReply } from "galley/api";
import { call } from "./call.ts";

/** What was said in a chat, from its end: a page at a time, each oldest first. */
export async function* pagesBack(
  name: "chats.active" | "chats.transcript",
  key: string,
  limit: number,
  signal?: AbortSignal,
): AsyncGenerator<RouteReply<"chats.active">["messages"], void> {
  let before: string | undefined;
  do {
    const query = { limit, ...(before !== undefined && { before }) };
    const { messages, hasMore } = await call(name, { params: { key }, query }, signal && { signal });
    yield messages;
    before = hasMore ? messages[0]?.id : undefined;
  } while (before !== undefined);
}
