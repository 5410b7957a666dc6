import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncFolder } from "../store/make-folder.ts";
import { fateOf, ownIdentity } from "./process-identity.ts";
import { storageError } from "../store/storage-error.ts";

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
    const handle = await open(draft, "wx", 0o600);
    try {
      for (const piece of gather(content)) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    syncFolder(dirname(file));
  } catch (cause) {
    // Where the draft cannot be removed either, the next one to come finds that nobody works on it.
    await rm(draft, { force: true }).catch(() => undefined);
    throw storageError(cause, file, "written");
  }
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
