import type { SessionEntry } from "@galley/engine";

/** Which session of which project. */
export interface SessionRef {
  readonly projectId: string;
  readonly sessionId: string;
}

/** What an append has added. */
export interface SessionAppend {
  /** Those that were not there yet. */
  readonly added: readonly SessionEntry[];
  /** The id of the last entry now; `null` when the session is empty. */
  readonly tail: string | null;
}

/** Which part of a session is read. */
export interface SessionWindow {
  /** Only what follows this entry. */
  readonly after?: string;
  /** Only what stands before this entry. */
  readonly before?: string;
  /** At most this many, taken from the end; the order stays the log's. */
  readonly last?: number;
}

/** Sessions: append-only logs of entries [M2, M3]. */
export interface SessionStore {
  /**
   * Adds all entries or none. An entry that is there already is skipped; one whose id another entry has is a
   * `DuplicateId`. With `expectedTail` (`null`: an empty session), a session that has moved on is a `SessionConflict`,
   * unless everything is there already.
   */
  append(session: SessionRef, entries: readonly SessionEntry[], expectedTail?: string | null): Promise<SessionAppend>;
  /** The entries in the order of the log; none when the session does not exist. */
  read(session: SessionRef, window?: SessionWindow): Promise<readonly SessionEntry[]>;
  tail(session: SessionRef): Promise<string | null>;
  /** The ids of a project's sessions, the one that was written to last first. */
  list(projectId: string): Promise<readonly string[]>;
}
