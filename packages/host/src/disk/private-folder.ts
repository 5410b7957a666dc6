import { constants, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { atPath, inFolder, inFolderOf, thenClose } from "./data-paths.ts";
import { checkOpened } from "./opened-folders.ts";
import { errorCode } from "./storage-error.ts";

/** Makes a folder and those above it, durably. Other users of the machine must not read what people say to models. */
export function makeFolder(folder: string): void {
  const isMade = atPath(folder, "made", () => {
    if (isThere(folder)) return false;
    checkOpened(folder);
    if (dirname(folder) !== folder) makeFolder(dirname(folder));
    makeOne(folder);
    return true;
  });
  if (isMade) syncFolder(dirname(folder));
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
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  atPath(folder, "written", () => thenClose(openSync(folder, flags), fsyncSync));
}
