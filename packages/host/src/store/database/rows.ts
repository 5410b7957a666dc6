import {
  type Compilable,
  CompiledQuery,
  type DeleteQueryBuilder,
  type DeleteResult,
  type Kysely,
  type SelectQueryBuilder,
} from "kysely";
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

type Value = string | number | null | undefined;

/** What a query looks like but for its values: `null` and absent ones make another text. */
function shapeOf(values: Readonly<Record<string, Value>>): string {
  return Object.entries(values)
    .map(([column, value]) => `${column}${value === undefined ? "-" : value === null ? "0" : ""}`)
    .join();
}

/** Values of a query, in the order of its text. */
function valuesOf(values: Readonly<Record<string, Value>>, isSearched: boolean): readonly Value[] {
  return Object.values(values).filter((value) => value !== undefined && (value !== null || !isSearched));
}

const maxWritten = 1000;
/** Statements with more rows than this are made too seldom to be kept. */
const maxAgain = 8;

/** Runs a query; what was built once for its shape is not built again. The values stand in the order of the query's text. */
export async function runAgain<Row>(
  { query, written, run }: Reader,
  shape: string,
  values: readonly Value[],
  build: () => Compilable<Row>,
): Promise<readonly Row[]> {
  const known = written.get(shape);
  if (known !== undefined && run) return run(known, values) as readonly Row[];
  if (known !== undefined) return (await query.executeQuery<Row>(CompiledQuery.raw(known, [...values]))).rows;
  const compiled = build().compile();
  const isPlain =
    compiled.parameters.length === values.length &&
    compiled.parameters.every((parameter, index) => parameter === values[index]);
  if (isPlain && written.size < maxWritten) written.set(shape, compiled.sql);
  return (await query.executeQuery<Row>(compiled)).rows;
}

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
  const [row] = await runAgain(
    reader,
    `find ${table} ${shapeOf(key as AnyValues)}`,
    valuesOf(key as AnyValues, true),
    () => (rowsOf(reader, table, key) as unknown as SelectQueryBuilder<AnyTables, string, object>).selectAll(),
  );
  return row as unknown as Rows[Name] | undefined;
}

/** Changes the rows that have these values, and gives one of them as it is then: all of it, or these columns. */
export async function updateRow<Name extends Table>(
  tx: Transaction,
  table: Name,
  key: Key<Name>,
  change: Change<Name>,
  columns?: readonly (keyof Rows[Name] & string)[],
): Promise<Rows[Name] | undefined> {
  const [searched, changed] = [key as AnyValues, change as AnyValues];
  const shape = `update ${table} ${shapeOf(changed)} where ${shapeOf(searched)} ${columns?.join() ?? ""}`;
  const [row] = await runAgain(tx, shape, [...valuesOf(changed, false), ...valuesOf(searched, true)], () => {
    const update = untyped(tx)
      .updateTable(table as string)
      .set(changed)
      .where((each) => each.and(searched));
    return columns ? update.returning([...columns]) : update.returningAll();
  });
  return row as unknown as Rows[Name] | undefined;
}

export async function insertRows<Name extends Table>(
  tx: Transaction,
  table: Name,
  rows: readonly Change<Name>[],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows as readonly AnyValues[];
  const insert = () =>
    untyped(tx)
      .insertInto<string>(table)
      .values([...values]);
  if (values.length > maxAgain) {
    await insert().execute();
    return;
  }
  const shape = `insert ${table} ${values.map(shapeOf).join(" ")}`;
  const all = values.flatMap((row) => valuesOf(row, false));
  await runAgain(tx, shape, all, insert);
}

/** Writes a row unless one has its key, and gives it as it is then; nothing where one has. */
export async function insertNew<Name extends Table>(
  tx: Transaction,
  table: Name,
  key: readonly (keyof Rows[Name] & string)[],
  row: Change<Name>,
): Promise<Rows[Name] | undefined> {
  const values = row as AnyValues;
  const [made] = await runAgain(tx, `insert new ${table} ${shapeOf(values)}`, valuesOf(values, false), () =>
    untyped(tx)
      .insertInto<string>(table)
      .values(values)
      .onConflict((conflict) => conflict.columns([...key]).doNothing())
      .returningAll(),
  );
  return made as unknown as Rows[Name] | undefined;
}

/** Writes a row with this key, or these values into the one that has it. */
export async function upsertRow<Name extends Table>(
  tx: Transaction,
  table: Name,
  key: Key<Name>,
  values: Change<Name>,
): Promise<void> {
  const [own, changed] = [key as AnyValues, values as AnyValues];
  const shape = `upsert ${table} ${shapeOf(own)} ${shapeOf(changed)}`;
  const all = [...valuesOf(own, false), ...valuesOf(changed, false), ...valuesOf(changed, false)];
  await runAgain(tx, shape, all, () =>
    untyped(tx)
      .insertInto<string>(table)
      .values({ ...own, ...changed })
      .onConflict((conflict) => conflict.columns(Object.keys(own)).doUpdateSet(changed)),
  );
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

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;

const callersNames = new Map<string, string>();

/** Columns under the names that callers know: `max_failures` is `maxFailures`. */
export function camelCased<Row extends object>(row: Row): { readonly [Name in keyof Row as Camel<Name>]: Row[Name] } {
  const named = Object.entries(row).map(([column, value]) => {
    const known = callersNames.get(column) ?? column.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
    callersNames.set(column, known);
    return [known, value] as const;
  });
  return Object.fromEntries(named) as ReturnType<typeof camelCased<Row>>;
}

/** What a column holds as JSON, or `null`. */
export function parsed(column: string | null): unknown {
  return column === null ? null : JSON.parse(column);
}

export function chunksOf<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
