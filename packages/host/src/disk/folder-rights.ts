import { statSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "@galley/engine";
import { isFolder, namesIn, unsafeEntries } from "./data-files.ts";
import { pathIn } from "./data-paths.ts";

const writableByOthers = 0o022;

/**
 * What is written here is for its owner alone, whatever the rights of the folder are. But where others may write, they can
 * put files of their own in the place of ours, and that no right of a file prevents.
 */
export function folderProblems(dataFolder: string): readonly Problem[] {
  if (process.platform === "win32") return [];
  const mode = statSync(dataFolder, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & writableByOthers) === 0) return [];
  return [
    {
      severity: "warning",
      code: "StorageFailed",
      message: `Other users of this machine may write into ${dataFolder} (its mode is ${(mode & 0o777).toString(8)}).`,
      path: dataFolder,
      hint: `Take that from them: chmod 700 ${dataFolder}`,
    },
  ];
}

/** Whatever lies in a data folder, beside the chats, and is neither a plain file nor a folder. */
export function unsafeProblems(dataFolder: string): readonly Problem[] {
  const root = pathIn(dataFolder);
  if (!isFolder(root)) return [];
  const entries = namesIn(root).filter((name) => name !== "chat");
  return entries.flatMap((name) =>
    unsafeEntries(join(root, name)).map(({ code, message, path = root, hint }): Problem => {
      return { severity: "error", code, message, path, hint };
    }),
  );
}
