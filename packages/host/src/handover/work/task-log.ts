import type { SessionEntry } from "@galley/engine";
import type { Store } from "../../store/ports/ports.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { givenTo } from "../options/given-details.ts";
import { notFound } from "../options/request-errors.ts";
import { type RecipeInput, handoverRecipe } from "./handover-recipe.ts";
import { type PlacedCard, type TaskBoxes, taskSections } from "./task-sections.ts";

/** What a task reads: its boxes, and nothing else [H6]. */
export interface TaskLog {
  readonly boxes: TaskBoxes;
  readonly placed: readonly PlacedCard[];
  readonly recipe: RecipeInput;
  /** Its history, with what its builds have decided. */
  readonly entries: readonly SessionEntry[];
}

export async function readTaskLog(store: Store, task: Task): Promise<TaskLog> {
  const boxes = await openBoxes(store, task);
  const placed = taskSections(boxes, task.outputStart ?? 0);
  const agentRefs = givenTo(task).agentRefs.map((agent) => agent.agentId);
  const recipe = handoverRecipe(placed, agentRefs);
  const decisions = await store.sessions.read({ projectId: task.projectId, sessionId: `task:${task.id}` });
  return { boxes, placed, recipe, entries: withDecisions(recipe.entries, decisions) };
}

async function openBoxes({ cards }: Store, task: Task): Promise<TaskBoxes> {
  const open = async (boxId: string): Promise<TaskBoxes["profile"]> => {
    const box = await cards.openBox(task.projectId, boxId);
    if (box) return box;
    throw notFound("task", `The task ${task.id} names the box ${boxId}, which does not exist.`);
  };
  return {
    profile: await open(task.profileBoxId),
    context: await open(task.contextBoxId),
    output: await open(task.outputBoxId),
  };
}

/** What earlier builds of this task decided, each behind the message that was the last one then [F8]. */
function withDecisions(messages: readonly SessionEntry[], decisions: readonly SessionEntry[]): readonly SessionEntry[] {
  if (decisions.length === 0) return messages;
  const behind = Map.groupBy(decisions, (entry) => entry.parentId ?? null);
  const entries: SessionEntry[] = [];
  const add = (entry: SessionEntry): void => {
    const { parentId: _, ...rest } = entry;
    entries.push(rest);
    for (const decision of behind.get(entry.id) ?? []) add(decision);
  };
  for (const message of messages) add(message);
  return entries;
}
