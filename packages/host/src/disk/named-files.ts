import { open } from "node:fs/promises";
import { GalleyError, parseJson } from "@galley/engine";
import { errorCode } from "./storage-error.ts";

/** Reads a text file that a person named and that goes into a prompt; refuses one that is larger than any prompt should be. */
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
    const code = errorCode(cause) ?? "unknown";
    if (code === "ENOENT") throw new GalleyError("FileNotFound", `There is no file ${file}.`, { path: file, cause });
    throw new GalleyError("FileUnreadable", `${file} cannot be read (${code}).`, { path: file, cause });
  }
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Parses JSON that may hold secrets: what the parser says of a syntax error quotes the text, so it is not passed on. */
export function parsePrivateJson(text: string, file: string): unknown {
  try {
    return parseJson(text, { what: `file ${file}`, path: file });
  } catch (error) {
    const detail = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
    const place = /\(?(?:at )?(?:position \d+|line \d+ column \d+)(?: \(line \d+ column \d+\))?\)?/.exec(detail)?.[0];
    throw new GalleyError("InvalidJson", `${file} is not valid JSON${place ? ` ${place}` : ""}.`, {
      path: file,
      hint: "Look for a missing comma or quote, or a comma behind the last item.",
    });
  }
}
