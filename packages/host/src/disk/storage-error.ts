import { GalleyError, type Problem } from "@galley/engine";

const hints: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: make room and try again. Nothing that was stored before is affected.",
  EDQUOT: "The quota is used up: make room and try again. Nothing that was stored before is affected.",
  EFBIG: "The file may not grow any further: raise the limit on file sizes, or start a new context.",
  EROFS: "The disk is mounted read-only.",
  EACCES: "Check the permissions of the data folder.",
  EPERM: "Check the permissions of the data folder.",
  EIO: "The disk itself failed: look at the system's log, and save what can be saved. Try again if it was a moment's fault.",
  ENOENT: "Something on the way to it is missing, or is a place where nothing can be made.",
  EEXIST: "A file stands where a folder is needed: name another place, or move the file away.",
  ENOTDIR: "A file stands where a folder is needed: name another place, or move the file away.",
  EMFILE: "Too many files are open: close chats that are not needed.",
};

/** What the system refused, as one of our errors; errors of ours pass as they are. */
export function storageError(
  cause: unknown,
  file: string,
  done: "read" | "written" | "made",
  code = errorCode(cause) ?? "unknown",
): GalleyError {
  if (cause instanceof GalleyError) return cause;
  const hint = hints[code] ?? "Check the disk and the permissions of the data folder.";
  const retryable = code === "ENOSPC" || code === "EDQUOT" || code === "EMFILE";
  const message = `${file} cannot be ${done} (${code}).`;
  return new GalleyError("StorageFailed", message, { path: file, hint, retryable, cause });
}

/** An error that keeps one thing from being shown, and nothing else. */
export function warningOf({ code, message, path, hint }: GalleyError, place: string): Problem {
  return { severity: "warning", code, message, path: path ?? place, hint };
}

/** Whether the disk itself is the cause, and not what was named: then no other name would help. */
export function isDiskFailure(cause: unknown): boolean {
  return ["ENOSPC", "EDQUOT", "EFBIG", "EROFS", "EIO", "EMFILE", "ENFILE"].includes(errorCode(cause) ?? "");
}

/** The system's code of an error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** What an error says; whatever else was thrown, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
