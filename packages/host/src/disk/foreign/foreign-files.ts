import { hash } from "node:crypto";
import {
  type Dirent,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { sep } from "node:path";

// Files of other programs, which are read and never written. Links to plain files are followed; whatever is not a plain file
// is passed over, and a pipe without a writer is not waited for.

/** The size of a plain file, and when it was last written, in milliseconds since 1970. */
export interface ForeignStat {
  readonly size: number;
  readonly mtimeMs: number;
}

export function statForeign(path: string): ForeignStat | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found : undefined;
}

/** Where a path leads when every link is followed; nothing where it leads nowhere. */
export function realForeign(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The files below a folder, down to a number of levels. One that cannot be read has none. */
export function pathsBelow(folder: string, levels: number): readonly string[] {
  const paths: string[] = [];
  addPaths(paths, folder, levels);
  return paths;
}

/** Joined by hand: a list of thousands is mostly paths. */
function addPaths(paths: string[], folder: string, levels: number): void {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const path = folder + sep + entry.name;
    if (!entry.isDirectory()) paths.push(path);
    else if (levels > 0) addPaths(paths, path, levels - 1);
  }
}

/** In bytes: of one document, which is read at once. */
const maxDocumentBytes = 64 * 1024 * 1024;

/** A small document, at once; nothing where it is not a plain file, is too large, or cannot be read now. */
export function readForeign(path: string): string | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = fstatSync(handle);
    return found.isFile() && found.size <= maxDocumentBytes ? readFileSync(handle, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** A file that is read from any place of it. */
export interface ForeignFile {
  /** In bytes, when it was opened. */
  readonly size: number;
  /**
   * As many bytes as there are from `position` on, up to `length`. Read into `room`, where it is given and large enough: then
   * they are there until it is read into again.
   */
  readAt(position: number, length: number, room?: Buffer): Promise<Uint8Array>;
  /** Tells what stands before a place from anything else: a file may have been rewritten at the same length. */
  digestBefore(position: number): Promise<string>;
  close(): Promise<void>;
}

/** As much before a place is compared. */
const tailBytes = 1024;

/** Nothing where it cannot be opened now, or is not a plain file. */
export async function openForeign(path: string): Promise<ForeignFile | undefined> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
  if (!handle) return undefined;
  const found = await handle.stat();
  if (!found.isFile()) {
    await handle.close();
    return undefined;
  }
  const readAt: ForeignFile["readAt"] = async (position, length, room) => {
    const into = room !== undefined && room.length >= length ? room : Buffer.allocUnsafe(length);
    const { buffer, bytesRead } = await handle.read(into, 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  return {
    size: found.size,
    readAt,
    async digestBefore(position) {
      const length = Math.min(position, tailBytes);
      return length === 0 ? "" : hash("sha256", await readAt(position - length, length), "hex");
    },
    close: () => handle.close(),
  };
}
