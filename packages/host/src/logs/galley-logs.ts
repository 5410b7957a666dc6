import { homedir } from "node:os";
import type { SessionEntry } from "@galley/engine";
import type { AppendToSession } from "@galley/engine/logs";
import { type FactsCache, factsCache } from "./facts-cache.ts";
import { type FollowOptions, type FollowStep, followLog } from "./follow-log.ts";
import { type ListLogsOptions, type LogList, type StoredLog, filesOfLog, listLogs } from "./list-logs.ts";
import { factsOfSession } from "./log-facts.ts";
import { type OpenedLog, importFound } from "./open-log.ts";

export interface GalleyLogs {
  /** Those on this machine and those of the store, newest first, each once. */
  list(options?: Pick<ListLogsOptions, "readAll">): Promise<LogList>;
  /** Imports a session, with its sub-agents. */
  open(id: string): Promise<OpenedLog>;
  /** Keeps a session current until the signal comes. */
  follow(id: string, options: FollowOptions): AsyncIterable<FollowStep>;
}

export interface GalleyLogsOptions {
  readonly sessions: {
    list(): Promise<readonly StoredLog[]>;
    entries(id: string): Promise<readonly SessionEntry[]>;
    append(id: string, entries: readonly SessionEntry[]): Promise<{ readonly added: number }>;
  };
  /** Tells the sessions of one store from those of another. */
  readonly storeName: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The logs that the person of this environment has. */
export function galleyLogs({ sessions, storeName, environment: env }: GalleyLogsOptions): GalleyLogs {
  const home = { home: env["HOME"] || homedir(), env };
  const cache = (): FactsCache => factsCache(home);
  const append: AppendToSession = async (id, entries) => (await sessions.append(id, entries)).added;
  return {
    async list(options = {}) {
      const stored = await sessions.list();
      const factsOfStored = async (id: string) => factsOfSession(id, await sessions.entries(id));
      return listLogs({ stored, factsOfStored, storeName, cache: cache() }, { ...home, ...options });
    },
    open: async (id) => importFound(id, await filesOfLog(id, home, cache()), append),
    follow: (id, options) => followLog(() => filesOfLog(id, home, cache()), append, options),
  };
}
