import type { Command } from "commander";
import type { RouteReply } from "../../api/index.ts";
import type { ChatChanges, GalleyChats } from "../../turn/services/galley-ports.ts";
import { placeOfChat } from "../../turn/places/turn-place.ts";
import { type ConfiguredFolder, connect, withRoutes } from "./connect.ts";
import type { FolderFlags } from "./options.ts";

/** A chat or a session, as commands name it. */
export type SetPlace = { readonly chat: string } | { readonly session: string };

/** Which kind of place a command is about, and how it is named. */
export interface PlaceTarget {
  readonly what: "chat" | "session";
  /** How many arguments name the place; what else is given follows them. */
  readonly argumentCount: number;
  /** Gives a command the flags or arguments that name the place. */
  readonly named: (command: Command) => Command;
  readonly placeOf: (command: Command) => SetPlace;
}

/** The id under which a place is a session. */
export function sessionOf(place: SetPlace): string {
  return "chat" in place ? placeOfChat(place.chat).session : place.session;
}

interface PlaceSettings {
  change(changes: ChatChanges): Promise<unknown>;
  /** Those that the next turn would have. */
  inForce(): Promise<RouteReply<"chats.inForce">>;
}

export async function withSettings<Result>(
  folder: ConfiguredFolder,
  place: SetPlace,
  work: (settings: PlaceSettings) => Promise<Result>,
): Promise<Result> {
  return withRoutes(folder, (ask) => {
    if ("chat" in place) {
      const params = { key: place.chat };
      return work({
        change: (body) => ask("chats.settings", { params, body: body as never }),
        inForce: () => ask("chats.inForce", { params }),
      });
    }
    const params = { id: place.session };
    return work({
      change: ({ context, unset }) =>
        ask("sessions.settings", { params, body: { context, unset: unset && [...unset] } }),
      inForce: () => ask("sessions.inForce", { params }),
    });
  });
}

/** The chats of a data folder as its files have them, without looking for its daemon. */
export async function withLocalChats<Result>(
  { data }: Pick<FolderFlags, "data">,
  work: (chats: GalleyChats) => Promise<Result>,
): Promise<Result> {
  const { galleyChats } = await import("../../galley/galley-chats.ts");
  const opened = galleyChats({ data, onChange: () => undefined, forget: async () => undefined });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** What looks through all chats, or makes one of another: no store is needed for it. */
export async function withChats<Result>(
  folder: FolderFlags,
  work: (chats: Pick<GalleyChats, "find" | "fork">) => Promise<Result>,
): Promise<Result> {
  const daemon = await connect(folder);
  if (!daemon) return withLocalChats(folder, work);
  return work({
    find: async (q, limit) => (await daemon.call("chats.find", { query: { q, limit } })).found,
    fork: (key, body = {}) => daemon.call("chats.fork", { params: { key }, body }),
  });
}
