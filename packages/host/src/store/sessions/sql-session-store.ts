import { GalleyError, type JsonObject, type SessionEntry } from "@galley/engine";
import { newEntries } from "@galley/engine/messages";
import { checkIds, isId } from "../database/ids.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import type { SessionAppend, SessionItem, SessionRef, SessionStore, SessionWindow } from "../ports/session-store.ts";
import { deleteOf, findRow, rowsOf, runAgain, upsertRow } from "../database/rows.ts";
import { mapInSlices, letOthersRun } from "../../limits/in-slices.ts";
import type { SessionRow } from "../database/tables.ts";

export function sqlSessionStore(database: Database): SessionStore {
  return {
    async append(session, entries, expectedTail) {
      checkIds("project", [session.projectId]);
      checkIds("session", [session.sessionId]);
      checkIds(
        "session entry",
        entries.map((entry) => entry.id),
      );
      return database.transaction((tx) => appendEntries(tx, session, entries, expectedTail));
    },
    read: (session, window = {}) => database.read((reader) => readEntries(reader, session, window)),
    tail: (session) => database.read(async (reader) => (await rowOf(reader, session))?.tail_id ?? null),
    list: (projectId) => database.read((reader) => listSessions(reader, projectId)),
    async settings(session) {
      const row = await database.read((reader) => rowOf(reader, session));
      return typeof row?.settings === "string" ? (JSON.parse(row.settings) as JsonObject) : null;
    },
    async configure(session, settings) {
      checkIds("project", [session.projectId]);
      checkIds("session", [session.sessionId]);
      await database.transaction((tx) => writeSettings(tx, session, settings));
    },
    async delete(session) {
      const isDeleted = await database.transaction((tx) => deleteSession(tx, session));
      await database.wipe();
      return isDeleted;
    },
  };
}

async function listSessions(reader: Reader, projectId: string): Promise<readonly SessionItem[]> {
  if (!isId(projectId)) return [];
  const rows = await rowsOf(reader, "sessions", { project_id: projectId })
    .select(["session_id", "length", "updated_at"])
    .orderBy("updated_at", "desc")
    .orderBy("session_id")
    .execute();
  return rows.map(({ session_id: id, length, updated_at }) => ({ id, entries: length, updatedAt: updated_at }));
}

async function writeSettings(tx: Transaction, session: SessionRef, settings: JsonObject | null): Promise<void> {
  await tx.hold(`session:${session.projectId}:${session.sessionId}`);
  const row = await rowOf(tx, session);
  const { tail_id = null, length = 0, updated_at = 0 } = row ?? {};
  await upsertRow(tx, "sessions", keyOf(session), {
    tail_id,
    length,
    updated_at: Math.max(Date.now(), updated_at + 1),
    settings: settings === null ? null : JSON.stringify(settings),
  });
}

async function deleteSession(tx: Transaction, session: SessionRef): Promise<boolean> {
  if (!(await rowOf(tx, session))) return false;
  await tx.hold(`session:${session.projectId}:${session.sessionId}`);
  await deleteOf(tx, "session_entries", keyOf(session)).execute();
  await deleteOf(tx, "sessions", keyOf(session)).execute();
  return true;
}

async function appendEntries(
  tx: Transaction,
  session: SessionRef,
  entries: readonly SessionEntry[],
  expectedTail: string | null | undefined,
): Promise<SessionAppend> {
  const { projectId, sessionId } = session;
  await tx.hold(`session:${projectId}:${sessionId}`);
  const row = await rowOf(tx, session);
  const tail = row?.tail_id ?? null;
  const added = await newAmong(tx, session, entries);
  if (added.length === 0) return { added, tail };
  if (expectedTail !== undefined && expectedTail !== tail) throw conflict(expectedTail, tail);
  const length = row?.length ?? 0;
  const rows = await mapInSlices(added, (entry, index) => ({
    ...keyOf(session),
    position: length + index,
    entry_id: entry.id,
    body: JSON.stringify(entry),
  }));
  await tx.insertMany("session_entries", rows, "all");
  const now = {
    tail_id: added.at(-1)?.id ?? null,
    length: length + added.length,
    // Never earlier than before, so that the order of the list holds when the clock is set back.
    updated_at: Math.max(Date.now(), (row?.updated_at ?? 0) + 1),
  };
  await upsertRow(tx, "sessions", keyOf(session), now);
  return { added, tail: now.tail_id };
}

async function newAmong(
  tx: Transaction,
  session: SessionRef,
  entries: readonly SessionEntry[],
): Promise<SessionEntry[]> {
  const ids = entries.map((entry) => entry.id);
  const present = await runAgain(tx, "entries by id", [...Object.values(keyOf(session)), JSON.stringify(ids)], () =>
    rowsOf(tx, "session_entries", keyOf(session)).select(["entry_id", "body"]).where("entry_id", "in", tx.listed(ids)),
  );
  const stored = new Map(present.map((row) => [row.entry_id, JSON.parse(row.body) as SessionEntry]));
  // Compared as they would be stored: JSON writes bytes and times in its own way.
  const written = (entry: SessionEntry): SessionEntry => JSON.parse(JSON.stringify(entry)) as SessionEntry;
  return newEntries(
    entries.map((entry) => (stored.has(entry.id) ? written(entry) : entry)),
    stored,
  );
}

async function readEntries(
  reader: Reader,
  session: SessionRef,
  { after, before, last, first }: SessionWindow,
): Promise<readonly SessionEntry[]> {
  if (!isId(session.projectId) || !isId(session.sessionId)) return [];
  const own = rowsOf(reader, "session_entries", keyOf(session));
  const positionOf = (id: string) => own.select("position").where("entry_id", "=", isId(id) ? id : "");
  let entries = own.select(["position", "body"]);
  // Behind or before an entry that is not there stands nothing: comparing with null is never true.
  if (after !== undefined) entries = entries.where("position", ">", positionOf(after));
  if (before !== undefined) entries = entries.where("position", "<", positionOf(before));
  if (last !== undefined && last <= pageLength) {
    const rows = await entries.orderBy("position", "desc").limit(last).execute();
    return mapInSlices(rows.reverse(), entryOf);
  }
  if (first !== undefined) {
    return mapInSlices(await entries.orderBy("position").limit(first).execute(), entryOf);
  }
  const edge =
    last === undefined ? undefined : await entries.orderBy("position", "desc").limit(1).offset(last).executeTakeFirst();
  // Page by page: nothing else is answered while the database reads one. A log only grows, so that they fit together.
  const read: SessionEntry[] = [];
  for (let from = edge?.position ?? -1; ;) {
    const rows = await entries.where("position", ">", from).orderBy("position").limit(pageLength).execute();
    for (const entry of await mapInSlices(rows, entryOf)) read.push(entry);
    from = rows.at(-1)?.position ?? from;
    if (rows.length < pageLength) return read;
    await letOthersRun();
  }
}

/** Entries in one query. */
const pageLength = 5000;

function entryOf({ body }: { readonly body: string }): SessionEntry {
  return JSON.parse(body) as SessionEntry;
}

async function rowOf(reader: Reader, session: SessionRef): Promise<SessionRow | undefined> {
  if (!isId(session.projectId) || !isId(session.sessionId)) return undefined;
  return findRow(reader, "sessions", keyOf(session));
}

function keyOf({ projectId, sessionId }: SessionRef) {
  return { project_id: projectId, session_id: sessionId };
}

function conflict(expected: string | null, tail: string | null): GalleyError {
  const found = tail === null ? "the session is empty" : `the last entry is ${JSON.stringify(tail)}`;
  return new GalleyError("SessionConflict", `Expected the last entry ${JSON.stringify(expected)}, but ${found}.`, {
    hint: "Read the session again, rebuild, and append to its present end.",
    retryable: true,
  });
}
