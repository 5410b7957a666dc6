import { type ModelMessage, digestItem } from "@galley/engine";
import { sha256 } from "../../disk/sha256.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { rowsOf, updateRow } from "../database/rows.ts";
import { type BuildPlace, rangesOf } from "./build-place.ts";

// The few messages that are new in a call lie in the row of its build: each of them in a row of its own would change more pages
// of the file than it has bytes. Numbers rise from build to build, so that the build of a number is found by halving.

/** What lies in the row of the build that sent it first. Without a hash it was removed, and the content says so. */
export type OwnItem = readonly [number: number, hash: string | null, content: unknown];

/** As it is stored: the hash of a message that is nothing but words can be made of it. */
type StoredItem = OwnItem | readonly [number: number, content: ModelMessage];

/** The item as JSON, of the JSON of its content. */
export function writeOwnItem(number: number, hash: string, content: object, body: string): string {
  const isPlain = Object.keys(content).length === 2 && "content" in content && typeof content.content === "string";
  return isPlain ? `[${number},${body}]` : `[${number},${JSON.stringify(hash)},${body}]`;
}

function readOwnItem(item: StoredItem): OwnItem {
  return item.length === 3 ? item : [item[0], digestItem(item[1], { sha256 }), item[1]];
}

/** Those that this many builds or fewer hold are read at once. */
const buildsAtOnce = 500;

/** The items of these numbers, as far as they lie in rows of builds. */
export async function readOwnItems(
  reader: Reader,
  place: BuildPlace,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, OwnItem>> {
  const found = new Map<number, OwnItem>();
  for (const [first, last] of rangesOf(numbers)) {
    const to = await buildBefore(reader, place, last);
    for (let from = await buildBefore(reader, place, first); from <= to; from += buildsAtOnce) {
      const window = [from, Math.min(to, from + buildsAtOnce - 1)] as const;
      for (const { items } of await ownRows(reader, place, window)) for (const item of items) found.set(item[0], item);
    }
  }
  return found;
}

/** Writes other items in the place of those that `change` gives something for. */
export async function changeOwnItems(
  tx: Transaction,
  place: BuildPlace,
  change: (item: OwnItem) => OwnItem | undefined,
): Promise<number> {
  let count = 0;
  const to = (await lastBuild(tx, place)) ?? 0;
  for (let from = 1; from <= to; from += buildsAtOnce) {
    for (const { n, items } of await ownRows(tx, place, [from, from + buildsAtOnce - 1])) {
      const changed = items.map((item) => change(item));
      const changes = changed.filter((item) => item !== undefined).length;
      count += changes;
      const own = JSON.stringify(items.map((item, index) => changed[index] ?? item));
      if (changes > 0) await updateRow(tx, "builds", { ...place, n }, { own });
    }
  }
  return count;
}

/** The build in which a number may lie: the last that was recorded when there were fewer items than this. */
async function buildBefore(reader: Reader, place: BuildPlace, number: number): Promise<number> {
  let [from, to] = [1, (await lastBuild(reader, place)) ?? 1];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    const row = await builds(reader, place)
      .select("items_before")
      .where("n", ">=", middle)
      .orderBy("n")
      .limit(1)
      .executeTakeFirst();
    // Those of former versions have nothing in their rows, and come first.
    if ((row?.items_before ?? 0) < number) from = middle;
    else to = middle - 1;
  }
  return from;
}

async function lastBuild(reader: Reader, place: BuildPlace): Promise<number | undefined> {
  return (await builds(reader, place).select("n").orderBy("n", "desc").limit(1).executeTakeFirst())?.n;
}

async function ownRows(reader: Reader, place: BuildPlace, [from, to]: readonly [number, number]) {
  const rows = await builds(reader, place)
    .select(["n", "own"])
    .where("n", ">=", from)
    .where("n", "<=", to)
    .where("own", "is not", null)
    .execute();
  return rows.map(({ n, own }) => ({ n, items: (JSON.parse(own ?? "[]") as StoredItem[]).map(readOwnItem) }));
}

function builds(reader: Reader, place: BuildPlace) {
  return rowsOf(reader, "builds", place);
}
