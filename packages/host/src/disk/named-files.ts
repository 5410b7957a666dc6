import { constants } from "node:fs";
// `glob` by the default export: a Node without it must get as far as saying that it is too old.
import fs, { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { GalleyError, parseJson } from "@galley/engine";
import { decodeText } from "./decode-text.ts";
import { errorCode } from "./storage-error.ts";

// Files that a person names, on a command line or in a configuration: links are followed, because the person may have made
// them. But no file is read without end.

/** Reads a text file that goes into a prompt or is a configuration; refuses what is not a file, or larger than `maxBytes`. */
export async function readSmallFile(file: string, maxBytes: number): Promise<string> {
  const bytes = await readNamed(file, async (handle) => {
    const found = await handle.stat();
    if (!found.isFile()) throw unreadable(file, "is not a file", "Name a plain file.");
    if (found.size > maxBytes) {
      const hint = "Split it, and keep what every session needs.";
      throw unreadable(file, `has ${found.size} bytes; at most ${maxBytes} are read`, hint);
    }
    return handle.readFile();
  });
  const text = bytes.toString();
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

// A pipe without a writer must not be waited for.
async function readNamed(file: string, read: (handle: FileHandle) => Promise<Buffer>): Promise<Buffer> {
  try {
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      return await read(handle);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof GalleyError) throw cause;
    throw notOpened(file, cause);
  }
}

function notOpened(file: string, cause: unknown): GalleyError {
  const code = errorCode(cause) ?? "unknown";
  const told = { path: file, hint: "Check the path, and who may read it.", cause };
  if (code === "ENOENT") return new GalleyError("FileNotFound", `There is no file ${file}.`, told);
  return new GalleyError("FileUnreadable", `${file} cannot be read (${code}).`, told);
}

function unreadable(file: string, what: string, hint: string): GalleyError {
  return new GalleyError("FileUnreadable", `${file} ${what}.`, { path: file, hint });
}

/** No document that is imported comes near this. A device such as /dev/zero has no end at all. */
const maxImportBytes = 256 * 1024 * 1024;

/** Reads a file, or a pipe, that a person named on the command line. What the system refuses is thrown as it is. */
export async function readToEnd(file: string, maxBytes = maxImportBytes): Promise<Buffer> {
  const handle = await open(file, "r");
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of handle.createReadStream({ autoClose: false, highWaterMark: 1024 * 1024 })) {
      const bytes = piece as Buffer;
      size += bytes.length;
      if (size > maxBytes) {
        throw unreadable(
          file,
          `has more than ${maxBytes} bytes`,
          "Name a smaller file; this much is not read at once.",
        );
      }
      pieces.push(bytes);
    }
    return Buffer.concat(pieces);
  } finally {
    await handle.close();
  }
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

/** Small, so that what is read of a large file is little at any time. */
const pieceBytes = 128 * 1024;

/**
 * The text of a plain file that a person named, in pieces, however large the file is. Links are followed; a pipe, a device or a
 * folder is refused.
 */
export async function* readNamedText(file: string): AsyncGenerator<string> {
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((cause: unknown) => {
    throw notOpened(file, cause);
  });
  try {
    if (!(await handle.stat()).isFile())
      throw unreadable(file, "is not a plain file", "Name a file, or a folder of logs.");
    yield* decodeText(handle.createReadStream({ autoClose: false, highWaterMark: pieceBytes }));
  } finally {
    await handle.close();
  }
}

export async function isNamedFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() ?? false;
}

/** A file that was named, or found in a folder that was. */
export interface NamedFile {
  readonly path: string;
  /** Found and not named: one that is not a log is passed over. */
  readonly isFound: boolean;
}

/** The files behind what a person named: files, folders, patterns; `-` stays as it is. */
export async function expandPaths(paths: readonly string[]): Promise<readonly NamedFile[]> {
  const files: NamedFile[] = [];
  for (const path of paths) {
    const found = path === "-" ? undefined : await stat(path).catch(() => undefined);
    if (found?.isDirectory()) files.push(...(await filesBelow(path)));
    else if (found === undefined && path !== "-" && /[*?[{]/.test(path)) files.push(...(await matching(path)));
    else files.push({ path, isFound: false });
  }
  return files;
}

async function filesBelow(folder: string): Promise<readonly NamedFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => ({ path: join(entry.parentPath, entry.name), isFound: true }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function matching(pattern: string): Promise<readonly NamedFile[]> {
  const files: NamedFile[] = [];
  for await (const path of fs.glob(pattern)) files.push({ path, isFound: true });
  if (files.length > 0) return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const hint = "Put the pattern in quotes to keep the shell from reading it, or name the files.";
  throw new GalleyError("FileNotFound", `No file matches ${pattern}.`, { path: pattern, hint });
}

export async function sizeOf(path: string): Promise<number> {
  return (await stat(path)).size;
}
