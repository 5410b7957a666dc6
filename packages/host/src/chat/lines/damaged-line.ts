import { GalleyError, type Problem } from "@galley/engine";
import { linesFromStart } from "../../disk/read-lines.ts";

/** A line that cannot be read, with its number: it is only counted when it is needed. */
export function damagedLine(file: string, handle: number, start: number, cause: unknown): GalleyError {
  let number = 1;
  if (start > 0) for (const _ of linesFromStart(handle, start)) number += 1;
  return lineError(file, number, cause);
}

/** What is wrong with a line whose number is known: it is damaged, or of a newer version. */
export function lineError(file: string, number: number, cause: unknown): GalleyError {
  if (cause instanceof GalleyError) {
    const hint = cause.hint === undefined ? {} : { hint: cause.hint };
    return new GalleyError(cause.code, `${file}, line ${number}: ${cause.message}`, { path: file, ...hint, cause });
  }
  const { message, path, hint } = damageAt(file, number, cause);
  return new GalleyError("DataDamaged", message, { path, ...(hint === undefined ? {} : { hint }), cause });
}

export function damageAt(file: string, line: number, cause: unknown): Problem {
  const detail = cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause);
  return {
    severity: "error",
    code: "DataDamaged",
    message: `${file}, line ${line} cannot be read: ${detail.replace(/\.?$/, ".")}`,
    path: `${file}:${line}`,
    hint: "galley doctor --fix moves the line to quarantine and keeps all others.",
  };
}
