import type { JsonObject } from "@galley/engine";
import type { Turn } from "../store/turn-store.ts";
import { boxReader } from "./box-reader.ts";
import { delegated } from "./delegate.ts";
import { readFork } from "./fork-join.ts";
import { type Caller, type Handover, authorOf } from "./handover-options.ts";
import { notFound, parseRequest } from "./request-errors.ts";
import { awaitResultSchema } from "./tool-arguments.ts";

/** What was handed over, as it stands: for whoever handed it over, and whoever may see its output [H6]. */
export async function readResult(args: unknown, caller: Caller, handover: Handover): Promise<JsonObject> {
  const { turn_id: turnId, batch_id: batchId } = parseRequest(awaitResultSchema, args, "args");
  if (batchId !== undefined) {
    const turns = await handover.store.turns.list(caller.projectId, { batchId });
    for (const turn of turns) await checkSight(turn, "args.batch_id", caller, handover);
    return readFork(batchId, caller, handover);
  }
  const [turn] = await handover.store.turns.read(caller.projectId, [turnId ?? ""]);
  if (!turn) throw notFound("args.turn_id", `There is no turn ${JSON.stringify(turnId)} in this project.`);
  await checkSight(turn, "args.turn_id", caller, handover);
  return delegated(turn);
}

async function checkSight(
  { outputBoxId, details }: Turn,
  path: string,
  caller: Caller,
  { store }: Handover,
): Promise<void> {
  if (details["startedBy"] === authorOf(caller)) return;
  await boxReader(store, caller).read([{ boxId: outputBoxId, path }]);
}
