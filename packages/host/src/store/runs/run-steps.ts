import { type ModelMessage, digestItem } from "@galley/engine";
import type { Reader, Transaction } from "../database/database.ts";
import { deleteOf, rowsOf } from "../database/rows.ts";
import type { WorkId } from "../work/held-work.ts";
import { messageBody } from "../database/message-body.ts";

/** Writes the steps that are not there yet or have changed, and drops those beyond the end. */
export async function writeSteps(tx: Transaction, run: WorkId, steps: readonly ModelMessage[]): Promise<void> {
  const present = await rowsOf(tx, "run_steps", keyOf(run)).select(["position", "hash"]).execute();
  const hashes = new Map(present.map((row) => [row.position, row.hash]));
  for (const [position, step] of steps.entries()) {
    const hash = digestItem(step);
    if (hashes.get(position) === hash) continue;
    const written = { hash, body: messageBody(step) };
    await tx.query
      .insertInto("run_steps")
      .values({ ...keyOf(run), position, ...written })
      .onConflict((conflict) => conflict.columns(["project_id", "run_id", "position"]).doUpdateSet(written))
      .execute();
  }
  if (present.length <= steps.length) return;
  await deleteOf(tx, "run_steps", keyOf(run)).where("position", ">=", steps.length).execute();
}

export async function readSteps(reader: Reader, run: WorkId): Promise<readonly ModelMessage[]> {
  const rows = await rowsOf(reader, "run_steps", keyOf(run)).select("body").orderBy("position").execute();
  return rows.map((row) => JSON.parse(row.body) as ModelMessage);
}

function keyOf({ projectId, id }: WorkId) {
  return { project_id: projectId, run_id: id };
}
