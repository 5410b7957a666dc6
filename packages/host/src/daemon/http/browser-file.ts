import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import * as z from "zod";
import { replaceFile } from "../../disk/replace-file.ts";
import { openUserFolder } from "../../disk/user-folder.js";

/** How long a browser stays signed in, in ms. */
export const sessionMs = 30 * 24 * 60 * 60 * 1000;

const savedSession = z.object({
  id: z.string(),
  /** SHA-256 of the cookie, which is random: it can be neither guessed nor found from its digest. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  name: z.string(),
  system: z.string().optional(),
  signedInAt: z.number(),
  seenAt: z.number(),
  endsAt: z.number(),
});

const savedBrowsers = z.object({
  version: z.literal(1),
  /** When the data folder was made, in ns: another folder may get the inode of one that was deleted. */
  born: z.string(),
  /** Where the browsers expect the daemon. */
  port: z.number().optional(),
  sessions: z.array(savedSession),
});

export type SavedSession = Readonly<z.output<typeof savedSession>>;
type SavedBrowsers = Pick<z.output<typeof savedBrowsers>, "port"> & {
  readonly sessions: readonly SavedSession[];
};

/** Where the browsers of one data folder are kept between two runs of the daemon. */
export interface BrowserFile {
  /** Differs from folder to folder; a copied one has another. */
  readonly folderId: string;
  /** Why nothing is kept; absent when it is. */
  readonly problem?: string;
  read(): SavedBrowsers;
  write(browsers: SavedBrowsers): Promise<void>;
}

const nothing: SavedBrowsers = { sessions: [] };

/**
 * The file is in the user's own state folder and named by device and inode of the data folder, so that a data folder that
 * was copied, packed or handed on lets no browser in. Where that place is not the user's alone, nothing is read or written.
 */
export function browserFile(dataFolder: string): BrowserFile {
  const { dev, ino, birthtimeNs } = statSync(dataFolder, { bigint: true });
  const born = String(birthtimeNs);
  const folderId = createHash("sha256").update(`${dev}-${ino}-${born}`).digest("hex").slice(0, 12);
  const opened = openUserFolder("state", "browsers");
  const file = "folder" in opened ? join(opened.folder, `${dev}-${ino}.json`) : "";
  const problem = "folder" in opened ? problemOf(file, dataFolder) : opened.problem;
  if (problem !== undefined) return { folderId, problem, read: () => nothing, write: async () => undefined };
  return {
    folderId,
    read() {
      sweep(dirname(file));
      const saved = readSaved(file);
      return saved?.born === born ? saved : nothing;
    },
    async write(browsers) {
      await replaceFile(file, [`${JSON.stringify({ version: 1, born, ...browsers })}\n`]);
    },
  };
}

/** What is wrong with the place, or with a file that is in it. */
function problemOf(file: string, dataFolder: string): string | undefined {
  const inside = relative(realpathSync(dataFolder), file);
  if (!isAbsolute(inside) && !inside.startsWith("..")) return `${file} would be inside of the data folder.`;
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isFile()) return `${file} is not a file.`;
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  if (found.uid !== uid) return `${file} belongs to another user (${found.uid}).`;
  return (found.mode & 0o077) === 0 ? undefined : `Other users may use ${file}.`;
}

/** A file that cannot be understood lets no browser in, and is replaced when the next browser signs in. */
function readSaved(file: string): z.output<typeof savedBrowsers> | undefined {
  try {
    return savedBrowsers.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** Removes the files of data folders that are gone, as far as it can: every session in them is over. */
function sweep(folder: string): void {
  const over = Date.now() - sessionMs;
  try {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if ((lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? over) < over) rmSync(file, { force: true });
    }
  } catch {
    // The next start sweeps again.
  }
}
