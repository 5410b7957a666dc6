import { GalleyError, type SessionEntry, newEntries } from "@galley/engine";
import { checkIds, isId } from "../database/ids.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import type { SessionAppend, SessionRef, SessionStore, SessionWindow } from "../ports/session-store.ts";
import { findRow, rowsOf, upsertRow } from "../database/rows.ts";
import { mapInSlices, nextTurn } from "../../limits/in-slices.ts";
import type { SessionRow } from "../database/tables.ts";

/** Sessions in a database. */
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
    list: (projectId) =>
      database.read(async (reader) => {
        if (!isId(projectId)) return [];
        const rows = await rowsOf(reader, "sessions", { project_id: projectId })
          .select("session_id")
          .orderBy("updated_at", "desc")
          .orderBy("session_id")
          .execute();
        return rows.map((row) => row.session_id);
      }),
  };
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
  await tx.insertEntries(
    await mapInSlices(added, (entry, index) => ({
      ...keyOf(session),
      position: length + index,
      entry_id: entry.id,
      body: JSON.stringify(entry),
    })),
  );
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
  const present = await rowsOf(tx, "session_entries", keyOf(session))
    .select(["entry_id", "body"])
    .where("entry_id", "in", tx.listed(entries.map((entry) => entry.id)))
    .execute();
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
  { after, before, last }: SessionWindow,
): Promise<readonly SessionEntry[]> {
  if (!isId(session.projectId) || !isId(session.sessionId)) return [];
  const own = rowsOf(reader, "session_entries", keyOf(session));
  const positionOf = (id: string) => own.select("position").where("entry_id", "=", isId(id) ? id : "");
  let entries = own.select(["position", "body"]);
  // Behind or before an entry that is not there stands nothing: comparing with null is never true.
  if (after !== undefined) entries = entries.where("position", ">", positionOf(after));
  if (before !== undefined) entries = entries.where("position", "<", positionOf(before));
  if (last !== undefined) {
    const rows = await entries.orderBy("position", "desc").limit(last).execute();
    return mapInSlices(rows.reverse(), entryOf);
  }
  // Page by page: nothing else is answered while the database reads one. A log only grows, so that they fit together.
  const read: SessionEntry[] = [];
  for (let from = -1; ;) {
    const rows = await entries.where("position", ">", from).orderBy("position").limit(pageLength).execute();
    for (const entry of await mapInSlices(rows, entryOf)) read.push(entry);
    from = rows.at(-1)?.position ?? from;
    if (rows.length < pageLength) return read;
    await nextTurn();
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
