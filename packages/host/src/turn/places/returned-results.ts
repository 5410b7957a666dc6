import { GalleyError } from "@galley/engine";
import type { ResultLine } from "../../chat/lines/chat-line.ts";
import type { Services } from "../services/services.ts";
import { offersRecall } from "../tools/own-tools.ts";
import type { MessagePlace } from "../../chat/contexts/find-message.ts";
import { resultText } from "../../handover/cards/result-text.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { PlaceRequest } from "./turn-place.ts";

/** What came back to a place since its last turn, and what becomes of it with this one [A1]. */
export interface ReturnedResults {
  /** Oldest first: they stand in front of the turn's input. */
  readonly lines: readonly ResultLine[];
  /** The turn has written them down. */
  committed(): Promise<void>;
  /** The turn has kept nothing: they wait again, and so does what its calls were given. */
  failed(): Promise<void>;
}

export interface ReturnsPlace {
  /** `chat:KEY`, `session:ID`, `agent:NAME`. */
  readonly place: string;
  /** The tasks whose results are written down there: a process may have died before it could say so. */
  readonly recorded: () => ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /**
   * Where the call that handed a task over stands now; `cutFrom` is the message at which the turn branches off. A call that is
   * `cut` is left behind by this turn if it is committed: until then its result waits.
   */
  readonly find: (anchor: string, cutFrom: string | undefined) => MessagePlace | Promise<MessagePlace>;
}

type ReturnServices = Pick<Services, "store" | "project" | "now">;

export async function openReturns(
  parts: ReturnServices,
  { runId, inputTs, branch, ownTools = "all" }: Pick<PlaceRequest, "runId" | "inputTs" | "branch" | "ownTools">,
  from: ReturnsPlace,
): Promise<ReturnedResults> {
  const { place, recorded } = from;
  const { store, project: projectId, now } = parts;
  const settle = async (tasks: readonly { readonly taskId: string }[], turnId: string | null): Promise<void> => {
    const taskIds = tasks.map(({ taskId }) => taskId);
    if (taskIds.length > 0) await store.tasks.markReturned({ projectId, taskIds, turnId, now: now() });
  };
  // A question that is answered once more was asked before they came.
  const waiting =
    branch?.kind === "regenerate"
      ? []
      : await readInbox(parts, from, { inputTs, branch, canRecall: offersRecall(ownTools) }).catch(unlessDamaged([]));
  const known = waiting.length === 0 ? new Set<string>() : await recorded();
  const written = waiting.filter(({ taskId }) => known.has(taskId));
  await settle(written, runId);
  const lines = waiting.filter((result) => !written.includes(result));
  return {
    lines,
    async committed() {
      await settle(lines, runId);
      if (branch?.kind !== "regenerate") return;
      // The calls of the reply that was replaced are gone.
      const asked = await store.tasks.list(projectId, { place });
      const gone = asked.filter(({ origin }) => origin?.anchor === branch.from && origin.turnId !== runId);
      const ids = gone.map(({ id }) => ({ taskId: id }));
      await settle(ids, null);
    },
    failed: () => store.tasks.takeBackReturned({ projectId, place, turnId: runId }).catch(unlessDamaged(undefined)),
  };
}

/** A damaged table of tasks does not keep a place from going on: the tasks themselves say that it is damaged. */
function unlessDamaged<Value>(otherwise: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof GalleyError && error.code === "StoreDamaged") return otherwise;
    throw error;
  };
}

interface InboxRequest extends Pick<PlaceRequest, "inputTs" | "branch"> {
  /** The model of the place has `context_recall`. */
  readonly canRecall: boolean;
}

/** The results that wait for a place, oldest first. What ended after the turn's input waits for the next turn, also when this one is resumed. */
async function readInbox(
  parts: ReturnServices,
  { place, find }: ReturnsPlace,
  { inputTs, branch, canRecall }: InboxRequest,
): Promise<readonly ResultLine[]> {
  const { store, project } = parts;
  const waiting = await store.tasks.list(project, { place, isWaitingToReturn: true });
  const due = waiting.filter(({ finishedAt }) => (finishedAt ?? Infinity) <= inputTs);
  const results: ResultLine[] = [];
  for (const task of due.toSorted((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0))) {
    const anchor = task.origin?.anchor;
    const where = anchor === undefined ? "active" : await find(anchor, branch?.from);
    if (where === undefined) await letGo(parts, task);
    else if (where !== "cut") {
      const content = await resultText(task, { topic: where === "active" ? undefined : where, canRecall });
      results.push({ type: "result", taskId: task.id, ts: task.finishedAt ?? 0, content, anchor });
    }
  }
  return results;
}

/** How long a turn that no run is stored of may still be committed. */
const turnPatience = 24 * 60 * 60 * 1000;

/** The call is not there: it was edited away or failed with its turn, and the result stays a card. Or it is still to come. */
async function letGo({ store, project, now }: ReturnServices, { id, origin, finishedAt }: Task): Promise<void> {
  const run = origin?.turnId === undefined ? undefined : await store.runs.get(project, origin.turnId);
  const isOver = run ? run.finishedAt !== null : (finishedAt ?? 0) < now() - turnPatience;
  if (isOver) await store.tasks.markReturned({ projectId: project, taskIds: [id], turnId: null, now: now() });
}
