import {
  type Stats,
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { basename, dirname, join, parse, resolve, sep } from "node:path";
import { GalleyError } from "@galley/engine";
import { errorCode, storageError } from "./storage-error.ts";

// A person who packed a data folder, or who may write into it, can put links, pipes and devices there. Everything below a
// data folder is therefore reached through this file: the data folder's own path may hold links, which `pathIn` follows once;
// below it no link is followed, and only plain files and folders are opened.

/**
 * A path below a data folder. The links on the way to the data folder itself are followed here, so that a path of ours never
 * holds one: any link that is met later was put there by somebody else.
 */
export function pathIn(dataFolder: string, ...names: readonly string[]): string {
  return join(withoutLinks(resolve(dataFolder)), ...names);
}

/** Refuses a data folder that may not be entered: it would look empty. One that does not exist yet is. */
export function checkReadable(dataFolder: string): void {
  try {
    accessSync(dataFolder, constants.R_OK | constants.X_OK);
  } catch (cause) {
    if (errorCode(cause) !== "ENOENT") throw storageError(cause, dataFolder, "read");
  }
}

/** The path of a folder without links, also where its last parts do not exist yet. */
function withoutLinks(folder: string): string {
  try {
    // What the kernel calls it, as `holdFolder` compares with: the same letter case on disks that ignore it.
    return hasHandles ? withHandle(folder, (held) => readlinkSync(held)) : realpathSync.native(folder);
  } catch (cause) {
    const isMissing = errorCode(cause) === "ENOENT" && dirname(folder) !== folder;
    if (isMissing) return join(withoutLinks(dirname(folder)), basename(folder));
    // A file stands where the folder should be: making the folder says so.
    if (errorCode(cause) === "ENOTDIR") return folder;
    throw storageError(cause, folder, "read");
  }
}

/** Windows lacks these; there the checks of names are what protects. */
const { O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;

/** Neither follows a link nor waits for the other end of a pipe. */
export const plainFlags = O_NOFOLLOW | O_NONBLOCK;

/** Linux only: a handle that names a folder and needs no right to list it. */
const pathOnly = 0o10000000;

/** Whether a handle of a folder can be used as a path: then nothing can be put in the folder's place meanwhile. */
const hasHandles = process.platform === "linux" && existsSync("/proc/self/fd");

function withHandle<Result>(folder: string, work: (held: string) => Result): Result {
  return thenClose(openSync(folder, pathOnly | O_DIRECTORY), (handle) => work(`/proc/self/fd/${handle}`));
}

/** Works with what was opened, and closes it. */
export function thenClose<Result>(handle: number, work: (handle: number) => Result): Result {
  try {
    return work(handle);
  } finally {
    closeSync(handle);
  }
}

/** A folder that is known to be reached without links, under a name that stays its own. */
export interface HeldFolder {
  readonly path: string;
  /** Whether it is still where it was, with no link on the way. */
  readonly isInPlace: () => boolean;
  readonly release: () => void;
}

/**
 * Takes hold of a folder below a data folder; throws `UnsafePath` where a link is on the way to it. What the system refuses
 * is thrown as it is.
 */
export function holdFolder(folder: string): HeldFolder {
  if (!hasHandles) {
    refuseUnsafe(folder);
    return { path: folder, isInPlace: () => false, release: () => undefined };
  }
  const handle = openFolder(folder);
  const path = `/proc/self/fd/${handle}`;
  try {
    if (readlinkSync(path) !== folder) checkSame(folder, path);
  } catch (cause) {
    closeSync(handle);
    throw cause;
  }
  return { path, isInPlace: () => readlinkSync(path) === folder, release: () => closeSync(handle) };
}

/** A folder that is held from one use to the next: each use makes sure that it is still in its place. */
export interface KeptFolder {
  use<Result>(work: (held: string) => Result): Result;
  /** Lets go of it until the next use. */
  release(): void;
}

export function keptFolder(folder: string): KeptFolder {
  let held: HeldFolder | undefined;
  const release = (): void => {
    held?.release();
    held = undefined;
  };
  return {
    use(work) {
      if (held && !held.isInPlace()) release();
      held ??= holdFolder(folder);
      return work(held.path);
    },
    release,
  };
}

function openFolder(folder: string): number {
  try {
    return openSync(folder, pathOnly | O_DIRECTORY | O_NOFOLLOW);
  } catch (cause) {
    refuseUnsafe(folder);
    throw cause;
  }
}

/** The handle has another name than the path: there is a link on the way, or the folder was moved or removed meanwhile. */
function checkSame(folder: string, held: string): void {
  refuseUnsafe(folder);
  const [here, there] = [lstatSync(folder), lstatSync(`${held}/.`)];
  if (here.ino === there.ino && here.dev === there.dev) return;
  throw Object.assign(new Error(`ENOENT: ${folder} was moved away`), { code: "ENOENT" });
}

/** Runs `work` in a folder that nothing can be exchanged for meanwhile. */
export function inFolder<Result>(folder: string, work: (held: string) => Result): Result {
  const { path, release } = holdFolder(folder);
  try {
    return work(path);
  } finally {
    release();
  }
}

/** Runs `work` on a file's path in the folder that was checked. */
export function inFolderOf<Result>(file: string, work: (held: string) => Result): Result {
  return inFolder(dirname(file), (held) => work(join(held, basename(file))));
}

/** Refuses a path that leads over a link, a pipe or a device. */
function refuseUnsafe(path: string): void {
  const { root } = parse(path);
  let at = root;
  for (const name of path.slice(root.length).split(sep)) {
    at = join(at, name);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found?.isDirectory()) continue;
    if (found && !found.isFile()) throw unsafePath(at, found);
    return;
  }
}

/** Refuses a name that is there and is not a plain file; what the system refuses is thrown as it is. */
export function refuseUnlessFile(held: string, file: string): Stats | undefined {
  const found = lstatSync(held, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw unsafePath(file, found);
  return found;
}

type Kind = Pick<Stats, "isSymbolicLink" | "isDirectory" | "isFIFO" | "isSocket" | "isFile">;

/** Says that a path below a data folder leads to something that Galley never puts there. */
export function unsafePath(path: string, found: Kind | undefined): GalleyError {
  const kind = kindOf(found);
  return new GalleyError("UnsafePath", `${path} is ${kind}; Galley only uses plain files and folders here.`, {
    path,
    hint: "Galley did not make it. Find out what it is and where it leads; then move it away, or put what belongs there in its place.",
  });
}

/** Whether an error says that something in a data folder is not a plain file or folder. */
export function isUnsafe(error: unknown): error is GalleyError {
  return error instanceof GalleyError && error.code === "UnsafePath";
}

function kindOf(found: Kind | undefined): string {
  if (found?.isSymbolicLink()) return "a link";
  if (found?.isDirectory()) return "a folder where a file is expected";
  if (found?.isFIFO()) return "a pipe";
  if (found?.isSocket()) return "a socket";
  if (found?.isFile()) return "a file where a folder is expected";
  return "a device";
}

/** Codes with which systems refuse to open what is not a plain file. */
const refusals = new Set(["ELOOP", "EISDIR", "ENXIO", "EMLINK", "ENODEV", "EOPNOTSUPP"]);

/** Runs `work` at a path below a data folder. What the system refuses there is one of our errors. */
export function atPath<Result>(path: string, done: "read" | "written" | "made", work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw pathError(cause, path, done);
  }
}

/** The same; nothing where there is no such file or folder. */
export function ifThere<Result>(path: string, done: "read" | "written", work: () => Result): Result | undefined {
  return atPath(path, done, () => {
    try {
      return work();
    } catch (cause) {
      if (errorCode(cause) === "ENOENT") return undefined;
      throw cause;
    }
  });
}

/** What the system refused at a path below a data folder, as one of our errors. */
export function pathError(cause: unknown, path: string, done: "read" | "written" | "made"): GalleyError {
  if (!refusals.has(errorCode(cause) ?? "")) return storageError(cause, path, done);
  return unsafePath(path, lstatSync(path, { throwIfNoEntry: false }));
}
