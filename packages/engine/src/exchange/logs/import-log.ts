import { fieldsCheck, functionCheck, wrongInput } from "../../model/check/input.ts";
import type { SessionEntry } from "../../model/entries.ts";
import { hashId } from "../../model/entry-ids.ts";
import type { JsonObject } from "../../model/messages.ts";
import { importFailed } from "../files/import-report.ts";
import { readableLogs } from "../files/unread-files.ts";
import type { LogEntry, LogSession, LogStep, LogSummary } from "./log-types.ts";
import { type ReadLogOptions, readLog } from "./read-log.ts";

export interface ImportLogOptions extends ReadLogOptions {
  /** Called with the characters that were read so far. */
  readonly onProgress?: ((characters: number) => void) | undefined;
  /** Throws to stop between two pieces; what was appended by then stays, and the next import adds the rest. */
  readonly checkStop?: (() => void) | undefined;
}

/** What an import made of a log. */
export interface LogImport extends Omit<LogSummary, "entries" | "sessions"> {
  readonly sessions: readonly ImportedSession[];
}

export interface ImportedSession extends LogSession {
  /** How many of its entries are new. */
  readonly added: number;
}

/** Appends entries to a session, all or none, and gives how many were new; as `SessionStore.append` does it. */
export type AppendToSession = (session: string, entries: readonly SessionEntry[]) => Promise<number>;

/** Entries are appended in pieces of this many, or of this many characters. */
const maxBatch = 200;
const maxBatchCharacters = 500_000;

const optionsCheck = fieldsCheck({ onProgress: functionCheck, checkStop: functionCheck });

/** A log that comes in bit by bit, for as long as its agent works. */
export interface LogImporter {
  /** Takes the next piece of text. */
  push(text: string): Promise<void>;
  /** Appends what was understood so far. A reply whose end is not known yet waits. */
  flush(): Promise<void>;
  /** The end of the log: what waits is appended as it is. */
  end(): Promise<LogImport>;
}

/**
 * Reads a log as it comes and appends what it says to sessions [L1]. Importing a log again adds what is new: an entry
 * that has changed since, as the last reply of a log that still grows, becomes a branch [M6].
 */
export async function importLog(
  text: AsyncIterable<string> | Iterable<string>,
  append: AppendToSession,
  options: ImportLogOptions,
): Promise<LogImport> {
  if (!isIterable(text)) throw wrongInput("text", "pieces of text that can be iterated", text);
  const importer = logImporter(append, options);
  for await (const piece of text) await importer.push(piece);
  const made = await importer.end();
  if (made.sessions.length > 0) return made;
  throw importFailed(`There is no record in it that a log of ${made.format} could have.`, readableLogs);
}

/** The same for text that is not there yet: a log that is followed while it grows. */
export function logImporter(append: AppendToSession, options: ImportLogOptions): LogImporter {
  functionCheck(append, "append");
  optionsCheck(options, "options");
  const { onProgress, checkStop, ...reading } = options;
  const log = readLog(reading);
  const sessions = new SessionAppender(append);
  let characters = 0;
  const take = async ({ entries }: LogStep): Promise<void> => {
    for (const entry of entries) await sessions.add(entry);
  };
  return {
    async push(text) {
      checkStop?.();
      await take(log.push(text));
      characters += text.length;
      onProgress?.(characters);
    },
    flush: () => sessions.flush(),
    async end() {
      const { entries, sessions: found, ...summary } = log.end();
      await take({ entries });
      await sessions.flush();
      for (const session of found) await sessions.note(session);
      return { ...summary, sessions: found.map((session) => ({ ...session, added: sessions.added(session.id) })) };
    },
  };
}

function isIterable(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { [Symbol.asyncIterator]: own, [Symbol.iterator]: plain } = value as Partial<
    AsyncIterable<unknown> & Iterable<unknown>
  >;
  return typeof (own ?? plain) === "function";
}

/** Appends entries in batches, in the order of each session's log. */
class SessionAppender {
  readonly #append: AppendToSession;
  #batches = new Map<string, LogEntry[]>();
  readonly #added = new Map<string, number>();
  // Entries that had to take another id, because the store has one of another content under theirs.
  readonly #renamed = new Map<string, string>();
  #characters = 0;
  #count = 0;

  constructor(append: AppendToSession) {
    this.#append = append;
  }

  async add(entry: LogEntry): Promise<void> {
    const batch = this.#batches.get(entry.session) ?? [];
    this.#batches.set(entry.session, batch);
    batch.push(entry);
    this.#count += 1;
    this.#characters += entry.size;
    if (this.#count >= maxBatch || this.#characters >= maxBatchCharacters) await this.flush();
  }

  async flush(): Promise<void> {
    // A new map, not one that is cleared: V8 links those, and an old one would keep all later batches on the heap for long.
    const batches = this.#batches;
    this.#batches = new Map();
    [this.#count, this.#characters] = [0, 0];
    for (const [session, batch] of batches) await this.#write(session, batch);
  }

  /** Says in the session what it came from, once for each thing that became known. */
  async note({ id: session, format, parent, title, folder }: LogSession): Promise<void> {
    const record: JsonObject = { format, parent, title, folder };
    const entry: SessionEntry = { id: hashId("log", record), ts: 0, type: "custom", kind: "log", record };
    await this.#append(session, [entry]);
  }

  added(session: string): number {
    return this.#added.get(session) ?? 0;
  }

  async #write(session: string, batch: readonly LogEntry[]): Promise<void> {
    let entries = batch.map((each) => this.#resolved(session, each));
    for (;;) {
      try {
        const added = await this.#append(session, entries);
        this.#added.set(session, this.added(session) + added);
        return;
      } catch (error) {
        const at = takenAt(error);
        const each = at === undefined ? undefined : batch[at];
        if (at === undefined || !each) throw error;
        this.#renamed.set(`${session}\n${each.entry.id}`, `${each.entry.id}~${hashId("v", each.entry).slice(2, 10)}`);
        entries = batch.map((other) => this.#resolved(session, other));
      }
    }
  }

  /** The entry under the id that it has in the store, with what it follows where that is not the end of the log. */
  #resolved(session: string, { entry, after }: LogEntry): SessionEntry {
    const idOf = (id: string): string => this.#renamed.get(`${session}\n${id}`) ?? id;
    const id = idOf(entry.id);
    const follows = entry.parentId === undefined ? (id === entry.id ? undefined : after) : entry.parentId;
    const parentId = typeof follows === "string" ? idOf(follows) : follows;
    return { ...entry, id, ...(parentId === undefined ? {} : { parentId }) };
  }
}

/** Which entry of a batch has an id that another one in the store has. */
function takenAt(error: unknown): number | undefined {
  const { code, path } = (error ?? {}) as { readonly code?: unknown; readonly path?: unknown };
  if (code !== "DuplicateId" || typeof path !== "string") return undefined;
  const found = /entries\[(\d+)\]\.id$/.exec(path)?.[1];
  return found === undefined ? undefined : Number(found);
}
