import { openSync } from "node:fs";
import { storageError } from "./storage-error.ts";

/** Opens a file that is there; what the system refuses is an error of ours. */
export function openForReading(file: string): number {
  try {
    return openSync(file, "r");
  } catch (cause) {
    throw storageError(cause, file, "read");
  }
}
