import type { DatabaseSync } from "node:sqlite";
import type { SearchQuery, SearchUnit } from "./search-query.ts";

/** As many documents are read in the end. */
const max = 24;
/** What more documents have is not looked up in all of them: the newest are taken. */
const manyDocuments = 3000;
/** What a part of the query is worth where it stands, on top of being there at all. */
const places = { title: 0.6, summary: 0.3, often: 0.3 };

/** The documents that an expression of FTS5 finds, and what that makes them worth. */
interface Lookup {
  readonly expression: string;
  readonly weight: number;
  readonly limit?: number;
}

/** The rows that may answer a query, the most promising first: those with the most and the rarest of its parts. */
export function findCandidates(db: DatabaseSync, { units }: SearchQuery, wanted: number): number[] {
  const present = units.filter(({ count }) => count > 0);
  const [rarest] = present;
  if (!rarest) return [];
  const limit = Math.max(max, wanted * 2);
  const affordable = takeWhileFew(present);
  const lookups = affordable.flatMap((unit) => inPlaces(unit));
  if (affordable.length === 0) lookups.push(...inPlaces(rarest, limit));
  if (affordable.length < present.length) {
    const weight = present.slice(affordable.length).reduce((sum, unit) => sum + unit.weight, 0);
    lookups.push({ expression: present.map(({ expression }) => expression).join(" AND "), weight, limit: limit * 2 });
  }
  return lookUp(db, lookups, limit);
}

function takeWhileFew(units: readonly SearchUnit[]): readonly SearchUnit[] {
  let sum = 0;
  return units.filter(({ count }) => (sum += count) <= manyDocuments);
}

function inPlaces({ expression, weight }: SearchUnit, limit?: number): Lookup[] {
  return [
    { expression, weight, limit },
    ...Object.entries(places).map(([place, share]) => {
      return { expression: `${place} : ${expression}`, weight: weight * share, limit };
    }),
  ];
}

function lookUp(db: DatabaseSync, lookups: readonly Lookup[], limit: number): number[] {
  // Ids follow time: from the newest on, FTS5 stops after the last that is wanted.
  const newest = "SELECT rowid, ? FROM terms WHERE terms MATCH ? ORDER BY rowid DESC LIMIT ?";
  const hits = lookups.map(() => `SELECT * FROM (${newest})`).join(" UNION ALL ");
  const rows = db.prepare(
    `WITH hits (id, worth) AS (${hits}) SELECT id FROM hits GROUP BY id ORDER BY sum(worth) DESC, id DESC LIMIT ?`,
  );
  const values = lookups.flatMap(({ expression, weight, limit = -1 }) => [weight, expression, limit]);
  return rows.all(...values, limit).map(({ id }) => Number(id));
}
