import type { SessionEntry } from "@galley/engine";
import type { RouteReply } from "galley/api";
import { call as ask } from "../../api/call.ts";
import { pagesBack } from "../../api/pages-back.ts";
import { messageText } from "../../message/message-blocks.ts";
import { chatKeyOf } from "../../place/use-place.ts";
import type { Call } from "./call-summary.tsx";

export interface EarlierMessage {
  readonly id: string;
  readonly role: Call["messages"][number]["role"];
  readonly text: string;
}

const maxText = 600;
/** The most that the daemon gives at once. */
const limit = 1000;

/** The `count` messages that stand before the first one that the call has a row of its own for, oldest first. */
export async function readEarlier(
  { session, ledger }: Pick<Call, "session" | "ledger">,
  count: number,
  signal: AbortSignal,
): Promise<readonly EarlierMessage[]> {
  const known = new Set(ledger.flatMap(({ kind, id }) => (kind === "message" ? [id] : [])));
  const key = chatKeyOf(session);
  if (key === undefined) {
    const { entries } = await ask("sessions.entries", { params: { id: session } }, { signal });
    const first = entries.findIndex(({ id }) => known.has(id));
    return entries.slice(0, Math.max(0, first)).flatMap(ofEntry);
  }
  // What a cut carries on stands behind what left; the first that was said after it is found from the end.
  const active = await readPages("chats.active", key, count, signal, (id) => known.has(id));
  // The context may have been put away since; the transcript keeps everything.
  return active.length > 0 ? active : readPages("chats.transcript", key, count, signal, (id) => known.has(id));
}

/** Reads backwards, leaves out what is known and what was said later, and stops at `count`. */
async function readPages(
  name: "chats.active" | "chats.transcript",
  key: string,
  count: number,
  signal: AbortSignal,
  isKnown: (id: string) => boolean,
): Promise<readonly EarlierMessage[]> {
  const earlier: EarlierMessage[] = [];
  let hasMetKnown = false;
  for await (const messages of pagesBack(name, key, limit, signal)) {
    for (const message of messages.toReversed()) {
      if (isKnown(message.id)) hasMetKnown = true;
      else if (hasMetKnown && earlier.length < count) earlier.push(ofChat(message));
    }
    if (earlier.length >= count) break;
  }
  return earlier.reverse();
}

function ofChat({ id, role, content }: RouteReply<"chats.active">["messages"][number]): EarlierMessage {
  return { id, role, text: messageText(content).slice(0, maxText) };
}

function ofEntry(entry: SessionEntry): readonly EarlierMessage[] {
  if (entry.type !== "message") return [];
  const { id, message } = entry;
  return [{ id, role: message.role, text: messageText(message.content).slice(0, maxText) }];
}
