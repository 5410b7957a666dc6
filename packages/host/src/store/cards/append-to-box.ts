import { GalleyError } from "@galley/engine";
import { toRuns } from "./card-rows.ts";
import type { BoxAppend } from "../ports/card-store.ts";
import type { Transaction } from "../database/database.ts";
import { findRow, updateRow } from "../database/rows.ts";
import type { BoxRow } from "../database/tables.ts";
import { checkCards, writeCards } from "./write-pack.ts";

/**
 * Makes a new version of a box, which is given. An append of new cards that is there already as the last version is not
 * repeated: a connection that broke in the commit leaves open whether it went through.
 */
export async function appendToBox(tx: Transaction, append: Omit<BoxAppend, "now">): Promise<BoxRow> {
  const { projectId, boxId, cards = [], expectedVersion } = append;
  await tx.hold(`box:${projectId}:${boxId}`);
  const box = await findRow(tx, "boxes", { project_id: projectId, box_id: boxId });
  if (!box) throw new GalleyError("NotFound", `There is no box ${JSON.stringify(boxId)} in this project.`);
  const items = toRuns(append.items);
  const added = await writeCards(tx, projectId, cards);
  if (cards.length > 0 && added === 0 && (await lastItems(tx, box)) === items) return box;
  if (expectedVersion !== undefined && expectedVersion !== box.version) throw moved(box, expectedVersion);
  if (append.items.length === 0) return box;
  await checkCards(tx, projectId, append.items, cards);
  return writeVersion(tx, { ...box, version: box.version + 1, length: box.length + append.items.length }, items);
}

async function writeVersion(tx: Transaction, box: BoxRow, items: string): Promise<BoxRow> {
  const { project_id, box_id, version, length } = box;
  await tx.query.insertInto("box_segments").values({ project_id, box_id, version, items }).execute();
  await updateRow(tx, "boxes", { project_id, box_id }, { version, length });
  return box;
}

async function lastItems(tx: Transaction, { project_id, box_id, version }: BoxRow): Promise<string | undefined> {
  return (await findRow(tx, "box_segments", { project_id, box_id, version }))?.items;
}

function moved(box: BoxRow, expected: number): GalleyError {
  return new GalleyError(
    "BoxConflict",
    `Expected version ${expected} of the box ${JSON.stringify(box.box_id)}, but it has version ${box.version}.`,
    { hint: "Read the box again, and append to its present version.", retryable: true },
  );
}
