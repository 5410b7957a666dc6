import type { DatabaseSync } from "node:sqlite";
import type { SearchQuery } from "./search-query.ts";

/** As many documents as are read in the end. */
const most = 48;
/** What more documents have than this is not weighed in all of them: the newest are taken. */
const manyDocuments = 3000;

/** The rows that may answer a query: those with all of its parts, and those with its rarest. */
export function findCandidates(db: DatabaseSync, query: SearchQuery, wanted: number): number[] {
  const limit = Math.max(most, wanted);
  const found = new Set<number>();
  const take = (expression: string, count: number): void => {
    // Sorted by rank every hit has to be weighed; by age FTS5 stops after the last that is wanted.
    const order = count > manyDocuments ? "rowid DESC" : "rank";
    const rows = db.prepare(`SELECT rowid AS id FROM terms WHERE terms MATCH ? ORDER BY ${order} LIMIT ?`);
    for (const { id } of rows.all(expression, limit)) found.add(Number(id));
  };
  const present = query.units.filter(({ count }) => count > 0);
  const [rarest] = present;
  if (!rarest) return [];
  if (present.length > 1) take(present.map(({ expression }) => expression).join(" AND "), rarest.count);
  if (rarest.count > manyDocuments) take(`{title summary} : ${rarest.expression}`, 0);
  let sum = 0;
  const affordable = present.filter(({ count }) => (sum += count) <= manyDocuments);
  take(
    (affordable.length > 0 ? affordable : [rarest]).map(({ expression }) => expression).join(" OR "),
    Math.min(sum, rarest.count),
  );
  return [...found];
}
