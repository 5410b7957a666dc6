import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { faultFolder } from "./writer-process.ts";

/** A file system of its own that a test can fill, empty and write-protect. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves not a byte, or this number of them (whole pages of 4096). */
  fill(leaving?: number): void;
  free(): void;
  /** Makes it ten times as large. */
  grow(): void;
  /** Only while no file on it is open for writing: the system refuses it otherwise. */
  protect(isReadOnly: boolean): void;
}

/** Why a small disk cannot be had here, in words for the table. */
export const noMount = "needs the right to mount a tmpfs (root on Linux)";

function mount(...args: readonly string[]): boolean {
  return spawnSync("mount", args).status === 0;
}

/** A tmpfs of this many kilobytes for this test; nothing where the system does not let us. */
export function smallDisk(kilobytes: number): SmallDisk | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return undefined;
  const folder = join(faultFolder(), "disk");
  mkdirSync(folder);
  if (!mount("-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder)) return undefined;
  onTestFinished(() => void spawnSync("umount", ["-l", folder]));
  const ballast = join(folder, "ballast");
  return {
    folder,
    fill(leaving = 0) {
      const file = openSync(ballast, "a");
      const write = (bytes: number): boolean => {
        try {
          return writeSync(file, Buffer.alloc(bytes)) === bytes;
        } catch {
          return false;
        }
      };
      for (let bytes = 65_536; bytes >= 1;) if (!write(bytes)) bytes = Math.floor(bytes / 2);
      closeSync(file);
      if (leaving > 0) truncateSync(ballast, statSync(ballast).size - leaving);
    },
    free: () => rmSync(ballast, { force: true }),
    grow: () => void mount("-o", `remount,size=${kilobytes * 10}k`, folder),
    protect(isReadOnly) {
      const isDone = mount("-o", `remount,${isReadOnly ? "ro" : "rw"}`, folder);
      if (!isDone) throw new Error("The disk cannot be write-protected.");
    },
  };
}
