import { tokenAccount, tokenizerForModel } from "@galley/engine";
import type { CardRow } from "../../handover/work/card-rows.ts";
import type { StoredBuild } from "../../store/ports/build-store.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { openTaskPlace } from "../places/task-place.ts";
import type { TaskBuild } from "../services/galley-ports.ts";
import type { LoopServices } from "../services/services.ts";
import { type TaskModel, type TaskTurns, previewTask } from "./execute-task.ts";

/** Who would answer the first call; it need not be callable from here. */
export type NextOfTask = (task: Task) => Promise<Omit<TaskModel, "send">>;

/** What the newest call of a task has read, as it was recorded; what the first call would read, while there is none. */
export async function taskBuild(
  parts: Pick<LoopServices, "project" | "store" | "redactor" | "now">,
  task: Task,
  { nextOf, toolsFor }: Pick<TaskTurns, "toolsFor"> & { readonly nextOf: NextOfTask },
): Promise<TaskBuild> {
  const session = { projectId: parts.project, sessionId: `task:${task.id}` };
  const [newest] = await parts.store.builds.list(session, { last: 1 });
  const build = newest && (await parts.store.builds.read(session, newest.n));
  if (build) return recorded(parts, task, build);
  const asked = await nextOf(task);
  return { ...(await previewTask(parts, task, await toolsFor(task), asked)), model: asked.model.id };
}

async function recorded(
  parts: Pick<LoopServices, "store" | "redactor" | "now">,
  task: Task,
  build: StoredBuild,
): Promise<TaskBuild> {
  const { messages, tools, stats, ledger, stablePrefix, digest, model } = build;
  const { n, turn, callOfTurn, at, usage, budget } = build;
  const place = await openTaskPlace(parts, task, []);
  const account = tokenAccount(await tokenizerForModel(model, { id: stats.tokenizer }));
  const cards = presentThen(place.cardRows(ledger, account));
  const call = { n, turn, callOfTurn, at, usage, budget };
  return { messages, tools, stats, ledger, stablePrefix, digest, cards, contract: place.contract, model, call };
}

/** Without the cards that the task has added since: they are its own, the last ones, and no row of the call knows them. */
function presentThen(rows: readonly CardRow[]): readonly CardRow[] {
  const last = rows.findLastIndex(({ section, position }) => section !== "own" || position !== undefined);
  return rows.slice(0, last + 1);
}
