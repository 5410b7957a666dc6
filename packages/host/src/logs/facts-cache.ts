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

const columns = [
  "path",
  "size",
  "mtimeMs",
  "id",
  "isWhole",
  "parent",
  "title",
  "folder",
  "tokens",
  "compactions",
] as const satisfies readonly (keyof (Stamped & LogFacts))[];

/** A list for each fact: thousands are read at each start, and a row of each would be an object more. */
type Known = { readonly [Name in (typeof columns)[number]]: ((Stamped & LogFacts)[Name] | null)[] };

/** Another one is not read. */
const version = 2;
const maxBytes = 256 * 1024 * 1024;

/** In the person's own cache folder: nothing is ever written into the folders of agents [L3]. */
export function factsCache(person: { readonly env?: FindOptions["env"]; readonly home?: string } = {}): FactsCache {
  const { env = process.env, home = homedir() } = person;
  const [uid, gid] = [process.geteuid?.(), process.getegid?.()];
  const opened = openUserFolder("cache", "logs", { platform: process.platform, env, home, uid, gid });
  const file = "folder" in opened ? join(opened.folder, "logs.json") : undefined;
  const known = file === undefined ? nothing() : readKnown(file);
  const places = new Map<string, number>();
  for (let at = 0; at < known.path.length; at += 1) places.set(known.path[at] ?? "", at);
  let isChanged = false;
  return {
    find({ path, size, mtimeMs }) {
      const at = places.get(path);
      if (at === undefined || known.size[at] !== size || known.mtimeMs[at] !== mtimeMs) return undefined;
      return {
        id: known.id[at] ?? "",
        parent: known.parent[at] ?? undefined,
        title: known.title[at] ?? undefined,
        folder: known.folder[at] ?? undefined,
        tokens: known.tokens[at] ?? undefined,
        compactions: known.compactions[at] ?? undefined,
        isWhole: known.isWhole[at] ?? false,
      };
    },
    sizeAt(path, mtimeMs) {
      const at = places.get(path);
      return at !== undefined && known.mtimeMs[at] === mtimeMs ? (known.size[at] ?? undefined) : undefined;
    },
    keep({ path, size, mtimeMs }, facts) {
      const at = places.get(path) ?? known.path.length;
      places.set(path, at);
      const row = { ...facts, path, size, mtimeMs };
      for (const name of columns) (known[name] as unknown[])[at] = row[name] ?? null;
      isChanged = true;
    },
    async save() {
      if (!isChanged || file === undefined) return;
      isChanged = false;
      try {
        await replaceFile(file, [JSON.stringify({ ...known, version })]);
      } catch {
        // The list is right without it, and slower.
      }
    },
  };
}

function nothing(): Known {
  return Object.fromEntries(columns.map((name) => [name, []])) as unknown as Known;
}

function readKnown(file: string): Known {
  try {
    const found = JSON.parse(readText(file, maxBytes) ?? "{}") as { version?: number } & Known;
    const { length } = found.path;
    return found.version === version && columns.every((name) => found[name].length === length) ? found : nothing();
  } catch {
    return nothing();
  }
}
