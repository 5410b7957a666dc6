import { GalleyError } from "@galley/engine";
import { messageOf } from "../../disk/storage-error.ts";

// PostgreSQL has no NUL in text, and neither database keeps half a surrogate pair.
const idPattern = /^[^\p{Cc}\p{Cs}]{1,200}$/u;
const maxSessionLength = 600;

/** Whether something can be an id: 1 to 200 characters, no control characters, no halves of surrogate pairs. */
export function isId(id: string): boolean {
  return idPattern.test(id);
}

/** What cannot be an id is the id of nothing; databases would refuse or bend it. */
export function searchedId(id: string): string {
  return isId(id) ? id : "";
}

/** Refuses what cannot be an id, before anything is written. */
export function checkIds(what: string, ids: readonly string[]): void {
  const bad = ids.find((id) => !isId(id));
  if (bad !== undefined) throw invalidId(what, bad, "An id has 1 to 200 characters, without control characters.");
}

/** Refuses two things of one id in one request. */
export function checkDistinct(what: string, items: readonly { readonly id: string }[]): void {
  const ids = items.map(({ id }) => id);
  checkIds(what, ids);
  if (new Set(ids).size === ids.length) return;
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  throw new GalleyError("DuplicateId", `Two ${what}s of one request have the id ${JSON.stringify(twice)}.`);
}

/** Refuses what cannot be the id of a session with builds or runs. A chat's id holds its key, which may be anything. */
export function checkSessionId(id: string): void {
  if (id.length > 0 && id.length <= maxSessionLength) return;
  throw invalidId("session", id, `It has 1 to ${maxSessionLength} characters.`);
}

/** A session's id as a database can hold it. */
export function encodeSessionId(id: string): string {
  return /^"|[\p{Cc}\p{Cs}]/u.test(id) ? JSON.stringify(id) : id;
}

export function decodeSessionId(column: string): string {
  return column.startsWith('"') ? (JSON.parse(column) as string) : column;
}

function invalidId(what: string, id: string, hint: string): GalleyError {
  return new GalleyError("InvalidId", `${JSON.stringify(id.slice(0, 80))} cannot be the id of a ${what}.`, { hint });
}

export function duplicateIdError(cause: unknown): GalleyError {
  return new GalleyError("DuplicateId", `An id is already taken by something else (${messageOf(cause)}).`, {
    hint: "Give new agents, tasks and batches ids of their own.",
    cause,
  });
}
