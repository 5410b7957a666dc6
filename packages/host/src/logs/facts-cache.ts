import { homedir } from "node:os";
import { join } from "node:path";
import { readText } from "../disk/data-files.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { openUserFolder } from "../disk/user-folder.js";
import type { FindOptions } from "./agent-homes.ts";
import type { LogFacts } from "./log-facts.ts";

/** What was learned of logs, by where they lie, how large they are and when they were written. */
export interface FactsCache {
  /** Nothing where it is not known, or the log has changed since. */
  find(log: Stamped): LogFacts | undefined;
  /** How large it was then; nothing where that is not known. */
  readonly sizeAt: (path: string, mtimeMs: number) => number | undefined;
  keep(log: Stamped, facts: LogFacts): void;
  /** Writes what is new. Best effort: what cannot be kept is read again. */
  save(): Promise<void>;
}

/** What tells one state of a log from another. */
interface Stamped {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** As lists, because thousands of them are read at each start. */
type Row = readonly [
  size: number,
  mtimeMs: number,
  id: string,
  isWhole: boolean,
  parent?: string | null,
  title?: string | null,
  folder?: string | null,
  tokens?: number | null,
  compactions?: number | null,
];

/** Another one is not read. */
const version = 1;
const maxBytes = 256 * 1024 * 1024;

/** In the person's own cache folder: nothing is ever written into the folders of agents [L3]. */
export function factsCache(person: { readonly env?: FindOptions["env"]; readonly home?: string } = {}): FactsCache {
  const { env = process.env, home = homedir() } = person;
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  const opened = openUserFolder("cache", "logs", { platform: process.platform, env, home, uid, gid });
  const file = "folder" in opened ? join(opened.folder, "logs.json") : undefined;
  const rows = file === undefined ? new Map<string, Row>() : readRows(file);
  let isChanged = false;
  return {
    find({ path, size, mtimeMs }) {
      const row = rows.get(path);
      return row?.[0] === size && row[1] === mtimeMs ? factsIn(row) : undefined;
    },
    sizeAt(path, mtimeMs) {
      const row = rows.get(path);
      return row?.[1] === mtimeMs ? row[0] : undefined;
    },
    keep({ path, size, mtimeMs }, facts) {
      const { id, isWhole, parent, title, folder, tokens, compactions } = facts;
      rows.set(path, [size, mtimeMs, id, isWhole, parent, title, folder, tokens, compactions]);
      isChanged = true;
    },
    async save() {
      if (!isChanged || file === undefined) return;
      isChanged = false;
      try {
        await replaceFile(file, [JSON.stringify({ version, rows: [...rows] })]);
      } catch {
        // The list is right without it, and slower.
      }
    },
  };
}

function factsIn([, , id, isWhole, parent, title, folder, tokens, compactions]: Row): LogFacts {
  return {
    id,
    parent: parent ?? undefined,
    title: title ?? undefined,
    folder: folder ?? undefined,
    tokens: tokens ?? undefined,
    compactions: compactions ?? undefined,
    isWhole,
  };
}

function readRows(file: string): Map<string, Row> {
  try {
    const found = JSON.parse(readText(file, maxBytes) ?? "{}") as { version?: number; rows?: [string, Row][] };
    return new Map(found.version === version ? found.rows : []);
  } catch {
    return new Map();
  }
}
