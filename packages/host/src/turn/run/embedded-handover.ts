import { GalleyError, type Preset } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import { type GivenContext, giveTask } from "../../handover/plan/give-task.ts";
import { person as personId } from "../../handover/options/caller.ts";
import { notFound } from "../../handover/options/request-errors.ts";
import {
  type HandoverOptions,
  type NamedProfile,
  type TaskTarget,
  openHandover,
} from "../../handover/options/handover-options.ts";
import { awaitTask } from "../../handover/plan/results.ts";
import { listProfiles, removeProfile, saveProfile } from "../../handover/pack/profiles.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { GalleyHandover } from "../services/galley-ports.ts";
import type { Services } from "../services/services.ts";
import { sendToModel } from "../call/call-model.ts";
import { type ModelFacts, callableModel, describedModel } from "../call/resolve-model.ts";
import { layerSettings } from "../../config/settings-in-force.ts";
import { profileLayers } from "../services/setting-layers.ts";
import { localTime } from "../services/local-time.ts";
import { resolveCompactor } from "../call/resolve-compactor.ts";
import { runtimeData } from "../call/runtime-data.ts";
import { budgetOf, configOf, presetSettings } from "../call/resolve-settings.ts";
import { placeOf, placeOfSession } from "../places/turn-place.ts";
import { toolsFor } from "../tools/tools-for.ts";
import { type NextOfTask, type TaskModel, type TaskSetup, taskBuild } from "./execute-task.ts";
import { watchTasks } from "./watch-tasks.ts";
import { type Worker, type WorkerEvent, startWorker } from "./worker.ts";
import { type Detailed, textDetail } from "../../handover/options/given-details.ts";

export interface EmbeddedHandoverOptions {
  readonly store: Store;
  readonly project: string;
  readonly now: () => number;
  readonly profiles?: readonly NamedProfile[];
  /** Known only when everything is put together. */
  readonly parts: () => Services;
  readonly workerModel: () => string;
}

const concurrency = 4;
/** More of a chat than any window holds. */
const maxHistoryBytes = 8 * 1024 * 1024;

/** Handover with a worker in this process, which starts when there is something to do. */
export function embeddedHandover(given: EmbeddedHandoverOptions): GalleyHandover & { stop(): Promise<void> } {
  const { store, project, now } = given;
  const inputTokens = (target: TaskTarget): Promise<number> => inputOf(given.parts(), target, given.workerModel());
  const options: HandoverOptions = { store, now, profiles: given.profiles ?? [], inputTokens };
  const person = { projectId: project, id: personId };
  let worker: Promise<Worker> | undefined;
  let isStopped = false;
  const watch = watchTasks({
    store,
    project,
    tell: (type, subject, place) => given.parts().events.emit(type, subject, place),
  });
  const start = async (): Promise<void> => {
    if (isStopped) throw new GalleyError("StoreUnavailable", "Galley was closed.");
    worker ??= startWorker({
      ...options,
      concurrency,
      setup: modelSetup(given.parts(), given.workerModel()),
      onEvent: (event) => {
        if ("task" in event && isChange(event)) watch.look(event.task.id);
      },
    }).catch((error: unknown) => {
      // A database that was away comes back: the next call tries again.
      worker = undefined;
      throw error;
    });
    await worker;
    await watch.resume();
  };
  return {
    options,
    person,
    start,
    ...profilesOf(given, options),
    buildOf: async (taskId) => {
      const [task] = await store.tasks.read(project, [taskId]);
      if (!task) throw notFound("id", `There is no task ${JSON.stringify(taskId)}.`);
      const { nextOf, toolsFor } = modelSetup(given.parts(), given.workerModel());
      return taskBuild(given.parts(), task, { nextOf, toolsFor });
    },
    watch: (taskIds) => watch.add(taskIds),
    waitFor: (taskId, { signal } = {}) => awaitTask(project, taskId, openHandover(options), signal),
    async delegate(task) {
      const { profile, instruction, boxes, place, model } = given.parts().redactor.redact(task);
      const said = place === undefined ? undefined : await saidAt(given.parts(), place);
      const args = { target_strategy: "new", target_ref: profile, instruction };
      const giver = { ...person, chosenModel: model };
      const delegated = await giveTask(args, { boxes, said }, giver, openHandover(options));
      await start();
      watch.add([delegated.task_id]);
      return delegated;
    },
    async stop() {
      isStopped = true;
      watch.stop();
      await (await worker?.catch(() => undefined))?.stop();
    },
  };
}

function profilesOf(
  { project, parts }: EmbeddedHandoverOptions,
  options: HandoverOptions,
): Pick<GalleyHandover, "saveProfile" | "removeProfile" | "profiles"> {
  return {
    async saveProfile(name, profile) {
      const settings = typeof profile === "string" ? { text: profile } : profile;
      const saved = parts().redactor.redact({ projectId: project, name, ...settings });
      const boxId = await saveProfile(openHandover(options), saved);
      parts().events.emit("task:changed", "");
      return boxId;
    },
    async removeProfile(name) {
      await removeProfile(openHandover(options), project, name);
      parts().events.emit("task:changed", "");
    },
    profiles: () => listProfiles(openHandover(options), project),
  };
}

/** Tasks with a model: that of the caller who handed them over, else the worker's own. `nextOf` need not be able to call it. */
function modelSetup(parts: Services, workerModel: string): TaskSetup & { readonly nextOf: NextOfTask } {
  const modelOf = (task: Detailed): string => textDetail(task, "model") ?? workerModel;
  return {
    services: parts,
    nextOf: async (task) => roomFor(parts, task, await describedModel(parts, modelOf(task))),
    async toolsFor(task, log) {
      return (await toolsFor(parts, { kind: "task", name: task.id }, { task, log })).tools;
    },
    async modelFor(task) {
      const model = await callableModel(parts, modelOf(task));
      return { ...(await roomFor(parts, task, model)), send: sendToModel(model) };
    },
  };
}

/** What holds for a task: the context settings of the configuration and of its profile's preset [T3]. */
async function roomFor(parts: Services, task: Detailed, model: ModelFacts): Promise<Omit<TaskModel, "send">> {
  const preset = await presetOf(parts, task);
  const ofPreset = { from: "preset", settings: preset && presetSettings(preset) } as const;
  const layers = [...profileLayers(parts, task), ofPreset];
  const { settings } = layerSettings(layers);
  const runtime = await runtimeData(parts, settings, localTime(new Date(parts.now())));
  const compactor = resolveCompactor(parts, settings.compaction);
  return { model, config: configOf(model, settings), preset, context: { layers, compactor, runtime } };
}

async function inputOf(parts: Services, target: TaskTarget, workerModel: string): Promise<number> {
  const model = await describedModel(parts, target.model ?? workerModel);
  return budgetOf((await roomFor(parts, { details: { ...target } }, model)).config);
}

async function presetOf({ presets }: Services, task: Detailed): Promise<Preset | undefined> {
  const id = textDetail(task, "preset");
  return id === undefined ? undefined : (await presets.get(id)).preset;
}

/** Not each word that a model says: what the boxes and the status of a task show. */
function isChange(event: WorkerEvent): boolean {
  return event.type !== "task:progress" || event.event.type === "tool:call" || event.event.type === "tool:result";
}

/** What was said in a chat, with an agent or in a session. */
async function saidAt({ chats, sessions }: Services, named: string): Promise<GivenContext["said"]> {
  const place = placeOf(placeOfSession(named));
  const key = chatKeyOf(place);
  const name = `${place.kind}:${place.name}`;
  if (key === undefined) return { place: name, entries: await sessions.recent(place.session) };
  return { place: name, entries: (await chats.open(key)).context({ maxBytes: maxHistoryBytes }, {}).entries };
}
