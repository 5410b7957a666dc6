import { homedir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import type { LogFormat } from "@galley/engine/logs";
import { pathsBelow, statForeign } from "../disk/foreign/foreign-files.ts";
import {
  type OpencodeSession,
  databaseOf,
  databasePath,
  findSession,
  folderTime,
  opencodeDatabases,
  sessionsIn,
  sizesIn,
} from "./opencode-store.ts";
import { messageOf } from "../disk/storage-error.ts";

/** An agent whose sessions can be found on this machine. */
export type LogAgent = Exclude<LogFormat, "galley">;

/** A log as it lies in an agent's folder; nothing of it was read yet. */
export interface FoundLog {
  readonly agent: LogAgent;
  /** Its file; for a session in opencode's database, the database and the session's id behind `#`. */
  readonly path: string;
  readonly size: number;
  /** When it was last written, in milliseconds since 1970. */
  readonly mtimeMs: number;
  /** The session's own id, as far as the path tells. */
  readonly ownId: string;
  /** The session that started it, as far as the path or a database's row tells. */
  readonly parent?: string | undefined;
  /** What a database's row tells besides. */
  readonly title?: string | undefined;
  readonly folder?: string | undefined;
}

interface AgentHome {
  readonly folders: (home: string, env: NonNullable<FindOptions["env"]>) => readonly string[];
  /** Folders below that may hold logs: this many levels. */
  readonly levels: number;
  /** The id that a path gives, or nothing where it is not a log. */
  readonly idOf: (path: string) => string | undefined;
}

/** The default places, and the variables by which a person moves them. */
const homes: Readonly<Record<LogAgent, AgentHome>> = {
  "claude-code": {
    folders: (home, env) =>
      (env["CLAUDE_CONFIG_DIR"]
        ? [env["CLAUDE_CONFIG_DIR"]]
        : [join(home, ".claude"), join(home, ".config/claude")]
      ).map((folder) => join(folder, "projects")),
    levels: 3,
    idOf: (path) => (path.endsWith(".jsonl") ? path.slice(path.lastIndexOf(sep) + 1, -".jsonl".length) : undefined),
  },
  codex: {
    folders: (home, env) =>
      ["sessions", "archived_sessions"].map((name) => join(env["CODEX_HOME"] || join(home, ".codex"), name)),
    levels: 3,
    idOf: (path) =>
      /rollout-.*?([0-9a-f]{8}-[0-9a-f-]{27})\.jsonl$/.exec(path)?.[1] ?? /rollout-(.*)\.jsonl$/.exec(path)?.[1],
  },
  pi: {
    folders: (home, env) => [join(env["PI_CODING_AGENT_DIR"] || join(home, ".pi/agent"), "sessions")],
    levels: 1,
    idOf: (path) => (path.endsWith(".jsonl") ? basename(path, ".jsonl").replace(/^.*_/, "") : undefined),
  },
  opencode: {
    folders: (home, env) => [join(opencodeFolder(home, env), "storage/session")],
    levels: 1,
    idOf: (path) => /\b(ses_\w+)\.json$/.exec(path)?.[1],
  },
  "gemini-cli": {
    folders: (home) => [join(home, ".gemini/tmp")],
    levels: 2,
    idOf: (path) => /[\\/]chats[\\/](session-.*)\.jsonl?$/.exec(path)?.[1],
  },
  "copilot-cli": {
    folders: (home, env) => [join(env["COPILOT_HOME"] || join(home, ".copilot"), "session-state")],
    levels: 1,
    idOf: (path) =>
      basename(path) === "events.jsonl"
        ? basename(dirname(path))
        : path.endsWith(".jsonl")
          ? basename(path, ".jsonl")
          : undefined,
  },
};

function opencodeFolder(home: string, env: NonNullable<FindOptions["env"]>): string {
  return join(env["XDG_DATA_HOME"] || join(home, ".local/share"), "opencode");
}

export interface FindOptions {
  /** The home folder to look in; the person's own by default. */
  readonly home?: string | undefined;
  /** Its variables: an agent's folder may have been moved. None of them count for a home that was named. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Told of what is there and cannot be read. */
  readonly onProblem?: ((problem: string) => void) | undefined;
  /** The size that a log in a database had at this time; one that is not known is asked for, which takes longer. */
  readonly knownSize?: ((path: string, mtimeMs: number) => number | undefined) | undefined;
}

/** The logs of all agents on this machine, by their names and sizes: nothing of what was said is read. */
export function findLogs(options: FindOptions = {}): readonly FoundLog[] {
  const { home = homedir(), env = options.home === undefined ? process.env : {} } = options;
  const found: FoundLog[] = [];
  for (const file of opencodeDatabases(opencodeFolder(home, env), env["OPENCODE_DB"]))
    found.push(...logsInDatabase(file, options));
  // What a newer version has taken into its database stays behind in files.
  const taken = new Set(found.map(({ ownId }) => ownId));
  for (const [agent, { folders, levels, idOf }] of Object.entries(homes) as [LogAgent, AgentHome][]) {
    for (const folder of folders(home, env)) {
      for (const path of pathsBelow(folder, levels)) {
        const ownId = idOf(path);
        const log = ownId === undefined || taken.has(ownId) ? undefined : statFile(agent, path, ownId);
        if (log) found.push(log);
      }
    }
  }
  return found;
}

function logsInDatabase(file: string, { onProblem, knownSize }: FindOptions): readonly FoundLog[] {
  try {
    const sessions = sessionsIn(file);
    const sizes = sessions.map(({ id, updatedAt }) => knownSize?.(databasePath(file, id), updatedAt));
    const asked = sizesIn(
      file,
      sessions.flatMap(({ id }, at) => (sizes[at] === undefined ? [id] : [])),
    ).values();
    return sessions.map((session, at) => logInDatabase(file, session, sizes[at] ?? asked.next().value ?? 0));
  } catch (error) {
    onProblem?.(`${file} cannot be read (${messageOf(error)}).`);
    return [];
  }
}

function logInDatabase(
  file: string,
  { id, parent, title, folder, updatedAt }: OpencodeSession,
  size: number,
): FoundLog {
  const place = { agent: "opencode", path: databasePath(file, id), ownId: id } as const;
  return { ...place, size, mtimeMs: updatedAt, parent: parent && `opencode:${parent}`, title, folder };
}

/** One log by its path, as it is now; nothing where there is no plain file. */
export function statLog(agent: LogAgent, path: string, ownId: string): FoundLog | undefined {
  const database = databaseOf(path);
  if (database !== undefined) {
    const session = findSession(database, ownId);
    return session && logInDatabase(database, session, sizesIn(database, [ownId])[0] ?? 0);
  }
  return statFile(agent, path, ownId);
}

function statFile(agent: LogAgent, path: string, ownId: string): FoundLog | undefined {
  const found = statForeign(path);
  if (!found) return undefined;
  const { size } = found;
  const mtimeMs = agent === "opencode" ? folderTime(path) : found.mtimeMs;
  const [, session] = path.includes("subagents") ? (/([^\\/]+)[\\/]subagents[\\/][^\\/]+$/.exec(path) ?? []) : [];
  if (session === undefined) return { agent, path, size, mtimeMs, ownId };
  return { agent, path, size, mtimeMs, ownId, parent: `${agent}:${session}` };
}
