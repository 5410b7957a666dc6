import {
  type ContextConfig,
  GalleyError,
  type Preset,
  type SessionEntry,
  tokenAccount,
  tokenizerForModel,
} from "@galley/engine";
import { noCalibration } from "@galley/engine/models";
import { sessionIdOf } from "../../api/place-id.ts";
import type { RunEvent } from "../../api/run-event.ts";
import { type SettingsLayer, layerSettings } from "../../config/settings-in-force.ts";
import { defaultLimits } from "../../config/time-limits.ts";
import type { ResultField } from "../../handover/cards/result-fields.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { CardRow } from "../../handover/work/card-ledger.ts";
import type { StoredBuild } from "../../store/ports/build-store.ts";
import type { FinishedTask, Task } from "../../store/ports/task-store.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Send } from "../call/call-model.ts";
import type { ModelFacts } from "../call/resolve-model.ts";
import { plainCompactor } from "../call/resolve-compactor.ts";
import { inPreset } from "../../handover/work/handover-recipe.ts";
import { type TurnSettings, withoutSettings } from "../call/resolve-settings.ts";
import { type TaskPlace, openTaskPlace } from "../places/task-place.ts";
import { galleyEvents } from "../services/galley-events.ts";
import { localTime } from "../services/local-time.ts";
import type { TaskBuild } from "../services/galley-ports.ts";
import type { LoopServices } from "../services/services.ts";
import type { RunLimits } from "../services/turn-types.ts";
import { type LoopTurn, noProgress, runLoop } from "./loop.ts";
import { resolveLimits } from "./run-request.ts";
import { buildCall } from "../call/build-call.ts";

/** Who answers the calls of a task, and with how much room. */
export interface TaskModel {
  readonly model: ModelFacts;
  readonly config: ContextConfig;
  readonly send: Send;
  /** The preset that the profile of the task names. */
  readonly preset?: Preset | undefined;
  /** What else holds for it, by layers; the built-in defaults if absent. */
  readonly context?: TaskContext;
}

/** The context settings that hold for tasks [T3]. */
interface TaskContext extends Pick<TurnSettings, "compactor" | "runtime"> {
  readonly layers: readonly SettingsLayer[];
}

/** How a worker carries out tasks. */
export interface TaskSetup {
  readonly services: Omit<LoopServices, "project" | "store" | "now">;
  /** Called once for each attempt. */
  readonly modelFor: (task: Task, contract: readonly ResultField[] | undefined) => Promise<TaskModel>;
  /** The log is what the builds of the task read, from its first call on. */
  readonly toolsFor: (task: Task, log?: () => readonly SessionEntry[]) => readonly Tool[] | Promise<readonly Tool[]>;
  /** As for a run; the deadline of a task holds besides. */
  readonly limits?: RunLimits;
}

/** For a worker without a data folder: it keeps no calibration, and its events have no listeners. */
export function bareServices(redactor: Redactor): TaskSetup["services"] {
  return {
    redactor,
    events: galleyEvents(Date.now),
    calibration: { current: () => noCalibration, observe: () => undefined, idle: async () => undefined },
    limits: defaultLimits,
  };
}

/** Carries out a task that was claimed; gives nothing when it was parked. A limit ends it with `TaskFailed` [T1]. */
export async function executeTask(
  parts: LoopServices,
  task: Task,
  { modelFor, toolsFor, limits }: TaskSetup,
  { stop, emit }: { readonly stop: AbortSignal; readonly emit: (event: RunEvent) => void },
): Promise<FinishedTask | undefined> {
  const tools = await toolsFor(task, () => place.entries());
  const place: TaskPlace = await openTaskPlace(parts, task, tools);
  await place.keepInstruction();
  const { send, ...given } = await modelFor(task, place.contract);
  const replies = [...place.steps(), ...(place.open ? [place.open.reply] : [])];
  const turn: LoopTurn = {
    parts,
    work: {
      id: task.id,
      // Another attempt may be told why the one before failed, and is another call in any case.
      key: `${task.id}/${task.attempt}`,
      isRetried: true,
      save: (steps) => place.record(steps),
    },
    place,
    plan: taskSettings(task, place, { ...given, now: parts.now() }),
    send,
    limits: resolveLimits(limits),
    stop,
    problems: [],
    progress: { ...noProgress, iteration: replies.filter(({ role }) => role === "assistant").length },
    emit,
  };
  const end = await runLoop(turn, place.open);
  stop.throwIfAborted();
  if (end.kind === "limit") throw new GalleyError("TaskFailed", end.why, { hint: "Give the task in smaller pieces." });
  return end.kind === "parked" ? undefined : place.finish(end.reply);
}

/** For a worker without a data folder. */
const bareContext: TaskContext = { layers: [], compactor: plainCompactor, runtime: { hints: {}, problems: [] } };

/** A task brings its own preset; a task whose result was refused is told why, or it would give the same again. */
function taskSettings(
  { startedAt, error }: Task,
  { preset: recipe, variables }: TaskPlace,
  { now, context, preset, ...given }: Omit<TaskModel, "send"> & { readonly now: number },
): TurnSettings {
  const hints: Record<string, string> = error?.code === "ResultInvalid" ? { previousAttempt: error.message } : {};
  const { layers, compactor, runtime } = context ?? bareContext;
  return {
    ...given,
    ...layerSettings([...layers, { from: "request", settings: { variables, hints } }]),
    preset: preset ? inPreset(withoutSettings(preset), recipe) : recipe,
    now: localTime(new Date(startedAt ?? now)),
    compactor,
    runtime: { ...runtime, hints: { ...runtime.hints, ...hints } },
  };
}

type BuildServices = Pick<LoopServices, "project" | "store" | "redactor" | "now">;

/** Builds what the model of a task would read now. Keeps nothing. */
export async function previewTask(
  parts: BuildServices,
  task: Task,
  given: readonly Tool[],
  model: Omit<TaskModel, "send">,
): Promise<Omit<TaskBuild, "model">> {
  const place = await openTaskPlace(parts, task, given);
  const plan = taskSettings(task, place, { ...model, now: parts.now() });
  const { messages, tools, stats, ledger, stablePrefix, digest } = await buildCall(parts, place, plan);
  const cards = place.cardRows(ledger, tokenAccount(model.model.tokenizer));
  return { messages, tools, stats, ledger, stablePrefix, digest, cards, contract: place.contract };
}

/** Who would answer the first call; it need not be callable from here. */
export type NextOfTask = (task: Task) => Promise<Omit<TaskModel, "send">>;

/** What the newest call of a task has read, as it was recorded; what the first call would read, while there is none. */
export async function taskBuild(
  parts: BuildServices,
  task: Task,
  { nextOf, toolsFor }: Pick<TaskSetup, "toolsFor"> & { readonly nextOf: NextOfTask },
): Promise<TaskBuild> {
  const session = { projectId: parts.project, sessionId: sessionIdOf({ kind: "task", name: task.id }) };
  const [newest] = await parts.store.builds.list(session, { last: 1 });
  const build = newest && (await parts.store.builds.read(session, newest.n));
  if (build) return recorded(parts, task, build);
  const asked = await nextOf(task);
  return { ...(await previewTask(parts, task, await toolsFor(task), asked)), model: asked.model.id };
}

async function recorded(parts: BuildServices, task: Task, build: StoredBuild): Promise<TaskBuild> {
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
