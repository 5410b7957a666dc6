import { createHash } from "node:crypto";
import { lstatSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { replaceFile } from "../../disk/replace-file.ts";
import { folderIdentity, readUserFile, userFile } from "../../disk/user-file.ts";

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

/** A file of the user's state folder, so that a data folder that was copied, packed or handed on lets no browser in. */
export function browserFile(dataFolder: string): BrowserFile {
  const { dev, ino, born } = folderIdentity(dataFolder);
  const folderId = createHash("sha256").update(`${dev}-${ino}-${born}`).digest("hex").slice(0, 12);
  const kept = userFile("browsers", dataFolder);
  if ("problem" in kept) return { folderId, problem: kept.problem, read: () => nothing, write: async () => undefined };
  const { file } = kept;
  return {
    folderId,
    read() {
      sweep(dirname(file));
      // A file that cannot be understood lets no browser in, and is replaced when the next browser signs in.
      const saved = savedBrowsers.safeParse(readUserFile(file)).data;
      return saved?.born === born ? saved : nothing;
    },
    async write(browsers) {
      await replaceFile(file, [`${JSON.stringify({ version: 1, born, ...browsers })}\n`]);
    },
  };
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
