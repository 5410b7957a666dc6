import { accessSync, constants, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, rmdirSync } from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { GalleyError } from "@galley/engine";
import { removeFiles } from "../../disk/data-files.ts";
import { abandonedDrafts, writeDraft } from "../../disk/replace-file.ts";
import { errorCode, isDiskFailure, storageError } from "../../disk/storage-error.ts";

/** Settings of another program are a few kilobytes; those of Claude Code may be some megabytes. */
const maxBytes = 32 * 1024 * 1024;

/** A settings file of another program as it is now. */
export interface SettingsFile {
  readonly path: string;
  /** Nothing when there is no file yet. */
  readonly text?: string;
  readonly found?: Stats;
}

/** Reads a file that is to be changed; refuses at once what must not be written to. */
export function openSettings(path: string): SettingsFile {
  const found = lookAt(path);
  if (!found) return { path };
  if (found.isSymbolicLink()) {
    const hint = `Name the file that it leads to: --file ${realPath(path)}`;
    throw new GalleyError("UnsafePath", `${path} is a link, which is not written through.`, { path, hint });
  }
  if (!found.isFile()) throw refused(path, "is not a file");
  if (found.size > maxBytes) throw refused(path, "is too large for a settings file");
  // Putting another file in its place would succeed all the same: the rights of the file say what its owner wants.
  if ((found.mode & 0o222) === 0 || !isWritable(path)) throw refused(path, "is read-only");
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
    return { path, text, found };
  } catch (cause) {
    if (cause instanceof TypeError) throw refused(path, "is not text in UTF-8");
    throw fileError(path, cause);
  }
}

/** The folders that would be made for a file, from the first one on. */
export function foldersToMake(path: string): readonly string[] {
  const folder = dirname(path);
  return lookAt(folder) || folder === path ? [] : [...foldersToMake(folder), folder];
}

/** Puts another text in the place of a file, whole or not at all. */
export async function replaceSettings({ path, text: before, found }: SettingsFile, text: string): Promise<void> {
  try {
    if (!found) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const draft = await writeDraft(path, [text], found ? { like: found } : {});
    // Programs write their settings themselves: what they have written since then must not be lost.
    const now = lookAt(path);
    const isSame =
      now === undefined ? before === undefined : before !== undefined && readFileSync(path, "utf8") === before;
    if (!isSame || now?.isSymbolicLink()) {
      await draft.discard();
      throw new GalleyError("FileUnreadable", `${path} was changed meanwhile; nothing was written.`, {
        path,
        hint: "Try again; close the program whose settings these are if it happens again.",
        retryable: true,
      });
    }
    await draft.commit({ isNew: before === undefined });
    // One that was killed on the way has left a copy of the settings.
    const own = join(dirname(path), `.${basename(path)}.`);
    removeFiles(...abandonedDrafts(dirname(path)).filter((one) => one.startsWith(own)));
  } catch (cause) {
    throw fileError(path, cause);
  }
}

/** Removes a file that was made by us, and the folders that were made for it where nothing else is in them. */
export function removeSettings(path: string, folders: readonly string[]): void {
  try {
    rmSync(path);
    for (const folder of folders.toReversed()) rmdirSync(folder);
  } catch (cause) {
    if (errorCode(cause) !== "ENOTEMPTY" && errorCode(cause) !== "ENOENT") throw fileError(path, cause);
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw fileError(path, cause);
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return "FILE";
  }
}

function refused(path: string, why: string): GalleyError {
  return new GalleyError("FileUnreadable", `${path} ${why}; nothing was written.`, {
    path,
    hint: "Change it by hand, or name another file with --file.",
  });
}

function fileError(path: string, cause: unknown): GalleyError {
  if (cause instanceof GalleyError) return cause;
  if (isDiskFailure(cause)) return storageError(cause, path, "written");
  const code = errorCode(cause) ?? String(cause);
  const hint = "Check the permissions of the file and of its folder.";
  return new GalleyError("FileUnreadable", `${path} cannot be changed (${code}); nothing was written.`, {
    path,
    hint,
    cause,
  });
}
