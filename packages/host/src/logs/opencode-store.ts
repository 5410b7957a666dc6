import { basename, dirname, join } from "node:path";
import { type ForeignDatabase, type ForeignRow, openForeignDatabase } from "../disk/foreign/foreign-database.ts";
import { pathsBelow, readForeign, statForeign } from "../disk/foreign/foreign-files.ts";

// opencode keeps its sessions in a database, `opencode.db`; its versions before 1.2 kept them in many files below `storage/`.
// Both are read as what `opencode export` writes, one record for the session and one for each message.

/** A session in the database, as far as its row tells. */
export interface OpencodeSession {
  readonly id: string;
  readonly parent: string | undefined;
  readonly title: string | undefined;
  readonly folder: string | undefined;
  /** When it was last written, in milliseconds since 1970. */
  readonly updatedAt: number;
}

/** The databases below opencode's folder: each release channel has its own. */
export function opencodeDatabases(folder: string, named: string | undefined): readonly string[] {
  const own = pathsBelow(folder, 0).filter((path) => /^opencode[\w.-]*\.db$/.test(basename(path)));
  const other = named === undefined || named === "" || named === ":memory:" ? [] : [join(folder, named)];
  return [...new Set([...own, ...(named?.startsWith("/") ? [named] : other)])].filter((path) => statForeign(path));
}

/** Where a session of a database lies: the file and the session's own id. */
export function databasePath(file: string, id: string): string {
  return `${file}#${id}`;
}

/** The file of a session that lies in a database; nothing for one that is kept in files. */
export function databaseOf(path: string): string | undefined {
  return /^(.*)#ses_\w*$/.exec(path)?.[1];
}

// Parts of a reply are written one by one; its own row changes when it ends.
const changes = `max(s.time_updated, coalesce((
    SELECT max(m.time_updated, coalesce((SELECT max(p.time_updated) FROM part p WHERE p.message_id = m.id), 0))
    FROM message m WHERE m.session_id = s.id ORDER BY m.time_created DESC, m.id DESC LIMIT 1), 0))`;
const columns = `s.id, s.parent_id, s.title, s.directory, ${changes} AS updated`;

/** The sessions of a database, by their rows: what was said in them is not read. An id that opencode would not give is none. */
export function sessionsIn(file: string): readonly OpencodeSession[] {
  return reading(file, (db) => db.all(`SELECT ${columns} FROM session s`).map(sessionOf)).filter(({ id }) =>
    /^ses_\w+$/.test(id),
  );
}

/** One of them as it is now; nothing where it is gone, or the database cannot be read at the moment. */
export function findSession(file: string, id: string): OpencodeSession | undefined {
  try {
    return reading(file, (db) => db.all(`SELECT ${columns} FROM session s WHERE s.id = ?`, id).map(sessionOf)[0]);
  } catch {
    return undefined;
  }
}

/** The bytes of what was said in sessions, without reading them. */
export function sizesIn(file: string, ids: readonly string[]): readonly number[] {
  if (ids.length === 0) return [];
  const sum = (table: string): string =>
    `(SELECT coalesce(sum(octet_length(data)), 0) FROM ${table} WHERE session_id = ?1)`;
  return reading(file, (db) =>
    ids.map((id) => Number(db.all(`SELECT ${sum("message")} + ${sum("part")} AS size`, id)[0]?.["size"])),
  );
}

export interface ReadOptions {
  /** Leaves out a last reply that is still written: it is read when it is whole. */
  readonly isLive?: boolean | undefined;
}

export function* linesOfSession(file: string, id: string, options: ReadOptions = {}): Generator<string> {
  const db = opened(file);
  try {
    const [row] = db.all("SELECT * FROM session WHERE id = ?", id);
    if (!row) return;
    const { parent, title, folder } = sessionOf({ ...row, updated: 0 });
    const info = { id, parentID: parent, title, directory: folder, version: row["version"] };
    yield `${JSON.stringify({ info, messages: [] })}\n`;
    const messages = db.all("SELECT id FROM message WHERE session_id = ? ORDER BY time_created, id", id);
    for (const [at, { id: message }] of messages.entries()) {
      const [own] = db.all("SELECT id, data FROM message WHERE id = ?", String(message));
      if (!own || (options.isLive && at === messages.length - 1 && isUnfinished(String(own["data"])))) continue;
      const parts = db.all("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", String(message));
      yield messageLine(withId(own), parts.map(withId));
    }
  } finally {
    db.close();
  }
}

/** The records of a session that is kept in files, a line for each. */
export function* linesOfFolder(path: string, options: ReadOptions = {}): Generator<string> {
  const storage = dirname(dirname(dirname(path)));
  const info = readForeign(path);
  if (info === undefined) return;
  yield `{"info":${oneLine(info)},"messages":[]}\n`;
  const messages = documentsIn(join(storage, "message", basename(path, ".json")));
  for (const [at, message] of messages.entries()) {
    const own = readForeign(message);
    if (own === undefined || (options.isLive && at === messages.length - 1 && isUnfinished(own))) continue;
    const parts = documentsIn(join(storage, "part", basename(message, ".json"))).flatMap(
      (one) => readForeign(one) ?? [],
    );
    yield messageLine(oneLine(own), parts.map(oneLine));
  }
}

/** When a session that is kept in files was last written, in milliseconds since 1970. */
export function folderTime(path: string): number {
  const storage = dirname(dirname(dirname(path)));
  const [last] = documentsIn(join(storage, "message", basename(path, ".json"))).slice(-1);
  const parts = last === undefined ? [] : documentsIn(join(storage, "part", basename(last, ".json")));
  return Math.max(
    ...[path, ...(last === undefined ? [] : [last]), ...parts].map((one) => statForeign(one)?.mtimeMs ?? 0),
  );
}

/** Ids rise with time, so that the names are in the order in which things were said. */
function documentsIn(folder: string): readonly string[] {
  return pathsBelow(folder, 0)
    .filter((path) => path.endsWith(".json"))
    .toSorted();
}

function isUnfinished(data: string): boolean {
  try {
    const { role, time } = JSON.parse(data) as {
      readonly role?: string;
      readonly time?: { readonly completed?: number };
    };
    return role === "assistant" && time?.completed === undefined;
  } catch {
    return true;
  }
}

function messageLine(info: string, parts: readonly string[]): string {
  return `{"info":${info},"parts":[${parts.join(",")}]}\n`;
}

/** Its data, with the id that has a column of its own. */
function withId({ id, data }: ForeignRow): string {
  const text = oneLine(String(data)).trim();
  const rest = text.startsWith("{") ? text.slice(1) : `"damaged":${JSON.stringify(text)}}`;
  return `{"id":${JSON.stringify(id)}${rest === "}" ? "" : ","}${rest}`;
}

/** A line break inside of JSON stands between values only. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ");
}

function sessionOf(row: ForeignRow): OpencodeSession {
  const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
  return {
    id: String(row["id"]),
    parent: text(row["parent_id"]),
    title: text(row["title"]),
    folder: text(row["directory"]),
    updatedAt: timeIn(row["updated"]),
  };
}

/** A number that is not a time counts as missing. */
function timeIn(value: unknown): number {
  const time = new Date(Number(value)).getTime();
  return Number.isNaN(time) ? 0 : time;
}

function opened(file: string): ForeignDatabase {
  return openForeignDatabase(file, ["session", "message", "part"]);
}

function reading<Result>(file: string, work: (db: ForeignDatabase) => Result): Result {
  const db = opened(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}
