import { inflate } from "node:zlib";
import { promisify } from "node:util";
import type { LedgerRow, ModelMessage, ToolSpec } from "@galley/engine";
import { absoluteRows, readNumbers, readRows } from "./encode-build.ts";
import type {
  BuildItem,
  BuildUsage,
  BuildWindow,
  BuiltSession,
  CallNumbers,
  StoredBuild,
} from "../ports/build-store.ts";
import { decodeSessionId, isId } from "../database/ids.ts";
import type { Reader } from "../database/database.ts";
import { chunksOf, findRow, rowsOf } from "../database/rows.ts";
import type { BuildRow } from "../database/tables.ts";
import { type BuildPlace, type Range, rangesOf } from "./build-place.ts";
import { readDetails } from "./build-details.ts";
import { readOwnItems } from "./own-items.ts";

const inflated = promisify(inflate);

export function builtBy(reader: Reader, place: BuildPlace) {
  return rowsOf(reader, "builds", place);
}

const itemColumns = ["n", "build_key", "details", "usage"] as const;

/** Where a build stands, from its row. */
export function numbersOf(row: Pick<BuildRow, "n" | "build_key" | "details">): CallNumbers {
  const { turn, callOfTurn } = readDetails(row);
  return { n: row.n, turn, callOfTurn };
}

function fromItemRow(row: Pick<BuildRow, (typeof itemColumns)[number]>): BuildItem {
  return {
    ...readDetails(row),
    n: row.n,
    key: row.build_key,
    usage: row.usage === null ? null : (JSON.parse(row.usage) as BuildUsage),
  };
}

export async function listBuilds(
  reader: Reader,
  place: BuildPlace,
  { last, before }: BuildWindow,
): Promise<readonly BuildItem[]> {
  let builds = builtBy(reader, place).select(itemColumns);
  if (before !== undefined) builds = builds.where("n", "<", before);
  const rows = await (last === undefined
    ? builds.orderBy("n").execute()
    : builds.orderBy("n", "desc").limit(last).execute());
  if (last !== undefined) rows.reverse();
  return rows.map(fromItemRow);
}

export async function listSessions(reader: Reader, projectId: string): Promise<readonly BuiltSession[]> {
  if (!isId(projectId)) return [];
  const rows = await rowsOf(reader, "build_sessions", { project_id: projectId })
    .select(["session_id", "builds", "updated_at", "model", "input_tokens"])
    .orderBy("updated_at", "desc")
    .orderBy("session_id")
    .execute();
  return rows.map((row) => ({
    id: decodeSessionId(row.session_id),
    calls: row.builds,
    updatedAt: row.updated_at,
    model: row.model,
    inputTokens: row.input_tokens,
  }));
}

/** The session in which a turn has its first build. Every session is looked at: it is asked for when a client was lost. */
export async function findTurn(
  reader: Reader,
  projectId: string,
  turnId: string,
): Promise<{ readonly sessionId: string; readonly at: number } | undefined> {
  if (!isId(projectId) || !isId(turnId)) return undefined;
  const [row] = await rowsOf(reader, "builds", { project_id: projectId })
    .select(["session_id", "build_key", "details"])
    .where("build_key", ">=", turnId)
    .where("build_key", "<", `${turnId}0`)
    .orderBy("n")
    .limit(1)
    .execute();
  if (!row) return undefined;
  return { sessionId: decodeSessionId(row.session_id), at: readDetails(row).at };
}

/** The lists of a build: numbers of items, and rows of the ledger. */
interface BuildLists {
  readonly numbers: readonly number[];
  readonly rows: readonly LedgerRow[];
}

/** Reads from the last build whose ledger is written in full up to this one. */
export async function readLists(reader: Reader, place: BuildPlace, row: Pick<BuildRow, "n" | "base">) {
  const written = await builtBy(reader, place)
    .select(["items", "ledger"])
    .where("n", ">=", row.base)
    .where("n", "<=", row.n)
    .orderBy("n")
    .execute();
  let lists: BuildLists = { numbers: [], rows: [] };
  for (const { items, ledger } of written) {
    lists = { numbers: readNumbers(lists.numbers, items), rows: readRows(lists.rows, ledger) };
  }
  return lists;
}

export async function readBuild(reader: Reader, place: BuildPlace, n: number): Promise<StoredBuild | undefined> {
  const row = await builtBy(reader, place)
    .select([...itemColumns, "base", "tools"])
    .where("n", "=", n)
    .executeTakeFirst();
  if (!row) return undefined;
  const { numbers, rows } = await readLists(reader, place, row);
  const items = await itemsOf(reader, place, numbers);
  const messages = items.slice(row.tools);
  return {
    ...fromItemRow(row),
    tools: items.slice(0, row.tools).map((item) => item.content as ToolSpec),
    messages: messages.map((item) => item.content as ModelMessage),
    ledger: absoluteRows(rows),
    hashes: messages.map((item) => item.hash),
    removed: messages.flatMap((item, index) => (item.hash === null ? [index] : [])),
    raw: await rawOf(reader, place, n),
  };
}

interface ReadItem {
  readonly hash: string | null;
  readonly content: unknown;
}

/** For content that is missing although no purge removed it; `galley doctor` says more about it. */
const lostItem: ReadItem = { hash: null, content: { role: "system", content: "[lost]" } };

async function itemsOf(reader: Reader, place: BuildPlace, numbers: readonly number[]): Promise<readonly ReadItem[]> {
  const byNumber = new Map<number, ReadItem>();
  for (const some of chunksOf(rangesOf(numbers), rangesAtOnce)) {
    for (const { number, hash, shell, own, shared } of await itemRows(reader, place, some)) {
      const body = own ?? shared;
      const json = body ?? shell;
      if (json !== null) byNumber.set(number, { hash: body === null ? null : hash, content: JSON.parse(json) });
    }
  }
  const others = numbers.filter((number) => !byNumber.has(number));
  const own = await readOwnItems(reader, place, others);
  for (const [number, [, hash, content]] of own) byNumber.set(number, { hash, content });
  return numbers.map((number) => byNumber.get(number) ?? lostItem);
}

/** The hashes of items, by their numbers; those that were removed have none. */
export async function hashesOf(
  reader: Reader,
  place: BuildPlace,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string | null>();
  for (const some of chunksOf(rangesOf(numbers), rangesAtOnce)) {
    const rows = await rowsOf(reader, "build_items", place)
      .select(["number", "hash"])
      .where((row) => row.or(some.map(([first, last]) => row.between("number", first, last))))
      .execute();
    for (const { number, hash } of rows) found.set(number, hash);
  }
  const others = numbers.filter((number) => !found.has(number));
  for (const [number, [, hash]] of await readOwnItems(reader, place, others)) found.set(number, hash);
  return new Map([...found].flatMap(([number, hash]) => (hash === null ? [] : [[number, hash] as const])));
}

const rangesAtOnce = 100;

/** The items of a session that carry one of these hashes, with their bodies wherever they lie. */
export function itemsOfHashes(reader: Reader, place: BuildPlace, hashes: readonly string[]) {
  return itemsWithBodies(reader, place).where("item.hash", "in", reader.listed(hashes)).execute();
}

function itemsWithBodies({ query }: Reader, { project_id, session_id }: BuildPlace) {
  return query
    .selectFrom("build_items as item")
    .leftJoin("build_bodies as stored", (join) =>
      join.onRef("stored.project_id", "=", "item.project_id").onRef("stored.hash", "=", "item.hash"),
    )
    .select(["item.number", "item.hash", "item.shell", "item.body as own", "stored.body as shared"])
    .where("item.project_id", "=", project_id)
    .where("item.session_id", "=", session_id);
}

function itemRows(reader: Reader, place: BuildPlace, ranges: readonly Range[]) {
  return itemsWithBodies(reader, place)
    .where((row) => row.or(ranges.map(([first, last]) => row.between("item.number", first, last))))
    .execute();
}

async function rawOf(reader: Reader, place: BuildPlace, n: number): Promise<string | null> {
  const row = await findRow(reader, "build_requests", { ...place, n });
  return row ? (await inflated(Buffer.from(row.raw, "base64"))).toString() : null;
}
