import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const memory = "/dev/shm";
const prefix = "galley-tests-";
/** How much must be free there, in bytes: what a whole run keeps at once, many times over. */
const room = 4 * 1024 ** 3;

/**
 * Makes the folder in which a run of the tests keeps its files, and deletes it when the run ends. It is in memory where
 * the system has such a folder: every line of a chat waits until the disk has it, and what tests can show, `kill -9`
 * included, is the same without that wait. `npm run test:faults`, and runs with a TMPDIR of their own, stay on the disk.
 */
export function makeTestFolder(environment: NodeJS.ProcessEnv): string {
  // The configuration is read again for each project that has one of its own.
  if (basename(environment["TMPDIR"] ?? "").startsWith(prefix)) return tmpdir();
  const isOnDisk = environment["TMPDIR"] !== undefined || environment["GALLEY_FAULTS"] !== undefined;
  const folder = mkdtempSync(join(!isOnDisk && hasRoomInMemory() ? memory : tmpdir(), prefix));
  // The PostgreSQL of the tests runs as another user when they run as root, and passes through it.
  chmodSync(folder, 0o711);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

function hasRoomInMemory(): boolean {
  try {
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .find((line) => line.split(" ")[1] === memory);
    const { bavail, bsize } = statfsSync(memory);
    // Containers often forbid to run programs from there, which some tests do.
    return mount !== undefined && !/\b(?:noexec|ro)\b/.test(mount) && bavail * bsize >= room;
  } catch {
    return false;
  }
}
