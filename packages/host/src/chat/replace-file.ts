import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fateOf, ownIdentity } from "./process-identity.ts";
import { storageError } from "./storage-error.ts";

/** Pieces are written together until they are this long. */
const pieceLength = 1024 * 1024;

const temporary = /^\.(.+)\.(\d+)-([^-]*)-[0-9a-f]+\.tmp$/;

/**
 * Puts a new file in the place of another so that every reader, at every moment and after every crash, finds the old one
 * or the new one whole. The draft lies in `draftFolder`, so that the target's folder changes once.
 */
export async function replaceFile(
  file: string,
  content: Iterable<string | Uint8Array>,
  draftFolder = dirname(file),
): Promise<void> {
  const { pid, start } = ownIdentity();
  const draft = join(draftFolder, `.${basename(file)}.${pid}-${start}-${randomBytes(6).toString("hex")}.tmp`);
  try {
    const handle = await open(draft, "wx");
    try {
      for (const piece of gather(content)) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (cause) {
    await rm(draft, { force: true });
    throw storageError(cause, file, "written");
  }
  syncFolder(dirname(file));
}

function* gather(content: Iterable<string | Uint8Array>): Generator<string | Uint8Array> {
  let text = "";
  for (const chunk of content) {
    if (typeof chunk === "string") text += chunk;
    if (text !== "" && (typeof chunk !== "string" || text.length >= pieceLength)) {
      yield text;
      text = "";
    }
    if (typeof chunk !== "string") yield chunk;
  }
  if (text !== "") yield text;
}

/** Drafts in a folder whose process is not there any more. */
export function abandonedDrafts(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => {
      const [, , pid, start] = temporary.exec(name) ?? [];
      if (pid === undefined) return false;
      return fateOf({ ...ownIdentity(), pid: Number(pid), start: start ?? "" }) === "dead";
    })
    .map((name) => join(folder, name));
}

/** Makes the names in a folder durable. Windows has no such call; its renames are written through. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Makes a folder and those above it, durably; what people say to models is for nobody else on the machine to read. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  try {
    makeFolder(dirname(folder));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    syncFolder(dirname(folder));
  } catch (cause) {
    throw storageError(cause, folder, "written");
  }
}
