import type { JsonObject } from "@galley/engine";
import { authorityOf } from "../pack/authority.ts";
import type { Caller } from "../options/caller.ts";
import { delegated } from "./delegate.ts";
import { forkResult } from "./fork-join.ts";
import type { Handover } from "../options/handover-options.ts";
import { parseRequest } from "../options/request-errors.ts";
import { awaitResultSchema } from "../options/tool-arguments.ts";

/** What was handed over, as it stands, for a caller that may know of it [H6]. */
export async function readResult(args: unknown, caller: Caller, { store }: Handover): Promise<JsonObject> {
  const { task_id: taskId = "", batch_id: batchId } = parseRequest(awaitResultSchema, args, "args");
  const authority = authorityOf(store, caller);
  if (batchId === undefined) return delegated(await authority.findTask({ id: taskId, path: "args.task_id" }));
  const { batch, tasks } = await authority.findFork({ id: batchId, path: "args.batch_id" });
  return forkResult(batchId, batch, tasks);
}
