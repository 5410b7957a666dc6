import { closeSync, existsSync, fstatSync, openSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { parseJson } from "@galley/engine";
import type * as z from "zod";
import { errorCode, storageError } from "./storage-error.ts";

/** Opens a file, hands its handle and size to `work`, and closes it. Gives nothing where there is no such file. */
export function withFile<Result>(file: string, work: (handle: number, size: number) => Result): Result | undefined {
  const handle = openIfThere(file);
  if (handle === undefined) return undefined;
  try {
    return work(handle, fstatSync(handle).size);
  } finally {
    closeSync(handle);
  }
}

/** Opens a file for reading; nothing where there is no such file. */
export function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw storageError(cause, file, "read");
  }
}

/** The text of a file; nothing where there is no such file. */
export function readText(file: string): string | undefined {
  try {
    return withFile(file, (handle) => readFileSync(handle, "utf8"));
  } catch (cause) {
    throw storageError(cause, file, "read");
  }
}

/** What a JSON file of ours holds; nothing where there is no such file, `damaged` where it holds anything else. */
export function readDocument<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): z.output<Schema> | "damaged" | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  try {
    return schema.parse(parseJson(text, { what: `file ${file}`, path: file }));
  } catch {
    return "damaged";
  }
}

/** The same, where a damaged file is as good as none. */
export function findDocument<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> | undefined {
  const found = readDocument(file, schema);
  return found === "damaged" ? undefined : found;
}

export function exists(path: string): boolean {
  return existsSync(path);
}

/** How long a file is; 0 where there is no such file. */
export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The names in a folder; none where there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return [];
    throw storageError(cause, folder, "read");
  }
}

/** Removes files, those that are there. */
export function removeFiles(...files: readonly string[]): void {
  for (const file of files) {
    try {
      rmSync(file, { force: true });
    } catch (cause) {
      throw storageError(cause, file, "written");
    }
  }
}
