import type { SessionEntry } from "@galley/engine";
import type { SessionStore } from "../../store/session-store.ts";

/** The logs of plain sessions. What was read stays in memory, so that a turn reads only what is new [F14]. */
export interface SessionLogs {
  read(sessionId: string): Promise<readonly SessionEntry[]>;
  append(sessionId: string, entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]>;
}

const mostLogs = 64;

export function sessionLogs(store: SessionStore, projectId: string): SessionLogs {
  const logs = new Map<string, readonly SessionEntry[]>();
  const read = async (sessionId: string): Promise<readonly SessionEntry[]> => {
    const before = logs.get(sessionId) ?? [];
    const after = before.at(-1)?.id;
    const fresh = await store.read({ projectId, sessionId }, after === undefined ? {} : { after });
    const log = fresh.length === 0 ? before : [...before, ...fresh];
    logs.delete(sessionId);
    logs.set(sessionId, log);
    for (const oldest of logs.keys()) {
      if (logs.size <= mostLogs) break;
      logs.delete(oldest);
    }
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
