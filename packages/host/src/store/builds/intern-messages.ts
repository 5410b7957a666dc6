import type { ModelMessage, ToolSpec } from "@galley/engine";
import type { Transaction } from "../database/database.ts";
import { messageBody } from "../database/message-body.ts";
import { insertRows, rowsOf, runAgain } from "../database/rows.ts";
import { commonPrefix } from "../../limits/common-prefix.ts";
import { type Stretches, cutStretches, joinStretches, stretchesOf } from "./encode-build.ts";
import { writeOwnItem } from "./own-items.ts";
import type { BuildPlace } from "./build-place.ts";
import type { BuildItemRow, BuildRow } from "../database/tables.ts";

type Content = ModelMessage | ToolSpec;

/** What a build sends, and the hash of each. */
export interface SentItems {
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly ModelMessage[];
  /** Of the messages. */
  readonly hashes: readonly string[];
  readonly toolHashes: readonly string[];
}

/** The numbers that items of a session have, as far as they were asked for. */
export interface KnownNumbers {
  readonly numberOf: ReadonlyMap<string, number>;
  /** Of the messages of the build before, in their order. */
  readonly hashes: readonly string[];
  readonly numbers: Stretches;
}

export interface Interned {
  /** Of the tools, which stand first, and of the messages. */
  readonly numbers: { readonly tools: Stretches; readonly messages: Stretches };
  readonly added: ReadonlyMap<string, number>;
  readonly count: number;
  /** Those that are to be written with the build itself. */
  readonly own: Pick<BuildRow, "own" | "own_count">;
}

/**
 * Numbers what is sent among the session's items; what the session has not sent before gets the next numbers, and is written
 * here, or with the build where it is little.
 */
export async function internMessages(
  tx: Transaction,
  place: BuildPlace,
  { tools, messages, hashes, toolHashes }: SentItems,
  known: KnownNumbers,
  count: number,
): Promise<Interned> {
  const shared = commonPrefix(known.hashes, hashes);
  const newHashes = hashes.slice(shared);
  const unknown = new Map<string, NewItem>();
  const look = (hash: string, content: Content | undefined): void => {
    if (content && !known.numberOf.has(hash)) unknown.set(hash, newItem(content));
  };
  // The tools first, because they change least.
  for (const [index, hash] of toolHashes.entries()) look(hash, tools[index]);
  for (const [index, hash] of newHashes.entries()) look(hash, messages[shared + index]);
  const added = new Map<string, number>();
  const shareable = [...unknown].flatMap(([hash, { isOwn }]) => (isOwn ? [] : [hash]));
  for (const { hash, number } of await presentItems(tx, place, shareable)) {
    if (hash === null) continue;
    added.set(hash, number);
    unknown.delete(hash);
  }
  const fresh = [...unknown].map(([hash, item], index) => ({ hash, ...item, number: count + index + 1 }));
  for (const { hash, number } of fresh) added.set(hash, number);
  // The first build of a session has all of it to write.
  const isLittle = count > 0 && fresh.filter(({ isOwn }) => isOwn).length <= maxInBuild;
  await writeItems(tx, place, isLittle ? fresh.filter(({ isOwn }) => !isOwn) : fresh);
  const own = isLittle ? fresh.filter(({ isOwn }) => isOwn) : [];
  const numbersOf = (list: readonly string[]): Stretches =>
    stretchesOf(list.map((hash) => known.numberOf.get(hash) ?? (added.get(hash) as number)));
  const numbers = {
    tools: numbersOf(toolHashes),
    messages: joinStretches(cutStretches(known.numbers, shared), numbersOf(newHashes)),
  };
  return { numbers, added, count: count + fresh.length, own: ownColumns(own) };
}

/** How many items lie in the row of a build at most. */
const maxInBuild = 8;

function ownColumns(items: readonly NumberedItem[]): Interned["own"] {
  if (items.length === 0) return { own: null, own_count: 0 };
  const own = items.map(({ number, hash, content, body }) => writeOwnItem(number, hash, content, body));
  return { own: `[${own.join(",")}]`, own_count: items.length };
}

interface NewItem {
  readonly content: Content;
  readonly body: string;
  /** Whether it lies with its session, where nobody looks for it by its hash. */
  readonly isOwn: boolean;
}

interface NumberedItem extends NewItem {
  readonly hash: string;
  readonly number: number;
}

function newItem(content: Content): NewItem {
  const body = messageBody(content);
  return { content, body, isOwn: "role" in content && content.role !== "system" && body.length <= maxOwnLength };
}

/** Those of the session's items that have one of these hashes and share their bodies; others are known, or sent again. */
async function presentItems(tx: Transaction, place: BuildPlace, hashes: readonly string[]) {
  if (hashes.length === 0) return [];
  const values = [place.project_id, place.session_id, JSON.stringify(hashes)];
  return runAgain(tx, "items by hash", values, () =>
    rowsOf(tx, "build_items", place)
      .select(["hash", "number"])
      .where("hash", "in", tx.listed(hashes))
      .where("body", "is", null),
  );
}

/** Rows of one statement: SQLite has a limit for parameters. */
const rowsAtOnce = 1000;
/** What is longer is kept once for the project, and so is what many sessions send: tools and system texts. */
const maxOwnLength = 2000;

async function writeItems(tx: Transaction, place: BuildPlace, fresh: readonly NumberedItem[]): Promise<void> {
  for (let at = 0; at < fresh.length; at += rowsAtOnce) {
    const page = fresh.slice(at, at + rowsAtOnce);
    await writeShared(
      tx,
      place,
      page.filter(({ isOwn }) => !isOwn),
    );
    const rows = page.map(({ hash, body, isOwn, number }): BuildItemRow => ({
      ...place,
      number,
      hash,
      shell: null,
      body: isOwn ? body : null,
    }));
    await insertRows(tx, "build_items", rows);
  }
}

async function writeShared(
  tx: Transaction,
  { project_id }: BuildPlace,
  items: readonly { readonly hash: string; readonly body: string }[],
): Promise<void> {
  if (items.length === 0) return;
  // In one order, so that two that write the same ones do not wait for each other. The update changes nothing, but holds
  // a row that is there already against a purge that would remove it as unused.
  await tx.query
    .insertInto("build_bodies")
    .values(items.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)).map(({ hash, body }) => ({ project_id, hash, body })))
    .onConflict((conflict) =>
      conflict.columns(["project_id", "hash"]).doUpdateSet((row) => ({ hash: row.ref("excluded.hash") })),
    )
    .execute();
}
