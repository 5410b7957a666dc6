import { GalleyError } from "@galley/engine";

const maxSessionLength = 600;

/** A session's id as a database can hold it: PostgreSQL has no NUL in text, and neither database half a surrogate pair. */
export function sessionColumn(id: string): string {
  return /^"|[\p{Cc}\p{Cs}]/u.test(id) ? JSON.stringify(id) : id;
}

export function fromSessionColumn(column: string): string {
  return column.startsWith('"') ? (JSON.parse(column) as string) : column;
}

/** Refuses what cannot be the id of a session with builds or runs. A chat's id holds its key, which may be anything. */
export function checkSession(id: string): void {
  if (id.length > 0 && id.length <= maxSessionLength) return;
  throw new GalleyError("InvalidId", `${JSON.stringify(id.slice(0, 80))} cannot be the id of a session.`, {
    hint: `It has 1 to ${maxSessionLength} characters.`,
  });
}
