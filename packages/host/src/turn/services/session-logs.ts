import { isDeepStrictEqual } from "node:util";
import { type SessionEntry, growList, view } from "@galley/engine";
import { boundedMap } from "../../limits/bounded-map.ts";
import { keptEntries } from "../../chat/lines/session-entries.ts";
import { letOthersRun } from "../../limits/in-slices.ts";
import type { SessionStore } from "../../store/ports/session-store.ts";

/** The logs of plain sessions. What a turn needs of them stays in memory, so that the next one reads only what is new [F14]. */
export interface SessionLogs {
  /** The whole log. */
  read(sessionId: string): Promise<readonly SessionEntry[]>;
  /** The part of it that a build reads: from the first entry that the compaction in force keeps. */
  recent(sessionId: string): Promise<readonly SessionEntry[]>;
  /** Gives the recent part with what was appended. With `expectedTail`, a log that has moved on is a `SessionConflict` [M3]. */
  append(
    sessionId: string,
    entries: readonly SessionEntry[],
    expectedTail?: string | null,
  ): Promise<readonly SessionEntry[]>;
  /** For a session that was deleted. */
  readonly forget: (sessionId: string) => void;
}

export interface SessionLogsOptions {
  /** Of all logs together; the log that was used last stays, however long it is. */
  readonly maxEntries?: number;
}

type Log = readonly SessionEntry[];

export function sessionLogs(store: SessionStore, projectId: string, options: SessionLogsOptions = {}): SessionLogs {
  const { maxEntries = 200_000 } = options;
  const logs = boundedMap<string, Log>(maxEntries, ({ length }) => length + 1);
  const keep = (sessionId: string, log: Log): Log => {
    logs.set(sessionId, log);
    return log;
  };
  const recent: SessionLogs["recent"] = async (sessionId) => {
    const session = { projectId, sessionId };
    const known = logs.get(sessionId);
    const last = known?.at(-1)?.id;
    if (known && (await store.tail(session)) === (last ?? null)) return keep(sessionId, known);
    const fresh = last === undefined ? [] : await store.read(session, { after: last });
    // Behind an entry that is not there stands nothing: the session was deleted, and begun again.
    const grown = known && fresh.length > 0 ? grow(known, fresh) : undefined;
    return keep(sessionId, grown ?? (await load((count) => store.read(session, { last: count }))));
  };
  return {
    read: (sessionId) => store.read({ projectId, sessionId }),
    recent,
    async append(sessionId, entries, expectedTail) {
      if (entries.length === 0) return recent(sessionId);
      const { added } = await store.append({ projectId, sessionId }, entries, expectedTail);
      const known = logs.get(sessionId);
      // What was appended to the very end that is known is known as well, and need not be read back.
      const isNext = added.length === entries.length && expectedTail !== undefined;
      const grown =
        known && isNext && expectedTail === (known.at(-1)?.id ?? null) ? grow(known, added.map(asStored)) : undefined;
      return grown ? keep(sessionId, grown) : recent(sessionId);
    },
    forget: (sessionId) => logs.delete(sessionId),
  };
}

const firstCount = 1000;

/** Reads from the end, as far as a build may look back. */
async function load(readLast: (count: number) => Promise<Log>): Promise<Log> {
  for (let count = firstCount; ; count *= 4) {
    const entries = await readLast(count);
    const part = inForce(entries) ?? (entries.length < count ? entries : undefined);
    if (part) return part;
    await letOthersRun();
  }
}

/** The log with what came behind it; nothing where that may go back further than the log does. */
function grow(log: Log, fresh: Log): Log | undefined {
  if (fresh.some(({ parentId }) => parentId !== undefined)) return undefined;
  const grown = growList(log, fresh);
  return fresh.some(({ type }) => type === "compaction") ? inForce(grown) : grown;
}

/** The part of a log that its compaction in force keeps, where the log runs to its end without a branch. */
function inForce(entries: Log): Log | undefined {
  if (!entries.some(({ type }) => type === "compaction")) return undefined;
  const { compaction, start, problems } = view(entries);
  // One that does not say how much lies behind it has it counted.
  if (!compaction?.dropped || start === undefined || problems.length > 0) return undefined;
  return keptEntries(entries, start);
}

/** The entry as it will be read: JSON writes bytes and times in its own way. */
function asStored(entry: SessionEntry): SessionEntry {
  const stored = JSON.parse(JSON.stringify(entry)) as SessionEntry;
  return isDeepStrictEqual(stored, entry) ? entry : stored;
}
