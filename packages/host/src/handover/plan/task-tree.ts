import type { TokenAccount } from "@galley/engine";
import type { TaskTree } from "../../api/handover.ts";
import type { HydratedBox } from "../../store/ports/card-store.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { person } from "../options/caller.ts";
import { givenTo, textDetail } from "../options/given-details.ts";
import { textOf } from "../cards/messages-of-cards.ts";
import { summariseBox } from "../cards/summarise-box.ts";

/** What a task itself says of how it stands. */
const stateFields = [
  ...(["agentId", "status", "attempt", "failures", "batchId", "taskIndex", "result", "error"] as const),
  ...(["createdAt", "startedAt", "finishedAt", "deadline"] as const),
];
type TaskState = Pick<Task, (typeof stateFields)[number]>;

/** The whole task that a root task has started. */
export async function readTaskTree(store: Store, root: Task, account: TokenAccount): Promise<TaskTree> {
  const tasks = await store.tasks.list(root.projectId, { rootTaskId: root.rootTaskId });
  const boxes = new Map<string, HydratedBox>();
  for (const id of new Set(tasks.flatMap((task) => [task.contextBoxId, task.outputBoxId]))) {
    const box = await store.cards.openBox(root.projectId, id);
    if (box) boxes.set(id, box);
  }
  const children = Map.groupBy(tasks, (task) => task.parentTaskId);
  const nodeOf = (task: Task): TaskTree => ({
    ...summaryOf(task, boxes, account),
    children: (children.get(task.id) ?? []).map(nodeOf),
  });
  return nodeOf(tasks.find((task) => task.id === root.id) ?? root);
}

function summaryOf(
  task: Task,
  boxes: ReadonlyMap<string, HydratedBox>,
  account: TokenAccount,
): Omit<TaskTree, "children"> {
  const context = boxes.get(task.contextBoxId) ?? emptyBox(task.contextBoxId);
  const output = boxes.get(task.outputBoxId) ?? emptyBox(task.outputBoxId);
  const start = task.outputStart ?? output.items.length;
  // The instruction is kept in front of the output, for the tasks that follow.
  const kept = output.items.slice(start).findIndex(({ origin }) => origin === "output");
  return {
    ...(Object.fromEntries(stateFields.map((field) => [field, task[field]])) as TaskState),
    taskId: task.id,
    profileName: textDetail(task, "profileName") ?? null,
    tool: textDetail(task, "tool") ?? null,
    startedBy: startedBy(task),
    place: task.origin?.place ?? null,
    instruction: instructionOf(context),
    context: summariseBox(context, account),
    earlier: summariseBox(output, account, 0, start),
    output: summariseBox(output, account, kept < 0 ? output.items.length : start + kept, task.outputEnd ?? undefined),
  };
}

function emptyBox(id: string): HydratedBox {
  return { id, version: 0, items: [], cards: [], parents: [], createdAt: 0 };
}

export function startedBy(task: Task): string {
  return givenTo(task).startedBy ?? person;
}

function instructionOf({ cards }: HydratedBox): string {
  const card = cards.find((each) => each?.type === "task.instruction");
  return card ? textOf(card) : "";
}
