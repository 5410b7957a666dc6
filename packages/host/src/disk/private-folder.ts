import { closeSync, constants, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { inFolder, inFolderOf, pathError } from "./data-paths.ts";
import { checkOpened } from "./opened-folders.ts";
import { errorCode } from "./storage-error.ts";

/** Makes a folder and those above it, durably. Other users of the machine must not read what people say to models. */
export function makeFolder(folder: string): void {
  try {
    if (isThere(folder)) return;
    checkOpened(folder);
    if (dirname(folder) !== folder) makeFolder(dirname(folder));
    makeOne(folder);
  } catch (cause) {
    throw pathError(cause, folder, "made");
  }
  syncFolder(dirname(folder));
}

function isThere(folder: string): boolean {
  try {
    return inFolder(folder, () => true);
  } catch (cause) {
    // One that may not be looked at is nothing: making it says why.
    if (["ENOENT", "EACCES"].includes(errorCode(cause) ?? "")) return false;
    throw cause;
  }
}

// One by one: Node's own way to make all of them tries for ever below /proc, which denies that its folders exist.
function makeOne(folder: string): void {
  try {
    inFolderOf(folder, (held) => mkdirSync(held, { mode: 0o700 }));
  } catch (cause) {
    // Another process was faster.
    if (errorCode(cause) !== "EEXIST" || !isThere(folder)) throw cause;
  }
}

/** Makes the names in a folder durable. Windows has no such call; its renames are written through. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  try {
    const handle = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    throw pathError(cause, folder, "written");
  }
}
