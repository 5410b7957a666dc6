import type { JsonObject, JsonValue } from "@galley/engine";
import { decodeSessionId } from "../database/ids.ts";
import { camelCased, parsed } from "../database/rows.ts";
import type { AgentRow, BatchRow, TaskRow } from "../database/tables.ts";
import type { Agent, Batch, Task, TaskError, TaskOrigin, TaskStatus } from "../ports/task-store.ts";

export const openStatuses = ["queued", "running", "waiting"] as const satisfies readonly TaskStatus[];

export function isOpen(status: TaskStatus): boolean {
  return status === "queued" || status === "running" || status === "waiting";
}

export function fromTaskRow(row: TaskRow): Task {
  const { seq: _, task_id: id, details, result, error, origin_place: _place, origin: _origin, ...columns } = row;
  return {
    ...camelCased(columns),
    id,
    details: JSON.parse(details) as JsonObject,
    result: parsed(result) as JsonValue,
    error: parsed(error) as TaskError | null,
    origin: originOf(row),
  };
}

function originOf({ origin_place: place, origin }: TaskRow): TaskOrigin | null {
  return place === null
    ? null
    : { place: decodeSessionId(place), ...(JSON.parse(origin ?? "{}") as Omit<TaskOrigin, "place">) };
}

export function fromBatchRow(row: BatchRow): Batch {
  const { batch_id: id, details, fail_fast, succeeded: _, timed_out: __, ...columns } = row;
  return { ...camelCased(columns), id, failFast: fail_fast === 1, details: JSON.parse(details) as JsonObject };
}

export function fromAgentRow(row: AgentRow): Agent {
  const { project_id: _, agent_id: id, details, ...columns } = row;
  return { ...camelCased(columns), id, details: JSON.parse(details) as JsonObject };
}
