import { GalleyError, canonicalJson } from "@galley/engine";
import { toCardRow, toRuns } from "./card-rows.ts";
import type { BoxItem, Card, NewBox, Pack } from "../ports/card-store.ts";
import { checkDistinct, checkIds } from "../database/ids.ts";
import type { Transaction } from "../database/database.ts";
import { chunksOf, findRow, rowsById } from "../database/rows.ts";
import type { BoxRow, CardRow } from "../database/tables.ts";

/** Rows of one insert: databases bound the parameters of a statement. */
export const rowsAtOnce = 500;

/** Refuses a pack that cannot be written, whatever the database holds. */
export function checkPack({ projectId, cards, boxes }: Omit<Pack, "now">): void {
  checkIds("project", [projectId]);
  checkDistinct("card", cards);
  checkIds("card's type or author", [...new Set(cards.flatMap((card) => [card.type, card.authorId]))]);
  checkDistinct("box", boxes);
}

/** Writes cards and boxes. What is there already with the same content is left alone. */
export async function writePack(tx: Transaction, { projectId, cards, boxes, now }: Pack): Promise<void> {
  await writeCards(tx, projectId, cards);
  await checkReferences(tx, projectId, boxes, cards);
  for (const some of chunksOf(boxes, rowsAtOnce)) await writeBoxes(tx, projectId, some, now);
}

/** Gives the number of cards that were new. */
export async function writeCards(tx: Transaction, projectId: string, cards: readonly Card[]): Promise<number> {
  const rows = cards.map((card) => toCardRow(projectId, card));
  const added = await tx.insertMany("cards", rows, "new");
  if (added < rows.length) await checkSame(tx, rows);
  return added;
}

async function checkSame(tx: Transaction, rows: readonly CardRow[]): Promise<void> {
  const projectId = rows[0]?.project_id ?? "";
  const ids = rows.map((row) => row.card_id);
  const present = await rowsById(tx, "cards", projectId, ids).selectAll().execute();
  const byId = new Map(present.map((row) => [row.card_id, row]));
  const other = rows.find((row) => !isSame(row, byId.get(row.card_id)));
  if (other) throw taken("card", other.card_id);
}

// The time of writing is not compared: a retry may have another time.
function isSame(row: CardRow, present: CardRow | undefined): boolean {
  if (!present || row.type !== present.type || row.author_id !== present.author_id) return false;
  if (row.text !== present.text) return false;
  return row.body === present.body || canonicalJson(JSON.parse(row.body)) === canonicalJson(JSON.parse(present.body));
}

/**
 * Refuses boxes that name cards or boxes that are not there. Inherited cards are not looked for: they may have been
 * deleted from the box that they come from, and keep their place.
 */
async function checkReferences(
  tx: Transaction,
  projectId: string,
  boxes: readonly NewBox[],
  cards: readonly Card[],
): Promise<void> {
  await checkCards(
    tx,
    projectId,
    boxes.flatMap((box) => box.items),
    cards,
  );
  const ids = new Set(boxes.map((box) => box.id));
  const parents = boxes.flatMap((box) => (box.parents ?? []).filter((id) => !ids.has(id)));
  await checkExist(tx, "box", projectId, parents);
}

/** Refuses items whose card is neither stored nor among the new ones. */
export async function checkCards(
  tx: Transaction,
  projectId: string,
  items: readonly BoxItem[],
  cards: readonly Card[],
): Promise<void> {
  const fresh = new Set(cards.map((card) => card.id));
  const known = items.filter((item) => item.origin !== "inherited" && !fresh.has(item.cardId));
  const ids = known.map((item) => item.cardId);
  await checkExist(tx, "card", projectId, ids);
}

/** Refuses ids that no card, or no box, of the project has. */
export async function checkExist(
  tx: Transaction,
  what: "card" | "box",
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  checkIds(what, ids);
  const rows = await (what === "card"
    ? rowsById(tx, "cards", projectId, ids).select("card_id as id").execute()
    : rowsById(tx, "boxes", projectId, ids).select("box_id as id").execute());
  const present = new Set(rows.map((row) => row.id));
  const missing = ids.find((id) => !present.has(id));
  if (missing === undefined) return;
  throw new GalleyError("NotFound", `There is no ${what} ${JSON.stringify(missing)} in this project.`);
}

async function writeBoxes(tx: Transaction, projectId: string, boxes: readonly NewBox[], now: number): Promise<void> {
  const written = boxes.map((box) => ({
    row: {
      project_id: projectId,
      box_id: box.id,
      version: 1,
      length: box.items.length,
      parents: JSON.stringify(box.parents ?? []),
      created_at: now,
    },
    segment: { project_id: projectId, box_id: box.id, version: 1, items: toRuns(box.items) },
  }));
  const added = await tx.query
    .insertInto("boxes")
    .values(written.map(({ row }) => row))
    .onConflict((conflict) => conflict.doNothing())
    .returning("box_id")
    .execute();
  const fresh = new Set(added.map((row) => row.box_id));
  const segments = written.flatMap(({ segment }) => (fresh.has(segment.box_id) ? [segment] : []));
  if (segments.length > 0) await tx.query.insertInto("box_segments").values(segments).execute();
  for (const { row, segment } of written) if (!fresh.has(row.box_id)) await checkSameBox(tx, row, segment.items);
}

async function checkSameBox(tx: Transaction, { project_id, box_id, parents }: BoxRow, items: string): Promise<void> {
  const present = await findRow(tx, "boxes", { project_id, box_id });
  const first = await findRow(tx, "box_segments", { project_id, box_id, version: 1 });
  if (present?.parents !== parents || first?.items !== items) throw taken("box", box_id);
}

function taken(what: string, id: string): GalleyError {
  return new GalleyError("DuplicateId", `There is another ${what} with the id ${JSON.stringify(id)} already.`, {
    hint: `Give it an id of its own; a ${what} is never changed.`,
  });
}
