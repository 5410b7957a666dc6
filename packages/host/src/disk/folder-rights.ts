import { statSync } from "node:fs";
import type { Problem } from "@galley/engine";

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
