import { type MessageEntry, type SessionEntry, view } from "@galley/engine";
import { agentOfChat } from "../../api/place-id.ts";
import type { Chat } from "../../chat/chat.ts";
import type { Services } from "../services/services.ts";

/**
 * Before an agent had a chat, its history was a plain session of the same name. That becomes the first archive of the chat when
 * the chat is opened for the first time [A6]. The log goes when the archive is durable: a crash between the two does it again.
 */
export async function adoptSession(
  { store, project, sessions }: Pick<Services, "store" | "project" | "sessions">,
  chat: Chat,
): Promise<void> {
  if (agentOfChat(chat.key) === undefined) return;
  const log = await sessions.read(chat.key);
  if (log.length === 0) return;
  const said = saidIn(log).map(({ ts, message }) => ({ ts: Number(ts), message }));
  await chat.importArchive("session", said);
  await store.sessions.delete({ projectId: project, sessionId: chat.key });
  sessions.forget(chat.key);
}

/** Every message of the active branch, also those that a compaction stands for; redacted ones are out. */
function saidIn(log: readonly SessionEntry[]): readonly MessageEntry[] {
  const whole = log.map((entry): SessionEntry => {
    if (entry.type !== "compaction") return entry;
    const { id, ts, parentId } = entry;
    return { id, ts, type: "custom", kind: "compaction", ...(parentId === undefined ? {} : { parentId }) };
  });
  return view(whole).messages;
}
