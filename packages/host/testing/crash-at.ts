// Loaded before the scenario: ends the process, as `kill -9` does, at its n-th change of the disk. A write is cut in half first.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const crashAt = Number(process.env["GALLEY_CRASH_AT"] ?? 0);
let changes = 0;

/** How many changes of the disk were made so far. */
export function changesMade(): number {
  return changes;
}

function isLast(): boolean {
  changes += 1;
  return changes === crashAt;
}

function die(): void {
  process.kill(process.pid, "SIGKILL");
  // The signal needs no more than a moment, in which nothing may happen.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Counts a change that is none of a file's; ends the process when it is the one. */
export function countChange(): void {
  if (isLast()) die();
}

type Call = (...args: unknown[]) => unknown;

function watch(object: object, names: readonly string[]): void {
  const target = object as Record<string, Call>;
  for (const name of names) {
    const original = target[name] as Call;
    target[name] = function watched(this: unknown, ...args: unknown[]) {
      if (isLast()) die();
      return original.apply(this, args);
    };
  }
}

watch(fs, [
  "linkSync",
  "unlinkSync",
  "rmSync",
  "fsyncSync",
  "fdatasync",
  "ftruncateSync",
  "renameSync",
  "appendFileSync",
  "mkdirSync",
]);
watch(fs.promises, ["rename", "rm"]);

const writeSync = fs.writeSync as Call;
fs.writeSync = ((file: number, data: Uint8Array, ...rest: unknown[]) => {
  if (file > 2 && isLast()) {
    writeSync(file, data.subarray(0, Math.floor(data.length / 2)));
    die();
  }
  return writeSync(file, data, ...rest);
}) as typeof fs.writeSync;

const open = fs.promises.open;
fs.promises.open = async (...args: Parameters<typeof open>) => {
  if (isLast()) die();
  const handle = await open(...args);
  watch(handle, ["sync"]);
  const writeFile = handle.writeFile.bind(handle);
  handle.writeFile = async (data) => {
    if (isLast()) {
      const bytes = Buffer.from(data as string);
      await writeFile(bytes.subarray(0, bytes.length / 2));
      die();
    }
    return writeFile(data);
  };
  return handle;
};
syncBuiltinESMExports();
