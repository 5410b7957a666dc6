import { type CompactionEntry, type SessionEntry, standingCompactions, undoCompaction } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import type { Services } from "../services/services.ts";

/** The compactions of a place, and how the newest is taken back [F15]. */
export interface PlaceCompactions {
  /** Those that have not been undone, the oldest first; the last one is in force. */
  list(): Promise<readonly CompactionEntry[]>;
  /**
   * Puts back what the newest one took out; gives the entry that says so. A next call that is over its budget cuts again.
   * Where there is none, it is a `NotFound`.
   */
  undo(): Promise<CompactionEntry>;
}

type CompactionServices = Pick<Services, "chats" | "sessions" | "events">;

/** Of the active context, where the place is a chat or an agent. */
export function compactionsOf(
  { chats, sessions, events }: CompactionServices,
  place: { readonly kind: "chat" | "agent" | "session"; readonly name: string },
): PlaceCompactions {
  const { name } = place;
  const key = chatKeyOf(place);
  const read = async (): Promise<readonly SessionEntry[]> =>
    key === undefined ? sessions.read(name) : (await (await chats.open(key)).whole()).entries;
  return {
    list: async () => standingCompactions(await read()),
    async undo() {
      const log = await read();
      const entry = undoCompaction(log);
      if (key === undefined) await sessions.append(name, [entry], log.at(-1)?.id ?? null);
      else await (await chats.open(key)).recordDecision(entry);
      events.emit(key === undefined ? "session:changed" : "chat:changed", key ?? name);
      return entry;
    },
  };
}
