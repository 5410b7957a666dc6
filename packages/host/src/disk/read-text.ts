import { readFileSync } from "node:fs";
import { storageError } from "./storage-error.ts";

/** The text of a file; a failure is an error with its path. */
export function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw storageError(cause, file, "read");
  }
}
