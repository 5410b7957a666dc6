import { join } from "node:path";
import { GalleyError, type SessionEntry } from "@galley/engine";
import { contextSettingsSchema } from "../api/context-settings.ts";
import { parseAs } from "../api/parse-as.ts";
import { isPlainSession, parsePlaceId, sessionIdOf } from "../api/place-id.ts";
import { type ContextSettings } from "../config/settings-in-force.ts";
import { checkConfirmation } from "../chat/contexts/archive-edits.ts";
import { type Removal, removeStoreCopies } from "../disk/store-files.ts";
import { mapInSlices } from "../limits/in-slices.ts";
import { factsOfSession } from "../logs/log-facts.ts";
import { sessionSearch } from "../logs/session-search.ts";
import type { Redactor } from "../secrets/redactor.ts";
import type { Store } from "../store/ports/ports.ts";
import type { SessionRef } from "../store/ports/session-store.ts";
import type { GalleyEmitter } from "../turn/services/galley-events.ts";
import type { GalleySessions, SessionChanges, SessionSummary } from "../turn/services/galley-ports.ts";
import { noSession } from "../turn/services/session-path.ts";
import { changeContext, checkSessionChanges } from "./chat-settings.ts";

export interface GalleySessionsOptions {
  readonly data: string;
  readonly store: Store;
  readonly project: string;
  readonly redactor: Redactor;
  readonly events: GalleyEmitter;
  /** Throws where settings name something that is not there. */
  readonly checkContext: (context: ContextSettings | null | undefined) => void;
  /** Called when a session was deleted: what is remembered of it is not true any more. */
  readonly forget: (id: string) => void;
}

/** The plain sessions of a project: their logs, settings and recorded calls [V6]. */
export function galleySessions(options: GalleySessionsOptions): GalleySessions & { close(): void } {
  const { data, store, project, events, forget, checkContext } = options;
  const { redact } = options.redactor;
  const refOf = (id: string): SessionRef => ({ projectId: project, sessionId: plainId(id) });
  const search = sessionSearch(join(data, "session-search.sqlite"), project, {
    list: () => store.sessions.list(project),
    read: (id, window) => store.sessions.read(refOf(id), window),
  });
  const settings = async (id: string): Promise<ContextSettings> => {
    const stored = await store.sessions.settings(refOf(id));
    return stored === null ? {} : parseAs(contextSettingsSchema, stored, `sessions.${id}.context`, "DataDamaged");
  };
  const titled = titleSessions((id, window) => store.sessions.read(refOf(id), window));
  return {
    list: async () => titled(await listSessions(store, project)),
    entries: (id) => store.sessions.read(refOf(id)),
    async append(id, entries) {
      if (!isPlainSession(id)) throw notPlain(id);
      const { added, tail } = await store.sessions.append(refOf(id), await mapInSlices(entries, redact));
      if (added.length > 0) events.emit("session:changed", plainId(id));
      if (added.some(({ type }) => type === "redact")) await search.refresh(plainId(id));
      return { added: added.length, tail };
    },
    async search(query, { limit = 10 } = {}) {
      checkQuery(query, limit);
      return search.find(query, limit);
    },
    settings,
    async configure(id, changes: SessionChanges) {
      checkOwnSettings(id);
      checkSessionChanges(changes);
      const { context, unset = [] } = changes;
      checkContext(context);
      const changed = changeContext(await settings(id), context, unset);
      await store.sessions.configure(refOf(id), changed === undefined ? null : redact(changed));
    },
    async delete(id, confirmation): Promise<Removal> {
      checkOwnLog(id);
      checkConfirmation(id, confirmation);
      const isKnown = (await listSessions(store, project)).some((one) => one.id === plainId(id));
      if (!isKnown) throw noSession(id);
      const removal = removeStoreCopies(data);
      await store.builds.purge(refOf(id), "everything");
      await store.runs.purge(refOf(id), { running: true });
      await store.sessions.delete(refOf(id));
      await search.forget(plainId(id));
      forget(plainId(id));
      return removal;
    },
    close: () => search.close(),
  };
}

/** Named with its kind or without, it is the same session [V4]. */
function plainId(id: string): string {
  return sessionIdOf(parsePlaceId(id));
}

/** Sessions with a log, with calls, or with both: each once, the one that was used last first. */
async function listSessions({ sessions, builds }: Store, project: string): Promise<readonly SessionSummary[]> {
  const found = new Map<string, SessionSummary>();
  for (const { id, entries, updatedAt } of await sessions.list(project)) {
    found.set(id, { id, entries, calls: 0, updatedAt });
  }
  for (const { id, calls, updatedAt, model, inputTokens } of await builds.sessions(project)) {
    const { entries = 0, updatedAt: written = 0 } = found.get(id) ?? {};
    found.set(id, { id, entries, calls, updatedAt: Math.max(updatedAt, written), model, inputTokens });
  }
  return [...found.values()].toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1));
}

function checkQuery(query: unknown, limit: unknown): void {
  const wrong = (path: string, message: string): GalleyError => new GalleyError("BadRequest", message, { path });
  if (typeof query !== "string" || query.trim() === "") throw wrong("query", "A search needs words to look for.");
  if (!Number.isSafeInteger(limit) || Number(limit) < 1 || Number(limit) > 100)
    throw wrong("limit", "A search gives from 1 to 100 sessions.");
}

function isTask(id: string): boolean {
  return parsePlaceId(id).kind === "task";
}

/** A chat is set where it is kept: two sets of settings for one conversation would contradict each other. */
function checkOwnSettings(id: string): void {
  if (isPlainSession(id)) return;
  const hint = isTask(id) ? "Set its profile." : "Set the chat: galley chat set --chat KEY key=value.";
  throw new GalleyError("BadRequest", `${id} has no settings as a session.`, { path: "session", hint });
}

/** What is written there would be in no list, and could not be deleted. */
function notPlain(id: string): GalleyError {
  return new GalleyError("BadRequest", `${id} cannot be the id of a session: it names a chat, an agent or a task.`, {
    path: "session",
    hint: "Choose another id; messages are added to a chat by `galley chat add`.",
  });
}

/** What belongs to a chat or a task goes with it. */
function checkOwnLog(id: string): void {
  if (isPlainSession(id)) return;
  const hint = isTask(id) ? "Its records go with its task." : "Delete the chat: galley chat delete --chat KEY.";
  throw new GalleyError("BadRequest", `${id} is not a session of its own.`, { path: "session", hint });
}

/** A log of at most this many entries is read whole for its title; of a longer one, the end, where an import's note stands. */
const maxWhole = 500;
/** One without such a note is read whole all the same, up to this many: what was asked first may be redacted at its end. */
const maxUntitled = 5000;

/** What plain sessions are called: by the note that an import writes last, or by what was asked first, unless it was redacted. */
function titleSessions(
  read: (id: string, window?: { readonly last: number }) => Promise<readonly SessionEntry[]>,
): (sessions: readonly SessionSummary[]) => Promise<readonly SessionSummary[]> {
  const known = new Map<string, { readonly updatedAt: number; readonly title: string | undefined }>();
  const titleOf = async ({ id, entries, updatedAt }: SessionSummary): Promise<string | undefined> => {
    const before = known.get(id);
    if (before?.updatedAt === updatedAt) return before.title;
    const end = entries > maxWhole ? await read(id, { last: 5 }) : [];
    const noted = factsOfSession(
      id,
      end.filter(({ type }) => type === "custom"),
    ).title;
    const log = noted === undefined && entries <= maxUntitled ? await read(id) : [];
    const redacted = new Set(log.flatMap((entry) => (entry.type === "redact" ? [entry.entryId] : [])));
    const title =
      noted ??
      factsOfSession(
        id,
        log.filter((entry) => !redacted.has(entry.id)),
      ).title;
    known.set(id, { updatedAt, title });
    return title;
  };
  return async (sessions) => {
    const all: SessionSummary[] = [];
    for (const session of sessions) {
      const title = session.entries > 0 ? await titleOf(session) : undefined;
      all.push(title === undefined ? session : { ...session, title });
    }
    return all;
  };
}
