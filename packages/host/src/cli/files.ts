import { existsSync } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import { GalleyError } from "@galley/engine";
import type { Terminal } from "./terminal.ts";

/** Reads a text file; `-` is standard input. */
export async function readText(file: string, terminal: Terminal): Promise<string> {
  if (file === "-") return terminal.readStdin();
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw fileError(file, "read", cause);
  }
}

/** Reads a file as it is. */
export async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw fileError(file, "read", cause);
  }
}

/** Writes files that must not be there yet, all of them or none. */
export async function writeNew(
  files: readonly { readonly file: string; readonly text: string }[],
  { isForced }: { readonly isForced: boolean },
): Promise<void> {
  const there = isForced ? undefined : files.find(({ file }) => existsSync(file));
  if (there) {
    throw new GalleyError("FileExists", `${there.file} is there already.`, {
      path: there.file,
      hint: "Name another file, or write --force to replace it.",
    });
  }
  for (const { file, text } of files) {
    try {
      await writeFile(file, text, { flag: isForced ? "w" : "wx" });
    } catch (cause) {
      throw fileError(file, "written", cause);
    }
  }
}

/** Writes a text file, or standard output when none is named. */
export async function writeText(file: string | undefined, text: string, terminal: Terminal): Promise<void> {
  if (file === undefined || file === "-") {
    terminal.out(text);
    return;
  }
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw fileError(file, "written", cause);
  }
}

/** Appends lines to a file, which is made if it is not there. A last line that was not ended is ended first. */
export async function appendLines(file: string, lines: string): Promise<void> {
  if (lines === "") return;
  try {
    const handle = await open(file, "a+");
    try {
      const { size } = await handle.stat();
      const last = size > 0 ? (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString() : "\n";
      await handle.appendFile(last === "\n" ? lines : `\n${lines}`);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw fileError(file, "written", cause);
  }
}

function fileError(file: string, done: "read" | "written", cause: unknown): GalleyError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
  if (code === "ENOENT") {
    const hint = "Check the path; it is taken from the folder in which the command runs.";
    return new GalleyError("FileNotFound", `There is no ${done === "read" ? "file" : "folder for"} ${file}.`, {
      path: file,
      hint,
      cause,
    });
  }
  const hint = code === "EISDIR" ? "It is a folder; name a file." : "Check the permissions.";
  return new GalleyError("FileUnreadable", `${file} cannot be ${done} (${code}).`, { path: file, hint, cause });
}
