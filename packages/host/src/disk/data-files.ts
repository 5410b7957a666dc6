import {
  type Stats,
  appendFile,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { GalleyError, parseJson } from "@galley/engine";
import type * as z from "zod";
import {
  type KeptFolder,
  atPath,
  ifThere,
  inFolder,
  inFolderOf,
  pathError,
  plainFlags,
  refuseUnlessFile,
  thenClose,
  unsafePath,
} from "./data-paths.ts";
import { checkOpened } from "./opened-folders.ts";
import { syncFolder } from "./private-folder.ts";
import { errorCode } from "./storage-error.ts";

export type { Stats } from "node:fs";

const appendTo = promisify(appendFile);

const ways = {
  read: constants.O_RDONLY,
  /** Makes it where it is missing. */
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
  /** Refuses one that is there. */
  new: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
};

/** Opens a plain file below a data folder: no link is followed, no pipe waited for. */
export function openFile(file: string, way: keyof typeof ways): number {
  return atPath(file, way === "read" ? "read" : "written", () => {
    const handle = inFolderOf(file, (held) => openSync(held, ways[way] | plainFlags, 0o600));
    const found = fstatSync(handle);
    if (found.isFile()) return handle;
    closeSync(handle);
    throw unsafePath(file, found);
  });
}

/** Makes an empty file; one that is there is an error. */
export function makeFile(file: string): void {
  closeSync(openFile(file, "new"));
}

/** Opens a file for reading; nothing where there is no such file. */
function openIfThere(file: string): number | undefined {
  try {
    return openFile(file, "read");
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause;
  }
}

/** Whether an error says that there is no such file or folder. */
export function isMissing(error: unknown): boolean {
  return error instanceof GalleyError && error.code === "StorageFailed" && errorCode(error.cause) === "ENOENT";
}

/** Opens a file, hands its handle, its size and what else is known of it to `work`, and closes it. Gives nothing where there is no such file. */
export function withFile<Result>(
  file: string,
  work: (handle: number, size: number, found: Stats) => Result,
): Result | undefined {
  const handle = openIfThere(file);
  if (handle === undefined) return undefined;
  return thenClose(handle, () => {
    const found = fstatSync(handle);
    return work(handle, found.size, found);
  });
}

/** The same for work in steps: the file is open until the last of them. */
export function* withFileSteps<Step, Result>(
  file: string,
  work: (handle: number, size: number) => Generator<Step, Result>,
): Generator<Step, Result | undefined> {
  const handle = openIfThere(file);
  if (handle === undefined) return undefined;
  try {
    return yield* work(handle, fstatSync(handle).size);
  } finally {
    closeSync(handle);
  }
}

/** No document of ours comes near this; a larger file would only fill the memory. */
const maxDocumentBytes = 256 * 1024 * 1024;

/** The bytes of a file; nothing where there is no such file. */
export function readBytes(file: string, maxBytes = maxDocumentBytes): Buffer | undefined {
  return atPath(file, "read", () =>
    withFile(file, (handle, size) => {
      if (size > maxBytes) throw tooLarge(file, size, maxBytes);
      return readFileSync(handle);
    }),
  );
}

function tooLarge(file: string, size: number, maxBytes: number): GalleyError {
  return new GalleyError("UnsafePath", `${file} has ${size} bytes; at most ${maxBytes} are read.`, {
    path: file,
    hint: "Galley did not write a file of this size. Move it away, or restore a backup.",
  });
}

/** The text of a file; nothing where there is no such file. */
export function readText(file: string, maxBytes?: number): string | undefined {
  return readBytes(file, maxBytes)?.toString();
}

/** What a JSON file of ours holds; nothing where there is no such file, `damaged` where it holds anything else. */
export function readDocument<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  maxBytes?: number,
): z.output<Schema> | "damaged" | undefined {
  const text = readText(file, maxBytes);
  if (text === undefined) return undefined;
  try {
    return schema.parse(parseJson(text, { what: `file ${file}`, path: file }));
  } catch {
    return "damaged";
  }
}

/** The same, where a damaged file is as good as none. */
export function findDocument<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  maxBytes?: number,
): z.output<Schema> | undefined {
  const found = readDocument(file, schema, maxBytes);
  return found === "damaged" ? undefined : found;
}

/** What holds a few lines: who has a lock, which version this is. */
export const maxNoteBytes = 64 * 1024;

/** Whether a name is there, be it what it may: opening it says whether it can be used. */
export function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** What the system knows of a plain file; nothing where there is none. */
export function statFile(file: string): Stats | undefined {
  return atPath(file, "read", () => refuseUnlessFile(file, file));
}

/** The same, in a folder that is known to be reached without links: for what was opened before, and is not opened again. */
export function statInFolder(file: string, folder: KeptFolder): Stats | undefined {
  return ifThere(file, "read", () => folder.use((held) => refuseUnlessFile(`${held}/${basename(file)}`, file)));
}

/** When an entry was last changed, and a text that differs for every change of it; nothing where there is none. */
export function stampOf(path: string): { readonly mtimeMs: number; readonly stamp: string } | undefined {
  const found = atPath(path, "read", () => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  return found && { mtimeMs: Number(found.mtimeMs), stamp: `${found.mtimeNs}-${found.ino}-${found.size}` };
}

export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The names in a folder; none where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  return ifThere(folder, "read", () => inFolder(folder, (held) => readdirSync(held))) ?? [];
}

/** Removes plain files, those that are there. A link is not removed: what it leads to would stay, and seem to be gone. */
export function removeFiles(...files: readonly string[]): void {
  for (const file of files) {
    const remove = (held: string): void => {
      if (refuseUnlessFile(held, file)) unlinkSync(held);
    };
    ifThere(file, "written", () => inFolderOf(file, remove));
  }
}

/** Removes a folder with all that is in it; nothing of it where it holds a link or anything else that is not ours. */
export function removeFolder(folder: string): void {
  const [unsafe] = unsafeEntries(folder);
  if (unsafe) throw unsafe;
  atPath(folder, "written", () => inFolderOf(folder, (held) => rmSync(held, { recursive: true, force: true })));
}

/** Moves a plain file or a folder within a data folder. */
export function moveEntry(from: string, to: string): void {
  atPath(from, "written", () => inFolderOf(from, (source) => inFolderOf(to, (target) => renameSync(source, target))));
}

/** Appends to a file without waiting until it is durable: for logs that nothing depends on. */
export async function appendText(file: string, text: string): Promise<void> {
  checkOpened(file);
  const handle = openFile(file, "append");
  try {
    await appendTo(handle, text);
  } catch (cause) {
    throw pathError(cause, file, "written");
  } finally {
    closeSync(handle);
  }
}

/** Appends to a file, durably. */
export function appendBytes(file: string, bytes: Uint8Array): void {
  thenClose(openFile(file, "append"), (handle) =>
    atPath(file, "written", () => {
      for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
      fsyncSync(handle);
    }),
  );
  syncFolder(dirname(file));
}

/** An entry, or everything in a folder and below it, that is neither a plain file nor a folder, as the errors that using it gives. */
export function unsafeEntries(path: string): readonly GalleyError[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return namesIn(path).flatMap((name) => unsafeEntries(join(path, name)));
  return found === undefined || found.isFile() ? [] : [unsafePath(path, found)];
}
