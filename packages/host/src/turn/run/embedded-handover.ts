import { GalleyError } from "@galley/engine";
import { delegateAsync } from "../../handover/plan/delegate.ts";
import { person as personId } from "../../handover/options/caller.ts";
import { type HandoverOptions, openHandover } from "../../handover/options/handover-options.ts";
import { awaitTask } from "../../handover/plan/results.ts";
import { saveProfile } from "../../handover/plan/save-profile.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { GalleyHandover } from "../services/galley-ports.ts";
import type { Services } from "../services/services.ts";
import { sendToModel } from "../call/call-model.ts";
import { callableModel } from "../call/resolve-model.ts";
import { configOf } from "../call/resolve-settings.ts";
import { toolsFor } from "../tools/tools-for.ts";
import type { TaskTurns } from "./execute-task.ts";
import { type Worker, type WorkerEvent, startWorker } from "./worker.ts";

export interface EmbeddedHandoverOptions {
  readonly store: Store;
  readonly project: string;
  readonly now: () => number;
  /** Known only when everything is put together. */
  readonly parts: () => Services;
  readonly workerModel: () => string;
}

const concurrency = 4;

/** Handover with a worker in this process, which starts when there is something to do. */
export function embeddedHandover(given: EmbeddedHandoverOptions): GalleyHandover & { stop(): Promise<void> } {
  const { store, project, now } = given;
  const options: HandoverOptions = { store, now };
  const person = { projectId: project, id: personId };
  let worker: Promise<Worker> | undefined;
  let isStopped = false;
  const start = async (): Promise<void> => {
    if (isStopped) throw new GalleyError("StoreUnavailable", "Galley was closed.");
    worker ??= startWorker({
      ...options,
      concurrency,
      turns: modelTurns(given.parts(), given.workerModel()),
      onEvent: (event) => {
        if ("task" in event && isChange(event)) given.parts().events.emit("task:changed", event.task.id);
      },
    }).catch((error: unknown) => {
      // A database that was away comes back: the next call tries again.
      worker = undefined;
      throw error;
    });
    await worker;
  };
  return {
    options,
    person,
    start,
    saveProfile: (name, text) =>
      saveProfile(openHandover(options), given.parts().redactor.redact({ projectId: project, name, text })),
    waitFor: (taskId, { signal } = {}) => awaitTask(project, taskId, openHandover(options), signal),
    async delegate({ profile, instruction, boxes = [] }) {
      const box = boxes.length > 1 ? await joinBoxes(given, boxes) : boxes[0];
      const task = { target_strategy: "new", target_ref: profile, instruction };
      const args = given.parts().redactor.redact({ ...task, ...(box === undefined ? {} : { context_box_id: box }) });
      const delegated = await delegateAsync(args, person, openHandover(options));
      await start();
      given.parts().events.emit("task:changed", delegated.task_id);
      return delegated;
    },
    async stop() {
      isStopped = true;
      await (await worker?.catch(() => undefined))?.stop();
    },
  };
}

/** Tasks with a model: that of the caller who handed them over, else the worker's own. */
function modelTurns(parts: Services, workerModel: string): TaskTurns {
  return {
    services: parts,
    toolsFor: async (task) => (await toolsFor(parts, { kind: "task", name: task.id }, { task })).tools,
    async modelFor({ details }) {
      const asked = details["model"];
      const model = await callableModel(parts, typeof asked === "string" ? asked : workerModel);
      return { model, config: configOf(model, undefined), send: sendToModel(model) };
    },
  };
}

/** Not each word that a model says: what the boxes and the status of a task show. */
function isChange(event: WorkerEvent): boolean {
  return event.type !== "task:progress" || event.event.type === "tool:call" || event.event.type === "tool:result";
}

/** One box with the cards of several, each once, in order. */
async function joinBoxes({ store, project, now }: EmbeddedHandoverOptions, ids: readonly string[]): Promise<string> {
  const boxes = await store.cards.readBoxes(project, ids);
  const missing = ids.find((_, index) => boxes[index] === undefined);
  if (missing !== undefined) {
    const hint = "Check the id; boxes of other projects are not found.";
    throw new GalleyError("NotFound", `There is no box ${JSON.stringify(missing)}.`, { path: "boxes", hint });
  }
  const cards = new Set(boxes.flatMap((box) => box?.items.map(({ cardId }) => cardId) ?? []));
  const id = openHandover({ store, now }).newId();
  const items = [...cards].map((cardId) => ({ cardId, origin: "inherited" as const }));
  await store.cards.pack({ projectId: project, cards: [], boxes: [{ id, items, parents: [...ids] }], now: now() });
  return id;
}
