// Loaded before a program: from the n-th change of the disk on, a number of Node's own calls fail, as on a disk that is
// broken. A write that fails has written half. The program under test is untouched.
//   GALLEY_FAIL_AT (from 1; 0 only counts), GALLEY_FAIL_FOR (how many), GALLEY_FAIL_CODE, GALLEY_FAIL_COUNT (a file),
//   GALLEY_FAIL_NAME (only calls with a path that ends so)
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const first = Number(process.env["GALLEY_FAIL_AT"] ?? 0);
const last = first + Number(process.env["GALLEY_FAIL_FOR"] ?? 1);
const code = process.env["GALLEY_FAIL_CODE"] ?? "EIO";
const countFile = process.env["GALLEY_FAIL_COUNT"];
const only = process.env["GALLEY_FAIL_NAME"] ?? "";
let calls = 0;

type Call = (this: unknown, ...args: unknown[]) => unknown;

function isBroken(args: readonly unknown[] = []): boolean {
  if (only !== "" && !args.some((arg) => typeof arg === "string" && arg.endsWith(only))) return false;
  calls += 1;
  return first > 0 && calls >= first && calls < last;
}

function failure(call: string): Error {
  return Object.assign(new Error(`${code}: the disk is broken, ${call}`), { code, syscall: call, errno: -5 });
}

/** Calls that throw, that reject, and that call back with an error. */
const ways = {
  sync: (name: string) => {
    throw failure(name);
  },
  promise: (name: string) => Promise.reject(failure(name)),
  callback: (name: string, args: readonly unknown[]) => {
    const done = args.at(-1) as (error: Error) => void;
    process.nextTick(() => done(failure(name)));
  },
};

function breakCalls(object: object, way: keyof typeof ways, names: readonly string[]): void {
  const target = object as Record<string, Call>;
  for (const name of names) {
    const original = target[name] as Call;
    target[name] = function call(this: unknown, ...args: unknown[]) {
      return isBroken(args) ? ways[way](name, args) : original.apply(this, args);
    };
  }
}

const { writeSync, writeFileSync } = fs;
breakCalls(fs, "sync", ["fsyncSync", "ftruncateSync", "renameSync", "linkSync", "unlinkSync", "mkdirSync", "rmSync"]);
breakCalls(fs, "sync", ["appendFileSync", "writeFileSync"]);
breakCalls(fs, "callback", ["fdatasync"]);
breakCalls(fs.promises, "promise", ["rename", "rm", "link", "mkdir", "writeFile", "appendFile"]);

fs.writeSync = ((file: number, data: Uint8Array, ...rest: number[]) => {
  if (file <= 2 || !isBroken()) return (writeSync as Call)(file, data, ...rest);
  if (data instanceof Uint8Array) (writeSync as Call)(file, data.subarray(0, Math.floor(data.length / 2)));
  throw failure("write");
}) as typeof fs.writeSync;

const open = fs.promises.open;
fs.promises.open = async (...args: Parameters<typeof open>) => {
  if (isBroken(args)) throw failure("open");
  const handle = await open(...args);
  breakCalls(handle, "promise", ["sync"]);
  const write = handle.writeFile.bind(handle);
  handle.writeFile = async (data) => {
    if (!isBroken()) return write(data);
    const bytes = Buffer.from(data as string);
    await write(bytes.subarray(0, bytes.length / 2));
    throw failure("write");
  };
  return handle;
};
syncBuiltinESMExports();
if (countFile !== undefined) process.on("exit", () => writeFileSync(countFile, String(calls)));
