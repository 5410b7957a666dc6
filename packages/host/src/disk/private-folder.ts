import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, storageError } from "./storage-error.ts";

/** Makes a folder and those above it, durably. Other users of the machine must not read what people say to models. */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  try {
    if (dirname(folder) !== folder) makeFolder(dirname(folder));
    makeOne(folder);
    syncFolder(dirname(folder));
  } catch (cause) {
    throw storageError(cause, folder, "made");
  }
}

function isFolder(path: string): boolean {
  // One that may not be looked at is nothing: making it says why.
  return existsSync(path) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

// One by one: Node's own way to make all of them tries for ever below /proc, which denies that its folders exist.
function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    // Another process was faster.
    if (errorCode(cause) !== "EEXIST" || !isFolder(folder)) throw cause;
  }
}

/** Makes the names in a folder durable. Windows has no such call; its renames are written through. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  try {
    const handle = openSync(folder, "r");
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (cause) {
    throw storageError(cause, folder, "written");
  }
}
