import type { JsonObject } from "@galley/engine";
import { decodeSessionId } from "../database/ids.ts";
import { fromWorkRow } from "../work/held-work.ts";
import type { AgentRow, BatchRow, TaskRow } from "../database/tables.ts";
import type { Agent, Batch, Task, TaskOrigin, TaskStatus } from "../ports/task-store.ts";

/** The statuses of tasks that have not ended. */
export const openStatuses = ["queued", "running", "waiting"] as const satisfies readonly TaskStatus[];

export function isOpen(status: TaskStatus): boolean {
  return status === "queued" || status === "running" || status === "waiting";
}

export function fromTaskRow(row: TaskRow): Task {
  return {
    ...fromWorkRow(row),
    id: row.task_id,
    agentId: row.agent_id,
    status: row.status,
    failures: row.failures,
    maxFailures: row.max_failures,
    parentTaskId: row.parent_task_id,
    rootTaskId: row.root_task_id,
    depth: row.depth,
    batchId: row.batch_id,
    taskIndex: row.task_index,
    profileBoxId: row.profile_box_id,
    contextBoxId: row.context_box_id,
    outputBoxId: row.output_box_id,
    outputStart: row.output_start,
    outputEnd: row.output_end,
    waitsFor: row.waits_for,
    notBefore: row.not_before,
    deadline: row.deadline,
    details: JSON.parse(row.details) as JsonObject,
    createdAt: row.created_at,
    startedAt: row.started_at,
    origin: originOf(row),
    returnedTo: row.returned_to,
    returnedAt: row.returned_at,
  };
}

function originOf({ origin_place: place, origin }: TaskRow): TaskOrigin | null {
  return place === null
    ? null
    : { place: decodeSessionId(place), ...(JSON.parse(origin ?? "{}") as Omit<TaskOrigin, "place">) };
}

export function fromBatchRow(row: BatchRow): Batch {
  return {
    projectId: row.project_id,
    id: row.batch_id,
    parentTaskId: row.parent_task_id,
    status: row.status,
    size: row.size,
    open: row.open,
    failFast: row.fail_fast === 1,
    details: JSON.parse(row.details) as JsonObject,
    createdAt: row.created_at,
    closedAt: row.closed_at,
  };
}

export function fromAgentRow(row: AgentRow): Agent {
  return {
    id: row.agent_id,
    profileBoxId: row.profile_box_id,
    outputBoxId: row.output_box_id,
    parentAgentId: row.parent_agent_id,
    details: JSON.parse(row.details) as JsonObject,
    createdAt: row.created_at,
  };
}
