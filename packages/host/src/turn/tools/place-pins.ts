import { type PinEntry, type PinRequest, type PinnedItem, pinEntry, pinnedItems, unpinEntry } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import { type Pinned, pinnedAs } from "../../chat/contexts/chat-pins.ts";
import type { Services } from "../services/services.ts";

/** What is pinned in a place, and how that changes [R6]. */
export interface PlacePins {
  /** The oldest first. */
  list(): Promise<readonly PinnedItem[]>;
  /** Keeps a message, or a sentence, in every build until it is unpinned. What is pinned already stays as it is. */
  pin(request: PinRequest, by?: PinEntry["by"]): Promise<Pinned>;
  /** A message by its id, a sentence by that of its pin. */
  unpin(id: string): Promise<Pinned>;
}

type PinServices = Pick<Services, "chats" | "sessions" | "redactor" | "events" | "now">;

export function pinsOf(
  services: PinServices,
  place: { readonly kind: "chat" | "agent" | "session"; readonly name: string },
): PlacePins {
  const key = chatKeyOf(place);
  return key === undefined ? sessionPins(services, place.name) : chatPins(services, key);
}

/** Of the active context. */
function chatPins({ chats, events }: PinServices, key: string): PlacePins {
  const changed = async (work: Promise<Pinned>): Promise<Pinned> => {
    const pinned = await work;
    events.emit("chat:changed", key);
    return pinned;
  };
  return {
    list: async () => pinnedItems((await (await chats.open(key)).whole()).entries),
    pin: async (request, by) => changed((await chats.open(key)).pin(request, by)),
    unpin: async (id) => changed((await chats.open(key)).unpin(id)),
  };
}

function sessionPins({ sessions, redactor, events, now }: PinServices, session: string): PlacePins {
  const write = async (entry: PinEntry): Promise<Pinned> => {
    await sessions.append(session, [entry]);
    events.emit("session:changed", session);
    return { id: entry.entryId ?? entry.id, entry };
  };
  return {
    list: async () => pinnedItems(await sessions.read(session)),
    async pin(request, by = "person") {
      const log = await sessions.read(session);
      const safe = redactor.redact(request);
      const entry = pinEntry(log, safe, { by, now: now() });
      if (entry) return write(entry);
      return { id: pinnedAs(pinnedItems(log), safe) };
    },
    unpin: async (id) => write(unpinEntry(await sessions.read(session), id, { now: now() })),
  };
}
