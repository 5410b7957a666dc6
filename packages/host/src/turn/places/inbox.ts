import { resultText } from "../../handover/cards/result-text.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { Services } from "../services/services.ts";

type InboxServices = Pick<Services, "store" | "project" | "now">;

/** A result that a turn takes into its place [A1]. */
export interface ReturnedResult {
  readonly taskId: string;
  /** When the task ended; the same however often it is read. */
  readonly ts: number;
  readonly content: string;
  readonly anchor?: string | undefined;
}

/**
 * Where the call that handed a task over stands now: in what is active, in a topic that was put away, or nowhere. `cut` is one
 * that this turn leaves behind if it is committed: until then its result waits.
 */
export type CallPlace = "active" | "cut" | { readonly title: string } | undefined;

export interface InboxRequest {
  /** `chat:KEY`, `session:ID`, `agent:NAME`. */
  readonly place: string;
  /** The time of the turn's input: what ended later waits for the next turn, also when this one is resumed. */
  readonly inputTs: number;
  readonly find: (anchor: string) => CallPlace | Promise<CallPlace>;
  /** The model of the place has `context_recall`. */
  readonly canRecall: boolean;
}

/** The results that wait for a place, oldest first. */
export async function readInbox(parts: InboxServices, request: InboxRequest): Promise<readonly ReturnedResult[]> {
  const { store, project } = parts;
  const waiting = await store.tasks.list(project, { place: request.place, isWaitingToReturn: true });
  const due = waiting.filter(({ finishedAt }) => (finishedAt ?? Infinity) <= request.inputTs);
  const results: ReturnedResult[] = [];
  for (const task of due.toSorted((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0))) {
    const anchor = task.origin?.anchor;
    const where = anchor === undefined ? "active" : await request.find(anchor);
    if (where === undefined) await letGo(parts, task);
    else if (where !== "cut") {
      const content = await resultText(task, {
        topic: where === "active" ? undefined : where,
        canRecall: request.canRecall,
      });
      results.push({ taskId: task.id, ts: task.finishedAt ?? 0, content, anchor });
    }
  }
  return results;
}

/** How long a turn that no run is stored of may still be committed. */
const turnPatience = 24 * 60 * 60 * 1000;

/** The call is not there: it was edited away or failed with its turn, and the result stays a card. Or it is still to come. */
async function letGo({ store, project, now }: InboxServices, { id, origin, finishedAt }: Task): Promise<void> {
  const run = origin?.turnId === undefined ? undefined : await store.runs.get(project, origin.turnId);
  const isOver = run ? run.finishedAt !== null : (finishedAt ?? 0) < now() - turnPatience;
  if (isOver) await store.tasks.markReturned({ projectId: project, taskIds: [id], turnId: null, now: now() });
}
