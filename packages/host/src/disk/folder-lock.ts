import { randomBytes } from "node:crypto";
import { linkSync, lstatSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError } from "@galley/engine";
import * as z from "zod";
import {
  exists,
  isMissing,
  maxNoteBytes,
  moveEntry,
  namesIn,
  openFile,
  readDocument,
  removeFiles,
} from "./data-files.ts";
import { type KeptFolder, keptFolder, pathError, thenClose, unsafePath } from "./data-paths.ts";
import { type ProcessIdentity, fateOf, ownIdentity } from "./process-identity.ts";
import { makeFolder } from "./private-folder.ts";
import { errorCode, storageError } from "./storage-error.ts";

/** Lets one holder at a time work on a folder, among all processes of a machine. */
export interface FolderLock {
  /** Exists while the lock is held. */
  readonly file: string;
  /** Runs `work` as the only holder; callers within a process take turns in the order in which they came. */
  hold<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Gives back what it keeps open from one use to the next. */
  closeIdleFiles(): void;
  /** Takes part no more. What is under way is finished first. */
  close(): Promise<void>;
}

export interface FolderLockOptions {
  /** How long to wait for another process, in ms. */
  readonly patience: number;
}

/** A process in a note that says which one has what. */
export const identitySchema = z.object({
  pid: z.int().positive(),
  start: z.string(),
  host: z.string(),
  boot: z.string(),
  space: z.string(),
});

/** After another process has asked, it gets this long to take its turn, in ms. */
const courtesy = 4;

/** After how many ms a lock that could not be released is tried again. */
const releaseAgain = 1000;

export function folderLock(folder: string, { patience }: FolderLockOptions): FolderLock {
  const held = join(folder, "held");
  const wanted = join(folder, "wanted");
  const ticket = join(folder, `ticket-${process.pid}-${randomBytes(6).toString("hex")}`);
  const kept = keptFolder(folder);
  let last: Promise<unknown> = Promise.resolve();
  let isWanted = false;
  /** The file of the lock exists although this process does not hold it: the disk did not let it be removed. */
  let isLeft = false;
  let again: NodeJS.Timeout | undefined;

  const acquire = async (): Promise<void> => {
    if (isWanted) await sleep(courtesy);
    isWanted = false;
    const isOurs = isLeft && isSameFile(held, ticket);
    isLeft = false;
    if (!isOurs) await take(kept, { name: held, ticket, wanted }, performance.now() + patience);
  };
  const release = (): void => {
    try {
      isWanted = kept.use((path) => unlinkHeld(path, ticket, wanted));
    } catch {
      // What was done under the lock is done. Others wait until the disk lets go of the name: that is tried again.
      leave();
    }
  };
  const leave = (): void => {
    isLeft = true;
    clearTimeout(again);
    again = setTimeout(() => (last = last.then(releaseLeft)), releaseAgain).unref();
  };
  /** Never throws: no caller waits for it, and the next holder must not fail because of it. */
  const releaseLeft = (): void => {
    if (!isLeft) return;
    isLeft = false;
    try {
      if (isSameFile(held, ticket)) release();
    } catch {
      // The disk does not even say whose it is.
      leave();
    }
  };
  return {
    file: held,
    hold(work) {
      const result = last.then(async () => {
        await acquire();
        try {
          return await work();
        } finally {
          release();
        }
      });
      last = result.catch(() => undefined);
      return result;
    },
    closeIdleFiles: () => kept.release(),
    async close() {
      await last;
      releaseLeft();
      kept.release();
      // Without its ticket, a lock that is left could not be told from another one's. One that cannot be removed is swept
      // by the next process after this one has ended.
      if (!isLeft) quietly(() => removeFiles(ticket));
    },
  };
}

/**
 * Takes the lock `name`: a second name for the own ticket, which is written before and therefore never seen half. The
 * right to remove a lock whose process has died is a lock itself, or two that saw it could remove a third one's new lock.
 */
async function take(folder: KeptFolder, { name, ticket, wanted }: Taking, deadline: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    if (tryLink(folder, ticket, name)) return;
    const holder = holderOf(name);
    if (holder === undefined) continue;
    if (isLost(holder)) {
      await take(folder, { name: `${name}.dead`, ticket }, deadline);
      if (isLost(holderOf(name))) removeFiles(name);
      removeFiles(`${name}.dead`);
      continue;
    }
    if (performance.now() > deadline) throw lockedError(name, holder);
    if (wanted !== undefined) tryLink(folder, ticket, wanted);
    await sleep(1 + Math.random() * Math.min(1 + tries, 12));
  }
}

interface Taking {
  readonly name: string;
  readonly ticket: string;
  /** Says to the holder that somebody waits. */
  readonly wanted?: string;
}

function tryLink(folder: KeptFolder, ticket: string, name: string): boolean {
  try {
    folder.use((held) => linkSync(`${held}/${basename(ticket)}`, `${held}/${basename(name)}`));
    return true;
  } catch (cause) {
    const code = errorCode(cause);
    if (code === "EEXIST") return false;
    if (code !== "ENOENT") throw pathError(cause, name, "written");
    writeTicket(ticket, name);
    return false;
  }
}

/** Says whether somebody waits for the lock. */
function unlinkHeld(folder: string, ticket: string, wanted: string): boolean {
  // The folder was moved away with the lock in it; what bears its name now is another one's.
  if (!exists(`${folder}/${basename(ticket)}`)) return false;
  const isWanted = exists(`${folder}/${basename(wanted)}`);
  // One that stays only costs a moment the next time; the lock must not stay because of it.
  if (isWanted) quietly(() => removeFiles(wanted));
  try {
    unlinkSync(`${folder}/held`);
  } catch (cause) {
    if (errorCode(cause) !== "ENOENT") throw cause;
  }
  return isWanted;
}

function isSameFile(one: string, other: string): boolean {
  try {
    const [a, b] = [one, other].map((file) => {
      const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
      if (found && !found.isFile()) throw unsafePath(file, found);
      return found?.ino;
    });
    return a !== undefined && a === b;
  } catch (cause) {
    throw storageError(cause, one, "read");
  }
}

/** Also after the folder was deleted under a running process. */
function writeTicket(ticket: string, name: string): void {
  makeFolder(join(name, ".."));
  // Never half under its own name: on a full disk it would be empty, and the lock would seem to have no holder.
  const draft = `${ticket}.draft`;
  try {
    thenClose(openFile(draft, "new"), (handle) => writeFileSync(handle, JSON.stringify(ownIdentity())));
    moveEntry(draft, ticket);
  } catch (cause) {
    quietly(() => removeFiles(draft));
    // The folder was deleted meanwhile: the next try makes it again.
    if (!isMissing(cause)) throw storageError(cause, ticket, "written");
  }
}

/** Who holds a lock: nothing when it is free by now, `damaged` when a power failure left an empty file. */
export function holderOf(name: string): ProcessIdentity | "damaged" | undefined {
  return readDocument(name, identitySchema, maxNoteBytes);
}

/** Whether a lock has a holder that will never release it. */
export function isLost(holder: ReturnType<typeof holderOf>): holder is ProcessIdentity | "damaged" {
  return holder === "damaged" || (holder !== undefined && fateOf(holder) === "dead");
}

/** Removes what dead processes left in a lock's folder: tickets, and the wish to be next. */
export function sweepLock(folder: string): void {
  for (const name of namesIn(folder)) {
    if (!name.startsWith("ticket-") && name !== "wanted") continue;
    const file = join(folder, name);
    if (isLost(holderOf(file))) removeFiles(file);
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // Best effort.
  }
}

function lockedError(name: string, holder: ProcessIdentity): GalleyError {
  const where = holder.host === ownIdentity().host ? "" : ` on ${holder.host}`;
  return new GalleyError("DataLocked", `Process ${holder.pid}${where} holds ${name}.`, {
    path: name,
    hint: "Try again when it is done. If it runs on another machine or in another container and is surely gone, delete the file.",
    retryable: true,
  });
}
