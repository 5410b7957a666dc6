import { join } from "node:path";
import { namesIn, readText, removeFiles } from "./data-files.ts";
import { makeFolder } from "./private-folder.ts";
import { abandonedDrafts, writeDraft } from "./replace-file.ts";
import { errorCode, storageError } from "./storage-error.ts";

/** A document in versions: a folder with one file for each, of which the highest number is the document. */
export interface VersionedFiles {
  /** Numbers, oldest first; none when the folder does not exist. */
  versions(): readonly number[];
  fileOf(version: number): string;
  read(version: number): string;
  /** Writes a version whole or not at all. Says no when it already exists: another process was faster. */
  add(version: number, text: string): Promise<boolean>;
  remove(versions: readonly number[]): void;
}

/** Names of files, such as `v000012.json`: what stands before the number, and how many digits it has at least. */
export interface VersionNames {
  readonly prefix?: string;
  readonly digits?: number;
}

export function versionedFiles(folder: string, { prefix = "", digits = 1 }: VersionNames = {}): VersionedFiles {
  const fileOf = (version: number): string => join(folder, `${prefix}${String(version).padStart(digits, "0")}.json`);
  const name = new RegExp(`^${prefix}(\\d{${digits},})\\.json$`);
  return {
    fileOf,
    versions() {
      const numbers = namesIn(folder).flatMap((file) => name.exec(file)?.[1] ?? []);
      return numbers.map(Number).sort((a, b) => a - b);
    },
    read(version) {
      const text = readText(fileOf(version));
      if (text === undefined) throw storageError(undefined, fileOf(version), "read", "ENOENT");
      return text;
    },
    async add(version, text) {
      makeFolder(folder);
      try {
        removeFiles(...abandonedDrafts(folder));
        const draft = await writeDraft(fileOf(version), [text]);
        try {
          await draft.commit({ isNew: true });
        } finally {
          await draft.discard();
        }
        return true;
      } catch (cause) {
        if (errorCode(cause) === "EEXIST") return false;
        throw storageError(cause, fileOf(version), "written");
      }
    },
    remove: (versions) => removeFiles(...versions.map(fileOf)),
  };
}
