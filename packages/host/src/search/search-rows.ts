import type { DatabaseSync } from "node:sqlite";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { GalleyError } from "@galley/engine";
import type { ArchiveTexts } from "./rank-archive.ts";
import { noteRemains } from "./search-file.ts";
import type { SearchTerms } from "./search-terms.ts";

/** One archive as the index keeps it. */
export interface SearchRow {
  readonly contextId: string;
  readonly stamp: string;
  readonly archivedAt: string;
  readonly texts: ArchiveTexts;
}

const idsPerMinute = 2;

/** Inserts or replaces an archive; within a transaction. */
export function putRow(db: DatabaseSync, { contextId, stamp, archivedAt, texts }: SearchRow, terms: SearchTerms): void {
  const packed = pack(texts);
  const same = db
    .prepare("SELECT id FROM archives JOIN texts USING (id) WHERE context_id = ? AND archived_at = ? AND packed = ?")
    .get(contextId, archivedAt, packed);
  if (same) {
    db.prepare("UPDATE archives SET stamp = ? WHERE id = ?").run(stamp, Number(same["id"]));
    return;
  }
  removeRow(db, contextId, terms);
  const id = freeId(db, archivedAt);
  db.prepare("INSERT INTO archives VALUES (?, ?, ?, ?)").run(id, contextId, stamp, archivedAt);
  db.prepare("INSERT INTO texts VALUES (?, ?)").run(id, packed);
  const insert = db.prepare("INSERT INTO terms (rowid, title, summary, body, often) VALUES (?, ?, ?, ?, ?)");
  insert.run(id, ...columns(texts, terms));
}

/** Takes an archive out; within a transaction. */
export function removeRow(db: DatabaseSync, contextId: string, terms: SearchTerms): void {
  const id = db.prepare("DELETE FROM archives WHERE context_id = ? RETURNING id").get(contextId)?.["id"];
  if (id === undefined) return;
  const row = db.prepare("DELETE FROM texts WHERE id = ? RETURNING packed").get(Number(id));
  // A table without content forgets a document only when it is told its very terms again.
  const forget = db.prepare(
    "INSERT INTO terms (terms, rowid, title, summary, body, often) VALUES ('delete', ?, ?, ?, ?, ?)",
  );
  forget.run(Number(id), ...columns(unpack(row?.["packed"]), terms));
  noteRemains(db);
}

/** The texts of an archive, out of what the index keeps. */
export function unpack(packed: unknown): ArchiveTexts {
  try {
    return JSON.parse(inflateRawSync(packed as Uint8Array).toString("utf8")) as ArchiveTexts;
  } catch (cause) {
    throw new GalleyError("IndexDamaged", "The search index holds a text that cannot be unpacked.", { cause });
  }
}

// As JSON, because it keeps the lone halves of surrogate pairs that UTF-8 does not.
function pack(texts: ArchiveTexts): Buffer {
  return deflateRawSync(JSON.stringify(texts), { level: 1 });
}

/** Ids follow the time of archiving, because FTS5 can go through them backwards and stop. Small steps keep the lists of ids short. */
function freeId(db: DatabaseSync, archivedAt: string): number {
  const minute = Math.floor(Date.parse(archivedAt) / 60_000);
  const start = Number.isNaN(minute) ? 0 : Math.max(0, minute) * idsPerMinute;
  const isTaken = db.prepare("SELECT 1 FROM archives WHERE id = ?");
  if (!isTaken.get(start)) return start;
  const next = db.prepare(`SELECT id + 1 AS free FROM archives AS one WHERE id >= ?
    AND NOT EXISTS (SELECT 1 FROM archives WHERE id = one.id + 1) ORDER BY id LIMIT 1`);
  return Number(next.get(start)?.["free"]);
}

function columns({ title, summary, messages }: ArchiveTexts, terms: SearchTerms): [string, string, string, string] {
  const body = terms.ofText(messages.join("\n"));
  return [terms.ofText(title).all, terms.ofText(summary).all, body.all, body.often];
}
