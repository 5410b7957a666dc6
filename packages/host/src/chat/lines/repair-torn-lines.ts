import { closeSync, existsSync, fstatSync } from "node:fs";
import { GalleyError, type Problem } from "@galley/engine";
import type { ChatWriter } from "./chat-writer.ts";
import { openForReading } from "../../disk/open-for-reading.ts";
import { readAt } from "../../disk/read-lines.ts";

/** A chat whose last writer was stopped in the middle of a line is mended when it is opened, if the disk permits. */
export async function mendTails(files: readonly string[], writer: ChatWriter): Promise<readonly Problem[]> {
  if (!files.some(hasOpenEnd)) return [];
  try {
    await writer.mend();
    return [];
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "StorageFailed") throw error;
    const { code, message, path = "", hint } = error;
    return [{ severity: "warning", code, message, path, ...(hint === undefined ? {} : { hint }) }];
  }
}

/** Whether a file's last line has no end. */
function hasOpenEnd(file: string): boolean {
  if (!existsSync(file)) return false;
  const handle = openForReading(file);
  try {
    const { size } = fstatSync(handle);
    return size > 0 && readAt(handle, size - 1, 1)[0] !== 10;
  } finally {
    closeSync(handle);
  }
}
