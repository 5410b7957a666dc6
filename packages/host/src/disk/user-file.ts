import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { openUserFolder } from "./user-folder.js";

/** Which data folder it is: another folder may get the inode of one that was deleted, but not its time of birth. */
export interface FolderIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
  /** When the folder was made, in ns. */
  readonly born: string;
}

export function folderIdentity(dataFolder: string): FolderIdentity {
  const { dev, ino, birthtimeNs } = statSync(dataFolder, { bigint: true });
  return { dev, ino, born: String(birthtimeNs) };
}

const places = { browsers: "state", daemons: "state", providers: "config", agents: "config" } as const;

/**
 * A file about a data folder in the user's own state or configuration folder. It is named by device and inode of the data
 * folder, so that a folder that was copied, packed or handed on brings none along. Where that place is not the user's alone,
 * it gives the reason instead.
 */
export function userFile(
  kind: keyof typeof places,
  dataFolder: string,
): { readonly file: string } | { readonly problem: string } {
  const { dev, ino } = folderIdentity(dataFolder);
  const opened = openUserFolder(places[kind], kind);
  if ("problem" in opened) return opened;
  const file = join(opened.folder, `${dev}-${ino}.json`);
  const problem = problemOf(file, dataFolder);
  return problem === undefined ? { file } : { problem };
}

/** The document in such a file; `undefined` where there is none, or none that can be read. */
export function readUserFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Whether a path lies below a data folder, which may be copied or handed on. */
export function isInside(path: string, dataFolder: string): boolean {
  if (!existsSync(dataFolder)) return false;
  const inside = relative(realpathSync(dataFolder), path);
  return !isAbsolute(inside) && !inside.startsWith("..");
}

/** What is wrong with the place, or with a file that is in it. */
function problemOf(file: string, dataFolder: string): string | undefined {
  if (isInside(file, dataFolder)) return `${file} would be inside of the data folder.`;
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isFile()) return `${file} is not a file.`;
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  if (found.uid !== uid) return `${file} belongs to another user (${found.uid}).`;
  return (found.mode & 0o077) === 0 ? undefined : `Other users may use ${file}.`;
}
