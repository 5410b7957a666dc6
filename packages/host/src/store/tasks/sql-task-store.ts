import { checkIds, encodeSessionId, isId } from "../database/ids.ts";
import type { Database } from "../database/database.ts";
import { updateRow } from "../database/rows.ts";
import { type Ended, cancelTree } from "./finish-task.ts";
import { heldTask, lockTask, queueTask } from "./task-transitions.ts";
import { countTree, listTasks, readAgents, readBatches, readLineage, readTasks } from "./read-tasks.ts";
import { claimTask, finishTask, recordOutput, renewLease, retryTask, suspendTask } from "./task-attempts.ts";
import { checkStart, startTasks } from "./start-tasks.ts";
import { sweepTasks, sweepUnlessClockJumped } from "./sweep-tasks.ts";
import { fromBatchRow, fromTaskRow } from "./task-rows.ts";
import type { FinishedTask, Output, TaskStore } from "../ports/task-store.ts";
import { checkPack } from "../cards/write-pack.ts";

export function sqlTaskStore(database: Database): TaskStore {
  return {
    async start(start) {
      checkStart(start);
      if (start.suspend) checkOutput(start.projectId, start.suspend);
      return database.transaction((tx) => startTasks(tx, start));
    },
    async claim(claim) {
      if (!isId(claim.projectId) || !isId(claim.taskId)) return undefined;
      checkIds("worker", [claim.worker]);
      const row = await database.transaction((tx) => claimTask(tx, claim));
      return row && fromTaskRow(row);
    },
    renew: (hold, lease) => database.transaction((tx) => renewLease(tx, hold, lease)),
    async record(hold, output) {
      checkOutput(hold.projectId, output);
      return fromTaskRow(await database.transaction((tx) => recordOutput(tx, hold, output)));
    },
    async suspend(hold, wait) {
      checkOutput(hold.projectId, wait.output);
      return fromTaskRow(await database.transaction((tx) => suspendTask(tx, hold, wait)));
    },
    async finish(hold, outcome, now) {
      checkOutput(hold.projectId, outcome.output);
      return toFinished(await database.transaction((tx) => finishTask(tx, hold, outcome, now)));
    },
    async retry(hold, failure) {
      return toFinished(await database.transaction(async (tx) => retryTask(tx, await heldTask(tx, hold), failure)));
    },
    async release(hold, now) {
      await database.transaction(async (tx) => queueTask(tx, await heldTask(tx, hold), now));
    },
    async cancel({ projectId, taskId, reason = "It was cancelled.", now }) {
      if (!isId(projectId) || !isId(taskId)) return [];
      const ending = { status: "cancelled", error: { code: "Cancelled", message: reason }, now } as const;
      return database.transaction(async (tx) => {
        const task = await lockTask(tx, projectId, taskId);
        return task ? (await cancelTree(tx, projectId, taskId, ending)).ended : [];
      });
    },
    ...returnedResults(database),
    sweep: (now) => sweepTasks(database, now),
    tend: sweepUnlessClockJumped(database),
    read: (projectId, ids) => database.read((reader) => readTasks(reader, projectId, ids)),
    list: (projectId, filter = {}) => database.read((reader) => listTasks(reader, projectId, filter)),
    lineage: (projectId, taskId) => database.read((reader) => readLineage(reader, projectId, taskId)),
    countTree: (projectId, rootTaskId) => database.read((reader) => countTree(reader, projectId, rootTaskId)),
    readBatches: (projectId, ids) => database.read((reader) => readBatches(reader, projectId, ids)),
    readAgents: (projectId, ids) => database.read((reader) => readAgents(reader, projectId, ids)),
  };
}

function returnedResults(database: Database): Pick<TaskStore, "markReturned" | "takeBackReturned"> {
  return {
    async markReturned({ projectId, taskIds, turnId, now }) {
      if (taskIds.length === 0) return;
      await database.transaction((tx) =>
        tx.query
          .updateTable("tasks")
          .set({ returned_to: turnId, returned_at: now })
          .where("project_id", "=", projectId)
          .where("task_id", "in", tx.listed(taskIds.filter(isId)))
          .where("returned_at", "is", null)
          .execute(),
      );
    },
    async takeBackReturned({ projectId, place, turnId }) {
      const key = { project_id: projectId, origin_place: encodeSessionId(place), returned_to: turnId };
      await database.transaction((tx) => updateRow(tx, "tasks", key, { returned_to: null, returned_at: null }));
    },
  };
}

function checkOutput(projectId: string, output: Output | undefined): void {
  checkPack({ projectId, cards: output?.cards ?? [], boxes: [] });
}

function toFinished({ task, batch, queued }: Ended): FinishedTask {
  return { task: fromTaskRow(task), batch: batch && fromBatchRow(batch), queued };
}
