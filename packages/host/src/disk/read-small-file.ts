import { open } from "node:fs/promises";
import { GalleyError } from "@galley/engine";

/** Reads a text file that goes into a prompt; refuses one that is larger than any prompt should be. */
export async function readSmallFile(file: string, maximumBytes: number): Promise<string> {
  let text: string;
  try {
    const handle = await open(file, "r");
    try {
      const { size } = await handle.stat();
      if (size > maximumBytes) {
        throw new GalleyError("FileUnreadable", `${file} has ${size} bytes; at most ${maximumBytes} are read.`, {
          path: file,
          hint: "Split it, and keep what every session needs.",
        });
      }
      text = await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof GalleyError) throw cause;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    if (code === "ENOENT") throw new GalleyError("FileNotFound", `There is no file ${file}.`, { path: file, cause });
    throw new GalleyError("FileUnreadable", `${file} cannot be read (${code}).`, { path: file, cause });
  }
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}
