/** The kinds of places, as people and records name them [V4]. */
export const placeKinds = ["chat", "agent", "task", "session"] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** A place by its kind and its own name: a chat's key, an agent's name, the id of a task or a session. */
export interface PlaceId {
  readonly kind: PlaceKind;
  readonly name: string;
}

const pattern = new RegExp(`^(${placeKinds.join("|")}):(.*)$`, "su");

/** Reads `chat:KEY`, `agent:NAME`, `task:ID` or `session:ID`; an id without a kind is a session's. */
export function parsePlaceId(id: string): PlaceId {
  const [, kind, name] = pattern.exec(id) ?? [];
  return name === undefined ? { kind: "session", name: id } : { kind: kind as PlaceKind, name };
}

/** The id under which the calls of a place are recorded: that of a plain session has no kind in front. */
export function sessionIdOf({ kind, name }: PlaceId): string {
  return kind === "session" ? name : `${kind}:${name}`;
}

/** Whether a session stands by itself: those of chats, agents and tasks belong to them. */
export function isPlainSession(id: string): boolean {
  return parsePlaceId(id).kind === "session";
}

/** The chat in which a place keeps its history: an agent has one of its own [A6], named like the agent's place. */
export function chatKeyOf({ kind, name }: { readonly kind: "chat" | "agent"; readonly name: string }): string;
export function chatKeyOf(place: PlaceId): string | undefined;
export function chatKeyOf({ kind, name }: PlaceId): string | undefined {
  if (kind === "chat") return name;
  return kind === "agent" ? `agent:${name}` : undefined;
}

/** The agent whose chat it is; nothing for a chat of one's own. */
export function agentOfChat(key: string): string | undefined {
  const { kind, name } = parsePlaceId(key);
  return kind === "agent" ? name : undefined;
}

/** A chat as people name it: that of an agent is the agent. */
export function placeIdOfChat(key: string): string {
  return agentOfChat(key) === undefined ? `chat:${key}` : key;
}
