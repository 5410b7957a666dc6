import type { PinRequest, SessionEntry } from "@galley/engine";
import type { RouteReply } from "../../api/index.ts";
import type { ContextSettings } from "../../config/context-settings.ts";
import type { Removal } from "../../disk/store-files.ts";
import type { Galley } from "../../galley/galley.ts";
import type { SessionMatch } from "../../logs/session-search.ts";
import type { ChatChanges, GalleyChats, SessionSummary } from "../../turn/services/galley-ports.ts";
import { placeOfChat, placeOfSession } from "../../turn/places/turn-place.ts";
import { connect } from "./connect.ts";
import type { FolderFlags } from "./options.ts";

// As in connect.ts: the daemon of the data folder where one runs, and this process otherwise.

export interface SettingsFolder extends FolderFlags {
  readonly config?: string | undefined;
}

/** The settings of one place. */
export interface PlaceSettings {
  change(changes: ChatChanges): Promise<void>;
  /** Those that the next turn would have. */
  inForce(): Promise<RouteReply<"chats.inForce">>;
}

/** The settings of a chat or a session, for as long as `work` needs them. */
export async function withSettings<Result>(
  folder: SettingsFolder,
  place: { readonly chat: string } | { readonly session: string },
  work: (settings: PlaceSettings) => Promise<Result>,
): Promise<Result> {
  const daemon = await connect(folder);
  if (daemon && "chat" in place) {
    const params = { key: place.chat };
    return work({
      change: async (body) => void (await daemon.call("chats.settings", { params, body: body as never })),
      inForce: () => daemon.call("chats.inForce", { params }),
    });
  }
  if (daemon && "session" in place) {
    const params = { id: place.session };
    return work({
      change: async ({ context, unset }) =>
        void (await daemon.call("sessions.settings", { params, body: { context, unset: unset && [...unset] } })),
      inForce: () => daemon.call("sessions.inForce", { params }),
    });
  }
  return withGalley(folder, (galley) =>
    work(
      "chat" in place
        ? {
            change: (changes) => galley.chats.configure(place.chat, changes),
            inForce: async () => replyOf(await galley.settingsFor(place)),
          }
        : {
            change: (changes) => galley.sessions.configure(place.session, changes),
            inForce: async () => replyOf(await galley.settingsFor(placeOfSession(place.session))),
          },
    ),
  );
}

/** Something that is pinned, as commands show it. */
export type ShownPin = RouteReply<"sessions.pins">["pins"][number];

/** What is pinned in a place. */
interface ShownPins {
  list(): Promise<readonly ShownPin[]>;
  pin(request: PinRequest): Promise<RouteReply<"sessions.pin">>;
  unpin(id: string): Promise<void>;
}

/** The pins of a chat or a session, for as long as `work` needs them [R6]. */
export async function withPins<Result>(
  folder: SettingsFolder,
  place: { readonly chat: string } | { readonly session: string },
  work: (pins: ShownPins) => Promise<Result>,
): Promise<Result> {
  const id = "chat" in place ? placeOfChat(place.chat).session : place.session;
  const daemon = await connect(folder);
  if (daemon) {
    return work({
      list: async () => (await daemon.call("sessions.pins", { params: { id } })).pins,
      pin: (body) => daemon.call("sessions.pin", { params: { id }, body }),
      unpin: async (pin) => void (await daemon.call("sessions.unpin", { params: { id, pin } })),
    });
  }
  return withGalley(folder, (galley) => {
    const pins = galley.pins(placeOfSession(id));
    return work({
      list: async () =>
        (await pins.list()).map(({ entry, ...pin }) => ({ ...pin, ...(entry ? { message: entry.message } : {}) })),
      pin: async (request) => {
        const pinned = await pins.pin(request);
        return { id: pinned.id, isNew: pinned.entry !== undefined };
      },
      unpin: async (pin) => void (await pins.unpin(pin)),
    });
  });
}

/** Takes back the newest compaction of a chat, a session or an agent, and gives its id [F15]. */
export async function undoInPlace(folder: SettingsFolder, id: string): Promise<string> {
  const daemon = await connect(folder);
  if (daemon) return (await daemon.call("sessions.undoCompaction", { params: { id } })).undone;
  return withGalley(folder, async (galley) => (await galley.compactions(placeOfSession(id)).undo()).undoes ?? "");
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

/** What looks through all chats, or makes one of another. */
export async function withChats<Result>(
  folder: FolderFlags,
  work: (chats: Pick<GalleyChats, "find" | "fork">) => Promise<Result>,
): Promise<Result> {
  const daemon = await connect(folder);
  if (!daemon) return withLocalChats(folder, work);
  return work({
    find: async (q, limit) =>
      (await daemon.call("chats.find", { query: { q, ...(limit !== undefined && { limit }) } })).found,
    fork: (key, body = {}) => daemon.call("chats.fork", { params: { key }, body }),
  });
}

/** A recorded call as commands show it. */
interface ShownCall {
  readonly n: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly model: string;
  readonly inputTokens: number;
}

/** The sessions of the store. */
export interface StoredSessions {
  list(): Promise<readonly SessionSummary[]>;
  get(id: string): Promise<{ readonly calls: readonly ShownCall[]; readonly context?: ContextSettings | undefined }>;
  entries(id: string): Promise<readonly SessionEntry[]>;
  search(query: string, limit: number): Promise<readonly SessionMatch[]>;
  delete(id: string, confirm: string): Promise<Removal>;
}

export async function withStoredSessions<Result>(
  folder: FolderFlags,
  work: (sessions: StoredSessions) => Promise<Result>,
): Promise<Result> {
  const daemon = await connect(folder);
  if (daemon) {
    return work({
      list: async () => (await daemon.call("sessions.list", {})).sessions,
      get: (id) => daemon.call("sessions.get", { params: { id } }),
      entries: async (id) => (await daemon.call("sessions.entries", { params: { id } })).entries,
      search: async (q, limit) => (await daemon.call("sessions.search", { query: { q, limit } })).matches,
      delete: (id, confirm) => daemon.call("sessions.delete", { params: { id }, query: { confirm } }),
    });
  }
  return withGalley({ ...folder, config: undefined }, ({ sessions, store, project }) =>
    work({
      list: () => sessions.list(),
      async get(id) {
        const { callsOf } = await import("../../store/logged-builds.ts");
        const builds = await callsOf(store, { projectId: project, sessionId: id });
        const calls = builds.map(({ n, at, model, stats }) => ({ n, at, model, inputTokens: stats.inputTokens }));
        return { calls, context: await sessions.settings(id) };
      },
      entries: (id) => sessions.entries(id),
      search: (query, limit) => sessions.search(query, { limit }),
      delete: (id, confirm) => sessions.delete(id, confirm),
    }),
  );
}

async function withGalley<Result>(
  { data, config }: SettingsFolder,
  work: (galley: Galley) => Promise<Result>,
): Promise<Result> {
  const { openGalley } = await import("../../galley/open-galley.ts");
  const galley = await openGalley({ data, ...(config === undefined ? {} : { config }) });
  try {
    return await work(galley);
  } finally {
    await galley.close();
  }
}

function replyOf(answer: Awaited<ReturnType<Galley["settingsFor"]>>): RouteReply<"chats.inForce"> {
  return { ...answer, settings: [...answer.settings], problems: [...answer.problems] };
}
