import { GalleyError } from "@galley/engine";
import type { ResultLine } from "../../chat/lines/chat-line.ts";
import type { Services } from "../services/services.ts";
import { offersRecall } from "../tools/own-tools.ts";
import { type CallPlace, readInbox } from "./inbox.ts";
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
  /** `cutFrom` is the message at which the turn branches off. */
  readonly find: (anchor: string, cutFrom: string | undefined) => CallPlace | Promise<CallPlace>;
}

type ReturnServices = Pick<Services, "store" | "project" | "now">;

export async function openReturns(
  parts: ReturnServices,
  { runId, inputTs, branch, ownTools = "all" }: Pick<PlaceRequest, "runId" | "inputTs" | "branch" | "ownTools">,
  { place, recorded, find }: ReturnsPlace,
): Promise<ReturnedResults> {
  const { store, project: projectId, now } = parts;
  const settle = async (tasks: readonly { readonly taskId: string }[], turnId: string | null): Promise<void> => {
    const taskIds = tasks.map(({ taskId }) => taskId);
    if (taskIds.length > 0) await store.tasks.markReturned({ projectId, taskIds, turnId, now: now() });
  };
  const canRecall = offersRecall(ownTools);
  // A question that is answered once more was asked before they came.
  const waiting =
    branch?.kind === "regenerate"
      ? []
      : await readInbox(parts, { place, inputTs, canRecall, find: (anchor) => find(anchor, branch?.from) }).catch(
          unlessDamaged([]),
        );
  const known = waiting.length === 0 ? new Set<string>() : await recorded();
  const written = waiting.filter(({ taskId }) => known.has(taskId));
  await settle(written, runId);
  const lines = waiting.filter((result) => !written.includes(result));
  return {
    lines: lines.map((result) => ({ type: "result", ...result })),
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
