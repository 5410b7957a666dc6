import { join } from "node:path";
import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { findDocument, maxNoteBytes, removeFiles, statFile } from "../../disk/data-files.ts";
import { pathIn } from "../../disk/data-paths.ts";
import { folderLock, sweepLock } from "../../disk/folder-lock.ts";
import { type OpenedFolder, rememberFolder, watchFolder } from "../../disk/opened-folders.ts";
import { makeFolder } from "../../disk/private-folder.ts";
import { replaceFile } from "../../disk/replace-file.ts";

const noteSchema = z.object({
  version: z.literal(1),
  // A note may have come with a folder that another person packed: it must not lead commands out of this machine.
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  token: z.string(),
  pid: z.number(),
  startedAt: z.number(),
});

/** How programs of the same user reach the daemon of a data folder. */
export type DaemonNote = Readonly<z.output<typeof noteSchema>>;

/** The right to be the one daemon of a data folder. */
export interface DataOwner {
  /** Lets programs of this user in; only they can read the file. */
  announce(note: Omit<DaemonNote, "version">): Promise<void>;
  /** Resolves when the folder, its lock or its database was moved, deleted or replaced: nothing more can be kept there. */
  readonly lost: Promise<unknown>;
  /** Takes the note away and lets the next one in. */
  release(): Promise<void>;
}

/** One that is just ending gets this long, in ms. */
const patience = 1000;

export function noteFile(dataFolder: string): string {
  return pathIn(dataFolder, "daemon.json");
}

/** Takes a data folder for this process; the lock of a process that died is taken over. */
export async function ownDataFolder(dataFolder: string): Promise<DataOwner> {
  const root = pathIn(dataFolder);
  makeFolder(root);
  const folder = join(root, "daemon.lock");
  sweepLock(folder);
  const lock = folderLock(folder, { patience });
  const over = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const held = lock.hold(() => {
    taken.resolve();
    return over.promise;
  });
  held.catch(taken.reject);
  try {
    await taken.promise;
  } catch (cause) {
    await lock.close();
    throw cause instanceof GalleyError && cause.code === "DataLocked" ? inUse(dataFolder, cause) : cause;
  }
  const file = join(root, "daemon.json");
  let opened: OpenedFolder | undefined;
  const unlock = async (): Promise<void> => {
    opened?.forget();
    over.resolve();
    await held;
    await lock.close();
  };
  try {
    opened = rememberFolder(root);
    opened.add(lock.file);
    removeFiles(file);
  } catch (cause) {
    await unlock();
    throw cause;
  }
  const watched = watchFolder(opened);
  let token: string | undefined;
  return {
    lost: watched.lost,
    async announce(note) {
      ({ token } = note);
      const text = `${JSON.stringify({ version: 1, ...note } satisfies DaemonNote)}\n`;
      await replaceFile(file, [text], { check: ({ mode }) => checkRights(mode, file) });
    },
    async release() {
      watched.end();
      try {
        // In the place of a folder that was moved away there may be another one, with a daemon of its own.
        if (token !== undefined && findDocument(file, noteSchema, maxNoteBytes)?.token === token) removeFiles(file);
      } catch {
        // One that stays is not believed: its process is gone.
      }
      await unlock();
    },
  };
}

/** The note of the daemon that owns a data folder, where there is one. It may have died since. */
export function readNote(dataFolder: string): DaemonNote | undefined {
  const file = noteFile(dataFolder);
  // A folder that may not be entered is an error: whether a daemon is in it cannot be known.
  const found = statFile(file);
  // Ours, and for its owner alone: one that came with a checkout or an archive is not.
  if (!found || !isPrivateMode(found.mode) || !isOwn(found.uid)) return undefined;
  return findDocument(file, noteSchema, maxNoteBytes);
}

/** Another user's file would name another user's server; Windows has no such number. */
function isOwn(uid: number): boolean {
  const own = process.geteuid?.();
  return own === undefined || uid === own;
}

/** Windows keeps rights in another way, which a mode does not show. */
function isPrivateMode(mode: number): boolean {
  return process.platform === "win32" || (mode & 0o077) === 0;
}

/**
 * Refuses a place that has given a file made for its owner alone to others too (FAT disks, shares, Windows' disks in WSL): the
 * commands would take the note there for a planted one, and never find the daemon.
 */
export function checkRights(mode: number, file: string): void {
  if (isPrivateMode(mode)) return;
  const shown = (mode & 0o777).toString(8);
  const message = `The file system of ${file} keeps no rights: it made the file with ${shown}.`;
  throw new GalleyError("StorageFailed", message, {
    path: file,
    hint: "Others could read the daemon's token there. Name a folder on another file system with --data, such as one in your home folder.",
  });
}

/** Whether a newer version has left a note that this one cannot read. */
export function isNewerNote(dataFolder: string): boolean {
  const found = findDocument(noteFile(dataFolder), z.object({ version: z.number() }), maxNoteBytes);
  return found !== undefined && found.version > 1;
}

function inUse(dataFolder: string, cause: GalleyError): GalleyError {
  const note = readNote(dataFolder);
  const who = note
    ? `Process ${note.pid} at ${note.url} has it since ${new Date(note.startedAt).toISOString()}.`
    : cause.message;
  return new GalleyError("DataFolderInUse", `${dataFolder} belongs to another daemon. ${who}`, {
    path: dataFolder,
    hint: "`galley open` prints a link to it, `galley down` ends it; --data names another folder.",
    cause,
  });
}
