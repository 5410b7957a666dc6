import { inflate } from "node:zlib";
import { promisify } from "node:util";
import type { LedgerRow, ModelMessage, ToolSpec } from "@galley/engine";
import { absoluteRows, readNumbers, readRows } from "./encode-build.ts";
import type { BuildItem, BuildUsage, BuildWindow, BuiltSession, StoredBuild } from "../ports/build-store.ts";
import { decodeSessionId, isId } from "../database/ids.ts";
import type { Reader } from "../database/database.ts";
import { findRow, rowsOf } from "../database/rows.ts";
import type { BuildRow } from "../database/tables.ts";

const inflated = promisify(inflate);

/** A session by its columns. */
export interface BuildPlace {
  readonly projectId: string;
  readonly session: string;
}

/** What the rows of a session have in their columns, in each table. */
export function sessionKey({ projectId, session }: BuildPlace) {
  return { project_id: projectId, session_id: session };
}

export function builtBy(reader: Reader, place: BuildPlace) {
  return rowsOf(reader, "builds", sessionKey(place));
}

/** The columns that a list reads. */
const itemColumns = ["n", "build_key", "details", "usage"] as const;

/** Everything of a build but its lists, as it is stored. */
export type BuildDetails = Omit<BuildItem, "n" | "key" | "usage">;

function fromItemRow(row: Pick<BuildRow, (typeof itemColumns)[number]>): BuildItem {
  return {
    ...(JSON.parse(row.details) as BuildDetails),
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
    tools: items.slice(0, row.tools).map((item) => JSON.parse(item.json) as ToolSpec),
    messages: messages.map((item) => JSON.parse(item.json) as ModelMessage),
    ledger: absoluteRows(rows),
    hashes: messages.map((item) => item.hash),
    removed: messages.flatMap((item, index) => (item.hash === null ? [index] : [])),
    raw: await rawOf(reader, place, n),
  };
}

interface ReadItem {
  readonly hash: string | null;
  readonly json: string;
}

/** For content that is missing although no purge removed it; `galley doctor` says more about it. */
const lostItem: ReadItem = { hash: null, json: '{"role":"system","content":"[lost]"}' };

async function itemsOf(reader: Reader, place: BuildPlace, numbers: readonly number[]): Promise<readonly ReadItem[]> {
  const byNumber = new Map<number, ReadItem>();
  const ranges = rangesOf(numbers);
  for (let at = 0; at < ranges.length; at += rangesAtOnce) {
    for (const { number, hash, shell, body } of await itemRows(reader, place, ranges.slice(at, at + rangesAtOnce))) {
      const json = body ?? shell;
      if (json !== null) byNumber.set(number, { hash: body === null ? null : hash, json });
    }
  }
  return numbers.map((number) => byNumber.get(number) ?? lostItem);
}

type Range = readonly [first: number, last: number];

const rangesAtOnce = 100;
/** Reading a gap of this many items costs less than another range. */
const smallGap = 4;

/** Most of what is sent was numbered in one go or as it came, so that few ranges hold it. */
function rangesOf(numbers: readonly number[]): readonly Range[] {
  const ranges: [number, number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number <= last[1] + smallGap) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function itemRows({ query }: Reader, { projectId, session }: BuildPlace, ranges: readonly Range[]) {
  return query
    .selectFrom("build_items as item")
    .leftJoin("build_bodies as stored", (join) =>
      join.onRef("stored.project_id", "=", "item.project_id").onRef("stored.hash", "=", "item.hash"),
    )
    .select(["item.number", "item.hash", "item.shell", "stored.body"])
    .where("item.project_id", "=", projectId)
    .where("item.session_id", "=", session)
    .where((row) => row.or(ranges.map(([first, last]) => row.between("item.number", first, last))))
    .execute();
}

async function rawOf(reader: Reader, place: BuildPlace, n: number): Promise<string | null> {
  const row = await findRow(reader, "build_requests", { ...sessionKey(place), n });
  return row ? (await inflated(Buffer.from(row.raw, "base64"))).toString() : null;
}
