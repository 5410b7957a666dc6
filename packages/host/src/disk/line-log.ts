import { closeSync, fdatasync, fstatSync, fsyncSync, ftruncateSync, write, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Problem } from "@galley/engine";
import { type Stats, appendBytes, exists, openFile, statFile } from "./data-files.ts";
import { linesFromEnd, readAt } from "./read-lines.ts";
import { makeFolder, syncFolder } from "./private-folder.ts";
import { storageError } from "./storage-error.ts";

/** A file to which the holder of the chat's lock appends whole lines. */
export interface LineLog {
  /** Makes sure that what is written next follows a whole line of the file that is there now. */
  begin(): Appending;
  exists(): boolean;
  /** Whether it holds the file open. */
  isOpen(): boolean;
  close(): void;
}

/** One append: `write` is followed by `sync`, or by `undo` when something failed. */
export interface Appending {
  /** The file as it was found; nothing where there was none. */
  readonly before: Stats | undefined;
  write(lines: string): Promise<void>;
  /** Resolves when what was written is durable. */
  sync(): Promise<void>;
  /** The file as it is now. */
  state(): Stats;
  /** Takes back what was written. */
  undo(): void;
}

/** What the system knows of a file: the same file with the same size and time holds the same. */
export type FileState = Pick<Stats, "dev" | "ino" | "size" | "ctimeMs">;

export function stateOf({ dev, ino, size, ctimeMs }: FileState): FileState {
  return { dev, ino, size, ctimeMs };
}

/** Whether it is one file, whatever was written to it meanwhile. */
export function isSameFile(a: FileState, b: FileState): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

export function isSameState(a: FileState | undefined, b: FileState | undefined): boolean {
  if (!a || !b) return a === b;
  return isSameFile(a, b) && a.size === b.size && a.ctimeMs === b.ctimeMs;
}

const sync = promisify(fdatasync);
const newline = 10;
/** In bytes. */
const pieceLength = 1024 * 1024;

function writeAsync(handle: number, bytes: Buffer, done: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = Math.min(pieceLength, bytes.length - done);
    write(handle, bytes, done, length, null, (error, written) => (error ? reject(error) : resolve(written)));
  });
}

export interface LineLogOptions {
  /** Whether a last line without its end is a whole one. */
  readonly isLine: (text: string) => boolean;
  /** Receives a torn last line that was set aside. */
  readonly report: (problem: Problem) => void;
}

export function lineLog(file: string, options: LineLogOptions): LineLog {
  let handle: number | undefined;
  let inode = -1;
  /** The size up to which the file is known to consist of whole lines. */
  let size = -1;

  const close = (): void => {
    if (handle !== undefined) closeSync(handle);
    handle = undefined;
    size = -1;
  };
  const open = (found: Stats | undefined): number => {
    // A switch, here or in another process, puts another file in its place.
    if (handle !== undefined && found?.ino !== inode) close();
    if (handle === undefined) {
      makeFolder(dirname(file));
      handle = openFile(file, "append");
      if (!found) syncFolder(dirname(file));
      inode = fstatSync(handle).ino;
    }
    const present = found?.size ?? 0;
    if (present !== size) size = repairTail(file, handle, present, options);
    return handle;
  };
  const begin = (): Appending => {
    const found = statFile(file);
    const opened = guard(file, () => open(found));
    const before = size;
    let written = 0;
    return {
      before: found,
      async write(lines) {
        const bytes = Buffer.from(lines);
        // A short text is written faster than a thread is asked to; a long one must not keep everything else waiting.
        const isShort = bytes.length < pieceLength;
        try {
          for (let done = 0; done < bytes.length;)
            done += isShort ? writeSync(opened, bytes, done) : await writeAsync(opened, bytes, done);
          written += bytes.length;
        } catch (cause) {
          throw storageError(cause, file, "written");
        }
      },
      async sync() {
        try {
          await sync(opened);
          // Only the holder of the lock appends.
          size = before + written;
        } catch (cause) {
          throw storageError(cause, file, "written");
        }
      },
      state: () => guard(file, () => fstatSync(opened)),
      undo() {
        // After a failed fsync the state of the handle is unknown: the next append opens the file again.
        try {
          ftruncateSync(opened, before);
        } finally {
          close();
        }
      },
    };
  };
  return { begin, exists: () => exists(file), isOpen: () => handle !== undefined, close };
}

function guard<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw storageError(cause, file, "written");
  }
}

/**
 * Makes a file end with a whole line [W10]: a last line that only lacks its end gets it; half a line is moved to `*.torn`.
 * Gives the size.
 */
function repairTail(file: string, handle: number, size: number, { isLine, report }: LineLogOptions): number {
  if (size === 0 || readAt(handle, size - 1, 1)[0] === newline) return size;
  const last = linesFromEnd(handle, size).next().value;
  if (!last) return size;
  if (isLine(last.bytes.toString())) {
    writeSync(handle, "\n");
    fsyncSync(handle);
    return size + 1;
  }
  const aside = `${file}.torn`;
  appendBytes(aside, Buffer.concat([last.bytes, Buffer.from("\n")]));
  ftruncateSync(handle, last.start);
  fsyncSync(handle);
  report({
    severity: "warning",
    code: "DataDamaged",
    message: `${file} ended with half a line (${last.bytes.length} bytes), left by a writer that was stopped; it was moved to ${aside}.`,
    path: file,
    hint: "It was never acknowledged, so that nothing is lost. Delete the .torn file when it is not needed.",
  });
  return last.start;
}
