import type { ModelMessage, ToolSpec } from "@galley/engine";
import type { Transaction } from "../database/database.ts";
import { messageBody } from "../database/message-body.ts";
import type { BuildPlace } from "./read-builds.ts";
import type { BuildItemRow } from "../database/tables.ts";

type Content = ModelMessage | ToolSpec;

/** What a build sends, and the hash of each. */
export interface SentItems {
  readonly contents: readonly Content[];
  readonly hashes: readonly string[];
}

/** What a session's last build has sent. */
export interface NumberedItems {
  readonly hashes: readonly string[];
  readonly numbers: readonly number[];
  /** The numbers of the session's items by their hashes, as far as they were asked for. */
  readonly numberOf: ReadonlyMap<string, number>;
}

/** Numbers what is sent among the session's items; what the session has not sent before is written, with the next numbers. */
export async function numberItems(
  tx: Transaction,
  place: BuildPlace,
  { contents, hashes }: SentItems,
  before: NumberedItems | undefined,
  count: number,
): Promise<{
  readonly numbers: readonly number[];
  readonly added: ReadonlyMap<string, number>;
  readonly count: number;
}> {
  // Most stand where they stood before, and comparing is sooner done than looking up.
  const known = hashes.map((hash, index) =>
    before?.hashes[index] === hash ? before.numbers[index] : before?.numberOf.get(hash),
  );
  const unknown = new Map<string, Content>();
  for (let index = 0; index < known.length; index += 1) {
    if (known[index] === undefined) unknown.set(hashes[index] as string, contents[index] as Content);
  }
  const added = new Map<string, number>();
  if (unknown.size === 0) return { numbers: known as number[], added, count };
  for (const { hash, number } of await numbersOf(tx, place, [...unknown.keys()])) {
    if (hash === null) continue;
    added.set(hash, number);
    unknown.delete(hash);
  }
  const fresh = [...unknown];
  for (const [index, [hash]] of fresh.entries()) added.set(hash, count + index + 1);
  await writeItems(tx, place, fresh, count);
  const numbers = known.map((number, index) => number ?? (added.get(hashes[index] as string) as number));
  return { numbers, added, count: count + fresh.length };
}

/** Puts the new ones to the old ones: copying thousands for two would cost more than writing the two. */
export function joined(
  known: ReadonlyMap<string, number> | undefined,
  added: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  if (!known) return added;
  for (const [hash, number] of added) (known as Map<string, number>).set(hash, number);
  return known;
}

function numbersOf(tx: Transaction, { projectId, session }: BuildPlace, hashes: readonly string[]) {
  return tx.query
    .selectFrom("build_items")
    .select(["hash", "number"])
    .where("project_id", "=", projectId)
    .where("session_id", "=", session)
    .where("hash", "in", tx.listed(hashes))
    .execute();
}

/** A statement takes so many rows; SQLite has a limit for parameters. */
const rowsAtOnce = 1000;

async function writeItems(
  tx: Transaction,
  { projectId, session }: BuildPlace,
  fresh: readonly (readonly [hash: string, content: Content])[],
  count: number,
): Promise<void> {
  for (let at = 0; at < fresh.length; at += rowsAtOnce) {
    const page = fresh.slice(at, at + rowsAtOnce);
    // In one order, so that two that write the same ones do not wait for each other. The update changes nothing, but holds
    // a row that is there already against one who would remove it as used by nobody.
    await tx.query
      .insertInto("build_bodies")
      .values(
        page
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([hash, content]) => ({ project_id: projectId, hash, body: messageBody(content) })),
      )
      .onConflict((conflict) =>
        conflict.columns(["project_id", "hash"]).doUpdateSet((row) => ({ hash: row.ref("excluded.hash") })),
      )
      .execute();
    const rows = page.map(([hash], index): BuildItemRow => ({
      project_id: projectId,
      session_id: session,
      number: count + at + index + 1,
      hash,
      shell: null,
    }));
    await tx.query.insertInto("build_items").values(rows).execute();
  }
}
