import type { ModelMessage, ToolSpec } from "@galley/engine";
import type { Transaction } from "../database/database.ts";
import { messageBody } from "../database/message-body.ts";
import { rowsOf } from "../database/rows.ts";
import { type BuildPlace, sessionKey } from "./read-builds.ts";
import type { BuildItemRow } from "../database/tables.ts";

type Content = ModelMessage | ToolSpec;

/** What a build sends, and the hash of each. */
export interface SentItems {
  readonly contents: readonly Content[];
  readonly hashes: readonly string[];
}

/** Numbers what is sent among the session's items; what the session has not sent before is written, with the next numbers. */
export async function internMessages(
  tx: Transaction,
  place: BuildPlace,
  { contents, hashes }: SentItems,
  numberOf: ReadonlyMap<string, number>,
  count: number,
): Promise<{
  readonly numbers: readonly number[];
  readonly added: ReadonlyMap<string, number>;
  readonly count: number;
}> {
  const known = hashes.map((hash) => numberOf.get(hash));
  const unknown = new Map<string, Content>();
  for (let index = 0; index < known.length; index += 1) {
    if (known[index] === undefined) unknown.set(hashes[index] as string, contents[index] as Content);
  }
  const added = new Map<string, number>();
  if (unknown.size === 0) return { numbers: known as number[], added, count };
  const present = await rowsOf(tx, "build_items", sessionKey(place))
    .select(["hash", "number"])
    .where("hash", "in", tx.listed([...unknown.keys()]))
    .execute();
  for (const { hash, number } of present) {
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

/** Rows of one statement: SQLite has a limit for parameters. */
const rowsAtOnce = 1000;

async function writeItems(
  tx: Transaction,
  place: BuildPlace,
  fresh: readonly (readonly [hash: string, content: Content])[],
  count: number,
): Promise<void> {
  for (let at = 0; at < fresh.length; at += rowsAtOnce) {
    const page = fresh.slice(at, at + rowsAtOnce);
    // In one order, so that two that write the same ones do not wait for each other. The update changes nothing, but holds
    // a row that is there already against a purge that would remove it as unused.
    await tx.query
      .insertInto("build_bodies")
      .values(
        page
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([hash, content]) => ({ project_id: place.projectId, hash, body: messageBody(content) })),
      )
      .onConflict((conflict) =>
        conflict.columns(["project_id", "hash"]).doUpdateSet((row) => ({ hash: row.ref("excluded.hash") })),
      )
      .execute();
    const rows = page.map(([hash], index): BuildItemRow => ({
      ...sessionKey(place),
      number: count + at + index + 1,
      hash,
      shell: null,
    }));
    await tx.query.insertInto("build_items").values(rows).execute();
  }
}
