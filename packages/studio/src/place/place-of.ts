import type { RouteInput } from "galley/api";
import { agentOfChat, chatKeyOf, parsePlaceId, placeIdOfChat } from "galley/api/client";

type PlaceName = Pick<RouteInput<"turns.fill">["body"], "chat" | "agent" | "session">;

/** The chat of the owner's own programs is a chat, although it is named like an agent's. */
const ownersChat = "agent:local";

/** The place whose next call is meant: the chat of an agent is the agent's place. */
export function placeOf(session: string): PlaceName {
  const key = chatKeyOf(parsePlaceId(session));
  if (key === undefined) return { session };
  const agent = agentOfChat(key);
  return agent === undefined || key === ownersChat ? { chat: key } : { agent };
}

/** The session under which the calls of a chat are recorded: that of an agent is the agent's. */
export function sessionOfChat(key: string): string {
  return key === ownersChat ? `chat:${key}` : placeIdOfChat(key);
}

/** Tasks have no settings of their own, and no next call that a person could look at. */
export function hasSettings(session: string): boolean {
  return parsePlaceId(session).kind !== "task";
}
