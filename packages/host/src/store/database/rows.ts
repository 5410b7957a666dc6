import type { DeleteQueryBuilder, DeleteResult, Kysely, SelectQueryBuilder } from "kysely";
import type { Reader, Transaction } from "./database.ts";
import { isId, searchedId } from "./ids.ts";
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

type IdTable = "cards" | "boxes" | "box_segments" | "agents" | "batches" | "tasks";

const idColumns: Readonly<Record<IdTable, string>> = {
  cards: "card_id",
  boxes: "box_id",
  box_segments: "box_id",
  agents: "agent_id",
  batches: "batch_id",
  tasks: "task_id",
};

/** The rows of a project that have one of these ids. */
export function rowsById<Name extends IdTable>(
  reader: Reader,
  table: Name,
  projectId: string,
  ids: readonly string[],
): SelectQueryBuilder<Tables, Name, object> {
  const column: string = idColumns[table];
  return untyped(reader)
    .selectFrom(table as string)
    .where("project_id", "=", searchedId(projectId))
    .where(column, "in", reader.listed(ids.filter(isId)));
}

/** One answer for each id, in the order of the ids; nothing for those that do not exist. */
export function inOrder<Item extends { readonly id: string }>(
  ids: readonly string[],
  items: readonly Item[],
): (Item | undefined)[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return ids.map((id) => byId.get(id));
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

/** Writes a row with this key, or these values into the one that has it. */
export async function upsertRow<Name extends Table>(
  tx: Transaction,
  table: Name,
  key: Key<Name>,
  values: Change<Name>,
): Promise<void> {
  await untyped(tx)
    .insertInto<string>(table)
    .values({ ...key, ...values })
    .onConflict((conflict) => conflict.columns(Object.keys(key)).doUpdateSet(values as AnyValues))
    .execute();
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
