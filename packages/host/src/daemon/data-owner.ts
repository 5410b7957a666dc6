import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { GalleyError } from "@galley/engine";
import * as z from "zod";
import { folderLock, sweepLock } from "../chat/folder-lock.ts";
import { makeFolder } from "../chat/replace-file.ts";

const noteSchema = z.object({
  version: z.literal(1),
  url: z.string(),
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
  /** Takes the note away and lets the next one in. */
  release(): Promise<void>;
}

/** One that is just ending gets this long, in ms. */
const patience = 1000;

export function noteFile(dataFolder: string): string {
  return join(dataFolder, "daemon.json");
}

/** Takes a data folder for this process; the lock of a process that died is taken over. */
export async function ownDataFolder(dataFolder: string): Promise<DataOwner> {
  makeFolder(dataFolder);
  const folder = join(dataFolder, "daemon.lock");
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
  await rm(noteFile(dataFolder), { force: true });
  return {
    announce: (note) => writeNote(noteFile(dataFolder), { version: 1, ...note }),
    async release() {
      await rm(noteFile(dataFolder), { force: true });
      over.resolve();
      await held;
      await lock.close();
    },
  };
}

/** The note of the daemon that owns a data folder, where there is one. It may have died since. */
export function readNote(dataFolder: string): DaemonNote | undefined {
  const file = noteFile(dataFolder);
  if (!existsSync(file)) return undefined;
  try {
    return noteSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
}

async function writeNote(file: string, note: DaemonNote): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  const handle = await open(draft, "wx", 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(note)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
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
