import { randomBytes } from "node:crypto";
import { type Stats, linkSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { exists, namesIn, removeFiles } from "./data-files.ts";
import { holdFolder, inFolderOf, pathError, refuseUnlessFile } from "./data-paths.ts";
import { checkOpened } from "./opened-folders.ts";
import { syncFolder } from "./private-folder.ts";
import { fateOf, ownIdentity } from "./process-identity.ts";
import { errorCode } from "./storage-error.ts";

/** Pieces are written together until they are this long. */
const pieceLength = 1024 * 1024;

const temporary = /^\.(.+)\.(\d+)-([^-]*)-[0-9a-f]+\.tmp$/;

/** A file that is whole and durable, but not yet in its place. */
export interface Draft {
  /** Puts it in its place; `isNew` refuses (EEXIST) to take that of a file that is there. */
  commit(options?: { readonly isNew?: boolean }): Promise<void>;
  discard(): Promise<void>;
}

export interface DraftOptions {
  /** Where the draft lies, on the same disk; beside the file by default. */
  readonly folder?: string;
  /** For its owner alone by default; otherwise the umask has its say. */
  readonly mode?: number;
  /** A file whose rights and owner it takes over. */
  readonly like?: Stats;
  /** Looks at the empty file, and throws where the content must not be written into it. */
  readonly check?: (made: Stats) => void;
}

/** Writes what shall become a file. What the system refuses is thrown as it is, and no draft is left. */
export async function writeDraft(
  file: string,
  content: Iterable<string | Uint8Array>,
  { folder = dirname(file), mode = 0o600, like, check }: DraftOptions = {},
): Promise<Draft> {
  const { pid, start } = ownIdentity();
  const name = basename(file).slice(0, shownName);
  const draft = join(folder, `.${name}.${pid}-${start}-${randomBytes(6).toString("hex")}.tmp`);
  const discard = async (): Promise<void> => {
    try {
      removeFiles(draft);
    } catch {
      // `abandonedDrafts` finds it.
    }
  };
  try {
    const handle = await openNew(draft, mode);
    try {
      if (like !== undefined) await takeOver(handle, like);
      check?.(await handle.stat());
      for (const piece of gather(content)) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    await discard();
    throw cause;
  }
  return {
    discard,
    async commit({ isNew = false } = {}) {
      checkOpened(file);
      inFolderOf(draft, (from) =>
        inFolderOf(file, (to) => {
          refuseUnlessFile(to, file);
          if (isNew) linkOrRename(from, to);
          else renameSync(from, to);
        }),
      );
      syncFolder(dirname(file));
      checkOpened(file);
    },
  };
}

/** Opens a file of its own, in a folder that nothing can be exchanged for meanwhile. */
async function openNew(file: string, mode: number): Promise<FileHandle> {
  const { path, release } = holdFolder(dirname(file));
  try {
    return await open(join(path, basename(file)), "wx", mode);
  } finally {
    release();
  }
}

/** Characters of the name that a draft shows: with what it has beside, it stays below the limit of 255 bytes. */
const shownName = 50;

async function takeOver(handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> {
  const own = await handle.stat();
  // Only root may give files away; for others it stays their own.
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid).catch(() => undefined);
  await handle.chmod(mode & 0o777);
}

/** Unlike a rename, a link never takes the place of a file that is there; but not every disk has links. */
function linkOrRename(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (cause) {
    if (errorCode(cause) === "EEXIST" || exists(file)) throw cause;
    renameSync(draft, file);
    return;
  }
  rmSync(draft, { force: true });
}

/**
 * Puts a new file in the place of another so that every reader, at every moment and after every crash, finds the old one
 * or the new one whole. With a `folder` of its own for the draft, the target's folder changes once.
 */
export async function replaceFile(
  file: string,
  content: Iterable<string | Uint8Array>,
  options: DraftOptions = {},
): Promise<void> {
  try {
    const draft = await writeDraft(file, content, options);
    try {
      await draft.commit();
    } catch (cause) {
      await draft.discard();
      throw cause;
    }
  } catch (cause) {
    throw pathError(cause, file, "written");
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
  return namesIn(folder)
    .filter((name) => {
      const [, , pid, start] = temporary.exec(name) ?? [];
      if (pid === undefined) return false;
      return fateOf({ ...ownIdentity(), pid: Number(pid), start: start ?? "" }) === "dead";
    })
    .map((name) => join(folder, name));
}
