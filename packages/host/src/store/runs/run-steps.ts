import { type ModelMessage, digestItem } from "@galley/engine";
import type { Reader, Transaction } from "../database/database.ts";
import { messageBody } from "../database/message-body.ts";

interface RunKey {
  readonly projectId: string;
  readonly id: string;
}

/** Writes the steps that are not there yet or have changed, and drops those beyond the end. */
export async function writeSteps(tx: Transaction, run: RunKey, steps: readonly ModelMessage[]): Promise<void> {
  const present = await stepRows(tx, run).select(["position", "hash"]).execute();
  const hashes = new Map(present.map((row) => [row.position, row.hash]));
  for (const [position, step] of steps.entries()) {
    const hash = digestItem(step);
    if (hashes.get(position) === hash) continue;
    const written = { hash, body: messageBody(step) };
    await tx.query
      .insertInto("run_steps")
      .values({ project_id: run.projectId, run_id: run.id, position, ...written })
      .onConflict((conflict) => conflict.columns(["project_id", "run_id", "position"]).doUpdateSet(written))
      .execute();
  }
  if (present.length <= steps.length) return;
  await tx.query
    .deleteFrom("run_steps")
    .where("project_id", "=", run.projectId)
    .where("run_id", "=", run.id)
    .where("position", ">=", steps.length)
    .execute();
}

export async function readSteps(reader: Reader, run: RunKey): Promise<readonly ModelMessage[]> {
  const rows = await stepRows(reader, run).select("body").orderBy("position").execute();
  return rows.map((row) => JSON.parse(row.body) as ModelMessage);
}

function stepRows({ query }: Reader, { projectId, id }: RunKey) {
  return query.selectFrom("run_steps").where("project_id", "=", projectId).where("run_id", "=", id);
}
