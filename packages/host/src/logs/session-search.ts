import { type ModelMessage, type SessionEntry, isMessageEntry } from "@galley/engine";
import { isPlainSession } from "../api/place-id.ts";
import { exists } from "../disk/data-files.ts";
import { oneAtATime } from "../limits/one-at-a-time.ts";
import { letOthersRun, runInSlices } from "../limits/in-slices.ts";
import { type ArchiveMatch, type ArchiveSearch, openArchiveSearch } from "../search/archive-search.ts";
import { isIndexDamage, searchError } from "../search/search-file.ts";
import { type Chunk, chunkIdOf, chunksIn } from "./session-chunks.ts";
import type { StoredLog } from "./list-logs.ts";
import { factsOfSession, noteIn } from "./log-facts.ts";

/** A session in which something was found, with the best place in it. */
export interface SessionMatch {
  readonly id: string;
  readonly title?: string | undefined;
  readonly folder?: string | undefined;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** From 0.01 to 1; 1 is the whole query in the title, below 0.55 some of it is missing. */
  readonly score: number;
  /** The place that was found, as it was written. */
  readonly snippet: string;
  /** The entry that it stands in. */
  readonly entryId: string;
}

/** Which part of a session's log is read. */
interface EntryWindow {
  readonly after?: string;
  readonly first?: number;
  readonly last?: number;
}

/** The sessions of a store, as far as a search needs them. */
export interface SearchedSessions {
  list(): Promise<readonly StoredLog[]>;
  read(id: string, window: EntryWindow): Promise<readonly SessionEntry[]>;
}

/** Finds sessions by what was said in them [L4]. The index is made with the first search and then takes in what is new. */
export interface SessionSearch {
  /** The best sessions first. */
  find(query: string, limit: number): Promise<readonly SessionMatch[]>;
  /** Takes what was redacted out of an index that is there. */
  refresh(id: string): Promise<void>;
  /** Nothing of the session stays in the index. */
  forget(id: string): Promise<void>;
  close(): void;
}

const chunkLength = 50;
/** Of an entry, what is searched: the start of a tool's longest output says what it is. */
const maxCharacters = 100_000;
const maxRounds = 5;

/** @param project tells the sessions of one project from those of another in the same folder */
export function sessionSearch(file: string, project: string, sessions: SearchedSessions): SessionSearch {
  let search: ArchiveSearch | undefined;
  const next = oneAtATime();
  // One after the other: two that take in the same entries would do it twice.
  const alone = <Result>(work: (index: ArchiveSearch) => Promise<Result>): Promise<Result> =>
    next(async () => work((search ??= openArchiveSearch(file)))).catch((cause: unknown) => {
      throw searchError(cause, file);
    });
  const update = async (index: ArchiveSearch, only?: string): Promise<ReadonlyMap<string, readonly Chunk[]>> => {
    const known = chunksIn(index.stamps(), project);
    const listed = (await sessions.list()).filter(({ id, entries }) => entries > 0 && isPlainSession(id));
    const gone = new Set(known.keys());
    for (const session of listed) {
      gone.delete(session.id);
      if (only !== undefined && session.id !== only) continue;
      await bringUp({ index, project, sessions, log: session }, known.get(session.id) ?? []);
    }
    for (const id of gone) remove(index, project, id, known.get(id) ?? []);
    await letOthersRun();
    // An index that had been damaged is whole again with this.
    index.reconcile(
      Array.from(index.stamps(), ([contextId, stamp]) => ({ contextId, stamp })),
      () => undefined,
    );
    return chunksIn(index.stamps(), project);
  };
  const placesFor = async (index: ArchiveSearch, query: string, limit: number): Promise<readonly Place[]> => {
    const chunks = await update(index);
    return bestPlaces(index, query, { limit, project, chunks });
  };
  return {
    find: (query, limit) =>
      alone(async (index) => {
        const found = await placesFor(index, query, limit).catch((error: unknown) => {
          if (!isIndexDamage(error)) throw error;
          return placesFor(index, query, limit);
        });
        const stored = new Map((await sessions.list()).map((session) => [session.id, session]));
        const matches = await Promise.all(
          found.map(async ({ id, chunk, match }) => {
            const session = stored.get(id);
            return session && matchOf(sessions, session, chunk, match);
          }),
        );
        return matches.filter((match) => match !== undefined);
      }),
    refresh: async (id) => void (exists(file) && (await alone((index) => update(index, id)))),
    async forget(id) {
      if (!exists(file)) return;
      await alone(async (index) => remove(index, project, id, chunksIn(index.stamps(), project).get(id) ?? []));
    },
    close() {
      search?.close();
      search = undefined;
    },
  };
}

function remove(index: ArchiveSearch, project: string, id: string, chunks: readonly Chunk[]): void {
  for (const { n } of chunks) index.remove(chunkIdOf(project, id, n));
}

interface Place {
  readonly id: string;
  readonly chunk: Chunk;
  readonly match: ArchiveMatch;
}

/** The best place of each session; a long session with many must not push others out. */
async function bestPlaces(
  index: ArchiveSearch,
  query: string,
  { limit, project, chunks }: { limit: number; project: string; chunks: ReadonlyMap<string, readonly Chunk[]> },
): Promise<readonly Place[]> {
  const places = new Map<string, Place>();
  const byChunk = new Map(
    [...chunks].flatMap(([id, all]) => all.map((chunk) => [chunkIdOf(project, id, chunk.n), { id, chunk }] as const)),
  );
  for (let round = 0; round < maxRounds && places.size < limit; round += 1) {
    const exclude = [...places.keys()].flatMap((id) =>
      (chunks.get(id) ?? []).map(({ n }) => chunkIdOf(project, id, n)),
    );
    const matches = await runInSlices(index.searchSteps(query, { limit: limit * 2, exclude }));
    await letOthersRun();
    for (const match of matches) {
      const place = byChunk.get(match.contextId);
      if (place && !places.has(place.id)) places.set(place.id, { ...place, match });
    }
    if (matches.length < limit * 2) break;
  }
  return [...places.values()].toSorted((a, b) => b.match.score - a.match.score).slice(0, limit);
}

async function matchOf(
  sessions: SearchedSessions,
  { id, updatedAt }: StoredLog,
  { from }: Chunk,
  { score, snippet, message = 0 }: ArchiveMatch,
): Promise<SessionMatch | undefined> {
  const entry = (await sessions.read(id, { ...(from === null ? {} : { after: from }), first: message + 1 })).at(-1);
  if (!entry) return undefined;
  // What a session is called stands at its start, or in the note of its import, which is the last that an import writes.
  const ends = [...(await sessions.read(id, { first: 20 })), ...(await sessions.read(id, { last: 5 }))];
  const { title, folder } = factsOfSession(id, ends);
  return { id, title, folder, updatedAt, score, snippet, entryId: entry.id };
}

/** Takes in what is new of a session; all of it where the log is not the one that was taken in before. */
async function bringUp(session: IndexedSession, known: readonly Chunk[]): Promise<void> {
  const { index, project, log } = session;
  const end = known.at(-1);
  const total = known.reduce((sum, { count }) => sum + count, 0);
  if (end && total === log.entries && end.at === log.updatedAt) return;
  const isSame = end !== undefined && (await goesOn(session, end, total));
  if (end && !isSame) remove(index, project, log.id, known);
  const start = !end || !isSame ? { n: 0, after: null } : { n: end.n, after: end.from };
  let redacted = await takeIn(session, start, new Set());
  if (redacted.size === 0) return;
  // What was redacted may stand in what was taken in before.
  redacted = await takeIn(session, { n: 0, after: null }, redacted);
  await takeIn(session, { n: 0, after: null }, redacted);
}

/** One session on its way into the index. */
interface IndexedSession {
  readonly index: ArchiveSearch;
  readonly project: string;
  readonly sessions: SearchedSessions;
  readonly log: StoredLog;
}

/** Whether the log is the one that was taken in, and has only grown since. */
async function goesOn({ sessions, log: { id, entries } }: IndexedSession, end: Chunk, total: number): Promise<boolean> {
  const more = entries - total;
  if (more < 0) return false;
  if (more > 0) return (await sessions.read(id, { after: end.last, first: 1 })).length === 1;
  return (await sessions.read(id, { last: 1 }))[0]?.id === end.last;
}

/** Takes in a log from a place on; gives the ids that entries on the way have redacted. */
async function takeIn(
  { index, project, sessions, log: { id, updatedAt } }: IndexedSession,
  start: { readonly n: number; readonly after: string | null },
  redacted: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const seen = new Set(redacted);
  let { n, after } = start;
  for (;;) {
    const entries = await sessions.read(id, { ...(after === null ? {} : { after }), first: chunkLength });
    const tail = entries.at(-1);
    if (!tail) return seen;
    for (const entry of entries) if (entry.type === "redact") seen.add(entry.entryId);
    const messages = entries.map((entry) => ({ role: entry.type, content: textOf(entry, redacted) }));
    const contextId = chunkIdOf(project, id, n);
    const chunk: Chunk = { n, from: after, count: entries.length, last: tail.id, at: updatedAt };
    const document = { contextId, title: titleIn(entries), archivedAt: timeOf(tail, updatedAt), messages };
    index.put(document, JSON.stringify(chunk));
    if (entries.length < chunkLength) return seen;
    [n, after] = [n + 1, tail.id];
    await letOthersRun();
  }
}

/** When it was said; ids of the index follow the time. */
function timeOf({ ts }: SessionEntry, otherwise: number): string {
  const time = new Date(ts);
  return (Number.isNaN(time.getTime()) ? new Date(otherwise) : time).toISOString();
}

/** The note of an import has the title and the folder. */
function titleIn(entries: readonly SessionEntry[]): string {
  const { title = "", folder = "" } = noteIn(entries);
  return `${title} ${folder}`.trim();
}

/** What is searched of an entry: what was said, calls with their input, results, and summaries. */
function textOf(entry: SessionEntry, redacted: ReadonlySet<string>): string {
  if (redacted.has(entry.id)) return "";
  if (isMessageEntry(entry)) return messageText(entry.message).slice(0, maxCharacters);
  // A summary may hold what was redacted after it was made.
  if (entry.type === "compaction" && redacted.size === 0) return (entry.summary ?? "").slice(0, maxCharacters);
  return "";
}

function messageText({ content }: ModelMessage): string {
  if (typeof content === "string") return content;
  const texts = content.map((part): string => {
    if (part.type === "text") return part.text;
    if (part.type === "tool-call") return `${part.toolName} ${valueText(part.input)}`;
    return part.type === "tool-result" && "value" in part.output ? valueText(part.output.value) : "";
  });
  return texts.filter((text) => text !== "").join("\n");
}

/** The texts of a value, without the names of its fields; pictures and files have none. */
function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "object" || value === null) return "";
  const { type, data: _data, ...rest } = value as Record<string, unknown>;
  return Object.values(Array.isArray(value) ? value : { type: type === "text" ? "" : type, ...rest })
    .map(valueText)
    .filter((text) => text !== "")
    .join("\n");
}
