import { GalleyError } from "@galley/engine";

// PostgreSQL has no NUL in text, and neither database keeps half a surrogate pair.
const idPattern = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** Whether something can be an id: 1 to 200 characters, no control characters, no halves of surrogate pairs. */
export function isId(id: string): boolean {
  return idPattern.test(id);
}

/** Refuses what cannot be an id, before anything is written. */
export function checkIds(what: string, ids: readonly string[]): void {
  const bad = ids.find((id) => !isId(id));
  if (bad === undefined) return;
  throw new GalleyError("InvalidId", `${JSON.stringify(bad.slice(0, 80))} cannot be the id of a ${what}.`, {
    hint: "An id has 1 to 200 characters, without control characters.",
  });
}

/** Refuses two things of one id in one request. */
export function checkDistinct(what: string, ids: readonly string[]): void {
  checkIds(what, ids);
  if (new Set(ids).size === ids.length) return;
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  throw new GalleyError("DuplicateId", `Two ${what}s of one request have the id ${JSON.stringify(twice)}.`);
}
