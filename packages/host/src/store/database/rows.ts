import type { DeleteQueryBuilder, DeleteResult, Kysely, SelectQueryBuilder } from "kysely";
import type { Reader, Transaction } from "./database.ts";
import type { Rows, Tables } from "./tables.ts";

type Table = keyof Rows;

/** Values that columns must have; `null` is one of them. */
export type Key<Name extends Table> = { readonly [Column in keyof Rows[Name]]?: Rows[Name][Column] };

/** The same for a search, where `undefined` stands for any value. Nothing is changed or deleted by such a key. */
type Filter<Name extends Table> = { readonly [Column in keyof Rows[Name]]?: Rows[Name][Column] | undefined };

/** New values of columns; with `undefined` one stays as it is. */
export type Change<Name extends Table> = Omit<Filter<Name>, "seq">;

/** Kysely's types cannot follow a table that is a type parameter, so the types are given back at the end of each function. */
type AnyTables = Record<string, Record<string, string | number | null>>;
type AnyValues = Readonly<Record<string, string | number | null | undefined>>;

function untyped({ query }: Reader): Kysely<AnyTables> {
  return query as unknown as Kysely<AnyTables>;
}

/** The rows that have these values. */
export function rowsOf<Name extends Table>(
  reader: Reader,
  table: Name,
  key: Filter<Name>,
): SelectQueryBuilder<Tables, Name, object> {
  return untyped(reader)
    .selectFrom(table as string)
    .where((row) => row.and(key as AnyValues));
}

export async function findRow<Name extends Table>(
  reader: Reader,
  table: Name,
  key: Key<Name>,
): Promise<Rows[Name] | undefined> {
  const rows = rowsOf(reader, table, key) as unknown as SelectQueryBuilder<AnyTables, string, object>;
  return (await rows.selectAll().executeTakeFirst()) as Rows[Name] | undefined;
}

/** Changes the rows that have these values, and gives one of them as it is then. */
export async function updateRow<Name extends Table>(
  tx: Transaction,
  table: Name,
  key: Key<Name>,
  change: Change<Name>,
): Promise<Rows[Name] | undefined> {
  const row = await untyped(tx)
    .updateTable(table as string)
    .set(change as AnyValues)
    .where((each) => each.and(key as AnyValues))
    .returningAll()
    .executeTakeFirst();
  return row as Rows[Name] | undefined;
}

/** Deletes the rows that have these values, and further conditions. */
export function deleteOf<Name extends Table>(
  tx: Transaction,
  table: Name,
  key: Key<Name>,
): DeleteQueryBuilder<Tables, Name, DeleteResult> {
  const rows = untyped(tx)
    .deleteFrom(table as string)
    .where((row) => row.and(key as AnyValues));
  return rows as unknown as DeleteQueryBuilder<Tables, Name, DeleteResult>;
}
