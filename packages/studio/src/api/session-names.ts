import { agentOfChat, parsePlaceId } from "galley/api/client";
import { useMemo } from "react";
import { firstWords } from "./words.ts";
import { useApi } from "./use-api.ts";

/** The history of a session, as the URL of Compose names it: that of an agent is a chat of its own. */
export function sourceOfSession(id: string): string {
  const { kind } = parsePlaceId(id);
  return kind === "chat" ? id : `${kind === "agent" ? "chat" : "session"}:${id}`;
}

/** What people call a session: the title of its chat, what its task was, its agent's name, or else its id. */
export function useSessionNames(): (id: string) => string {
  const chats = useApi("chats.list", {}).data?.chats;
  const tasks = useApi("tasks.list", { query: { limit: 500 } }).data?.tasks;
  const sessions = useApi("sessions.list", {}).data?.sessions;
  return useMemo(() => {
    const names = new Map<string, string>([
      ...(sessions ?? []).flatMap(({ id, title }) => (title ? [[id, title] as const] : [])),
      ...(chats ?? []).map(({ key, title }) => [`chat:${key}`, title || key] as const),
      ...(tasks ?? []).map(({ taskId, instruction }) => [`task:${taskId}`, firstWords(instruction)] as const),
    ]);
    return (id) => names.get(id) ?? agentOfChat(id) ?? id;
  }, [chats, tasks, sessions]);
}
