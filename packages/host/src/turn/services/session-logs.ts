import type { SessionEntry } from "@galley/engine";
import type { SessionStore } from "../../store/ports/session-store.ts";

/** The logs of plain sessions. What was read stays in memory, so that a turn reads only what is new [F14]. */
export interface SessionLogs {
  read(sessionId: string): Promise<readonly SessionEntry[]>;
  append(sessionId: string, entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]>;
}

export interface SessionLogsOptions {
  readonly maxLogs?: number;
  /** Of all logs together; the log that was used last stays, however long it is. */
  readonly maxEntries?: number;
}

export function sessionLogs(store: SessionStore, projectId: string, options: SessionLogsOptions = {}): SessionLogs {
  const { maxLogs = 64, maxEntries = 200_000 } = options;
  // Those that were used last stand at the end.
  const logs = new Map<string, readonly SessionEntry[]>();
  const forgetOldest = (): void => {
    let entries = 0;
    for (const log of logs.values()) entries += log.length;
    for (const [oldest, log] of logs) {
      if (logs.size <= 1 || (logs.size <= maxLogs && entries <= maxEntries)) return;
      logs.delete(oldest);
      entries -= log.length;
    }
  };
  const read = async (sessionId: string): Promise<readonly SessionEntry[]> => {
    const before = logs.get(sessionId) ?? [];
    const after = before.at(-1)?.id;
    const fresh = await store.read({ projectId, sessionId }, after === undefined ? {} : { after });
    const log = fresh.length === 0 ? before : [...before, ...fresh];
    logs.delete(sessionId);
    logs.set(sessionId, log);
    forgetOldest();
    return log;
  };
  return {
    read,
    async append(sessionId, entries) {
      if (entries.length > 0) await store.append({ projectId, sessionId }, entries);
      return read(sessionId);
    },
  };
}
