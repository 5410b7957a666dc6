import { GalleyError } from "@galley/engine";
import { neededHint, neededNode, runtimeName } from "./needed-node.js";

type Sqlite = typeof import("node:sqlite");

let known: Sqlite | undefined;

/**
 * SQLite as the program that runs us brings it. Asked for and not imported, so that one without it, or with one that loses
 * text behind a NUL (Node 22, Deno), is told in a sentence what is needed, before anything is written [J4].
 */
export function sqlite(): Sqlite {
  if (known) return known;
  const found = process.getBuiltinModule("node:sqlite") as Sqlite | undefined;
  if (!found || !keepsText(found)) {
    const why = found ? `the SQLite of ${runtimeName} loses text behind a NUL` : `${runtimeName} has no SQLite`;
    throw new GalleyError("StoreUnavailable", `${neededNode}: ${why}.`, { hint: neededHint });
  }
  known = found;
  return known;
}

function keepsText({ DatabaseSync }: Sqlite): boolean {
  const db = new DatabaseSync(":memory:");
  try {
    return db.prepare("SELECT 'a' || char(0) || 'b' AS text").get()?.["text"] === "a\0b";
  } finally {
    db.close();
  }
}
