import { type Stats, readdirSync, realpathSync, statSync } from "node:fs";
import { type FileHandle, open, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { GalleyError } from "@galley/engine";
import { exists } from "../../disk/data-files.ts";
import { pathIn } from "../../disk/data-paths.ts";
import { readToEnd } from "../../disk/named-files.ts";
import { type Draft, writeDraft } from "../../disk/replace-file.ts";
import { errorCode, isDiskFailure, storageError } from "../../disk/storage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The data folder, which has to be there: the command changes what it has and makes none. */
export function existingDataFolder(data: string): string {
  const folder = resolve(data);
  if (exists(folder)) return folder;
  throw new GalleyError("NotFound", `${folder} does not exist.`, {
    path: folder,
    hint: "`galley up` makes a data folder, and --data names another.",
  });
}

/** Reads a text file; `-` is standard input. */
export async function readText(file: string, terminal: Terminal): Promise<string> {
  return file === "-" ? terminal.readStdin() : (await readBytes(file)).toString();
}

export async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readToEnd(file);
  } catch (cause) {
    throw fileError(file, "read", cause);
  }
}

/** A file to be written: a text, or bytes. */
export interface NewFile {
  readonly file: string;
  readonly text: string | Uint8Array;
}

interface WriteOptions {
  readonly isForced: boolean;
}

/**
 * Writes files, all of them or none: each is whole and durable before the first one takes its place, so that a full disk
 * costs no file that was there before.
 */
export async function writeFiles(files: readonly NewFile[], { isForced }: WriteOptions): Promise<void> {
  const drafts: { readonly file: string; readonly isNew: boolean; readonly draft: Draft }[] = [];
  const made: string[] = [];
  let at = "";
  try {
    for (const { file, text } of files) {
      at = file;
      const found = statSync(file, { throwIfNoEntry: false });
      if (found?.isFile() && !isForced) throw fileExists(file);
      drafts.push({ file, isNew: found === undefined, draft: await draftOf(file, text, found) });
    }
    for (const { file, isNew, draft } of drafts) {
      at = file;
      await draft.commit({ isNew: isNew && !isForced });
      if (isNew) made.push(file);
    }
  } catch (cause) {
    for (const { draft } of drafts) await draft.discard();
    for (const file of made) await rm(file, { force: true });
    throw errorCode(cause) === "EEXIST" ? fileExists(at) : fileError(at, "written", cause);
  }
}

/** Files beside others that an earlier call wrote there and this one did not: they do not belong to what is there now. */
export function leftBeside(base: string, written: readonly string[]): string[] {
  const start = `${basename(base)}.`;
  const own = new Set(written.map((file) => basename(file)));
  try {
    return readdirSync(dirname(base))
      .filter((name) => name.startsWith(start) && /\.(?:jsonl?|png)$/i.test(name) && !own.has(name))
      .map((name) => join(dirname(base), name));
  } catch {
    // Only to say so: what was asked for is written.
    return [];
  }
}

/** Writes a text file, or standard output when none is named. */
export async function writeText(
  file: string | undefined,
  text: string,
  terminal: Terminal,
  options: WriteOptions,
): Promise<void> {
  if (file === undefined || file === "-") terminal.out(text);
  else await writeFiles([{ file, text }], options);
}

/** @param found what is at the file's place now */
async function draftOf(file: string, text: NewFile["text"], found: Stats | undefined): Promise<Draft> {
  // The way to it may hold links: it is a place that a person named.
  if (found === undefined) return writeDraft(pathIn(dirname(file), basename(file)), [text], { mode: 0o666 });
  // Where a link was named, what it leads to is replaced and the link stays.
  if (found.isFile()) return writeDraft(realpathSync(file), [text], { like: found });
  // A device or a pipe has nothing to lose, and must not become a file; of a folder the system says that it is one.
  if (found.isDirectory()) await writeFile(file, text);
  return { commit: () => writeFile(file, text), discard: async () => undefined };
}

/** Appends lines to a file, which is made if it is not there. A last line that was not ended is ended first. */
export async function appendLines(file: string, lines: string): Promise<void> {
  if (lines === "") return;
  const before = statOrNothing(file);
  try {
    const handle = await open(file, "a+");
    try {
      await appendTo(handle, lines);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    // One that was made for this, and has got nothing, goes again.
    if (before === undefined && statOrNothing(file)?.size === 0) await rm(file, { force: true });
    throw fileError(file, "written", cause);
  }
}

async function appendTo(handle: FileHandle, lines: string): Promise<void> {
  const { size } = await handle.stat();
  const last = size > 0 ? (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer.toString() : "\n";
  const bytes = Buffer.from(last === "\n" ? lines : `\n${lines}`);
  let done = 0;
  try {
    while (done < bytes.length) done += (await handle.write(bytes, done)).bytesWritten;
    await handle.sync();
  } catch (cause) {
    // Half a line would make the whole file unreadable. What another process has appended since then is not ours to cut.
    if ((await handle.stat()).size === size + done) await handle.truncate(size);
    throw cause;
  }
}

function statOrNothing(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function fileExists(file: string): GalleyError {
  return new GalleyError("FileExists", `${file} already exists.`, {
    path: file,
    hint: "Name another file, or write --force to replace it.",
  });
}

const hints: Readonly<Record<string, string>> = {
  EISDIR: "It is a folder; name a file.",
  ENOTDIR: "A file stands where a folder is needed: name another place.",
  ENAMETOOLONG: "The name is too long; name a shorter one.",
  ELOOP: "It is a link that leads to itself.",
};

export function fileError(file: string, done: "read" | "written", cause: unknown): GalleyError {
  if (cause instanceof GalleyError) return cause;
  if (isDiskFailure(cause)) return storageError(cause, file, done);
  const code = errorCode(cause) ?? "unknown";
  if (code === "ENOENT") {
    const hint =
      done === "read"
        ? "Check the path; it is taken from the folder in which the command runs."
        : `Make the folder ${dirname(file)} first, or name another place.`;
    const message = `There is no ${done === "read" ? "file" : "folder for"} ${file}.`;
    return new GalleyError("FileNotFound", message, { path: file, hint, cause });
  }
  const rights =
    done === "read"
      ? "Check the permissions."
      : `Check the permissions of the file and of its folder, ${dirname(file)}.`;
  const message = `${file} cannot be ${done} (${code}).`;
  return new GalleyError("FileUnreadable", message, { path: file, hint: hints[code] ?? rights, cause });
}
