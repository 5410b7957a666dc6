import type { JsonObject, SessionEntry } from "@galley/engine";

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
  /** At most this many, taken from the start. */
  readonly first?: number;
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
  /** A project's sessions, the one that was written to last first. */
  list(projectId: string): Promise<readonly SessionItem[]>;
  /** The settings of a session; `null` where it has none. */
  settings(session: SessionRef): Promise<JsonObject | null>;
  /** Puts these settings in the place of those that it has; a session that does not exist yet begins with them. */
  configure(session: SessionRef, settings: JsonObject | null): Promise<void>;
  /** Removes its entries and settings for good; false when there is no such session. */
  delete(session: SessionRef): Promise<boolean>;
}

/** A session in a list. */
export interface SessionItem {
  readonly id: string;
  /** How many entries its log has. */
  readonly entries: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}
