import { GalleyError } from "@galley/engine";
import { NoResultError } from "kysely";
import { duplicateIdError } from "./ids.ts";
import { isDamaged, isForeign, isTaken, isUnusable, sqliteError } from "../../disk/open-sqlite.ts";
import { messageOf } from "../../disk/storage-error.ts";

/** Looks at a file that something is wrong with. */
export interface FileProbe {
  /** Throws when a newer Galley has changed the file since it was opened. */
  readonly refuseNewer: () => void;
  /** Whether nothing is wrong with the file itself. Reads all of it. */
  readonly isSound: () => boolean;
}

/** Runs `work` on a database file; what shows that the file is damaged becomes an error that says so. */
export async function reportCorruption<Result>(
  file: string,
  work: () => Promise<Result>,
  { refuseNewer, isSound }: FileProbe,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const known = sqliteError(error, file);
    if (known instanceof GalleyError) throw known;
    if (isTaken(error)) throw duplicateIdError(error);
    if (isDamaged(error)) throw damagedFile(file, error);
    if (!isUnusable(error) && !isOdd(error)) throw error;
    try {
      refuseNewer();
    } catch (newer) {
      // A file without a version that can be read is not newer but damaged.
      if (!isUnusable(newer)) throw newer;
    }
    // One odd row, or a fault of our own, must not tell a person to move a sound file away.
    if (!isSound()) throw damagedFile(file, error);
    throw isForeign(error) ? otherSchema(file, error) : oddRow(file, error);
  }
}

/** How long a file that was found sound counts as sound, in ms: one faulty program must not have it read again and again. */
const soundFor = 60_000;

export function rememberSound(isSound: () => boolean, steady = (): number => performance.now()): () => boolean {
  let until = -Infinity;
  return () => {
    if (steady() < until) return true;
    const isFound = isSound();
    if (isFound) until = steady() + soundFor;
    return isFound;
  };
}

/**
 * What rows can cause that Galley has not written: one that is missing, text that is not JSON, bytes that do not unpack, or
 * a field that a program stumbles over.
 */
function isOdd(error: unknown): boolean {
  const kinds = [SyntaxError, NoResultError, TypeError, RangeError];
  if (kinds.some((kind) => error instanceof kind)) return true;
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}

function damagedFile(file: string, cause: unknown): GalleyError {
  return new GalleyError("StoreDamaged", `${file} is damaged or not a database; it was left as it is.`, {
    path: file,
    hint: "`galley doctor` says what is damaged; what lies elsewhere in the file can still be read. Restore a backup, or move the file away to start with an empty store.",
    cause,
  });
}

/** A row that is whole and yet not what it should be; or a mistake of ours, which its cause tells. */
function oddRow(file: string, cause: unknown): GalleyError {
  // What a parser says repeats some of the text.
  const why = cause instanceof SyntaxError ? "its text is not JSON" : messageOf(cause);
  return new GalleyError("StoreDamaged", `A row of ${file} is not what it should be (${why}).`, {
    path: file,
    hint: "The file itself is sound, and nothing was changed: `galley doctor` says what contradicts itself in it.",
    cause,
  });
}

/** Nothing is lost in such a file: the hint must not say to move it away. */
function otherSchema(file: string, cause: unknown): GalleyError {
  return new GalleyError("StoreVersion", `${file} has another schema than this Galley knows (${messageOf(cause)}).`, {
    path: file,
    hint: "The file is sound: keep it, and use the Galley that wrote it, or the newest one. Nothing was changed.",
    cause,
  });
}
