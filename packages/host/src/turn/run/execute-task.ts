import { type ContextConfig, GalleyError, type Build, tokenAccount } from "@galley/engine";
import { noCalibration } from "@galley/engine/models";
import type { RunEvent } from "../../api/run-event.ts";
import { defaultLimits } from "../../config/limits-schema.ts";
import type { ResultField } from "../../handover/cards/result-fields.ts";
import type { Redactor } from "../../secrets/redactor.ts";
import type { FinishedTask, Task } from "../../store/ports/task-store.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Send } from "../call/call-model.ts";
import { type ModelFacts, foreignModel } from "../call/resolve-model.ts";
import type { TurnSettings } from "../call/resolve-settings.ts";
import { type TaskPlace, openTaskPlace } from "../places/task-place.ts";
import { galleyEvents } from "../services/galley-events.ts";
import { localTime } from "../services/local-time.ts";
import type { LoopServices } from "../services/services.ts";
import type { RunLimits } from "../services/turn-types.ts";
import { type LoopTurn, noProgress, runLoop } from "./loop.ts";
import { resolveLimits } from "./run-request.ts";
import type { CardRow } from "../../handover/work/card-rows.ts";
import { buildCall } from "../call/build-call.ts";

/** Who answers the calls of a task, and with how much room. */
export interface TaskModel {
  readonly model: ModelFacts;
  readonly config: ContextConfig;
  readonly send: Send;
}

/** How a worker carries out tasks. */
export interface TaskTurns {
  readonly services: Omit<LoopServices, "project" | "store" | "now">;
  /** Called once for each attempt. */
  readonly modelFor: (task: Task, contract: readonly ResultField[] | undefined) => Promise<TaskModel>;
  readonly toolsFor: (task: Task) => readonly Tool[] | Promise<readonly Tool[]>;
  /** As for a run; the deadline of a task holds besides. */
  readonly limits?: RunLimits;
}

/** For a worker without a data folder: it keeps no calibration, and its events have no listeners. */
export function bareServices(redactor: Redactor): TaskTurns["services"] {
  return {
    redactor,
    events: galleyEvents(Date.now),
    calibration: { current: () => noCalibration, observe: () => undefined, idle: async () => undefined },
    summaries: "extractive",
    limits: defaultLimits,
  };
}

/** Carries out a task that was claimed; gives nothing when it was parked. A limit ends it with `TaskFailed` [T1]. */
export async function executeTask(
  parts: LoopServices,
  task: Task,
  { modelFor, toolsFor, limits }: TaskTurns,
  { stop, emit }: { readonly stop: AbortSignal; readonly emit: (event: RunEvent) => void },
): Promise<FinishedTask | undefined> {
  const place = await openTaskPlace(parts, task, await toolsFor(task));
  await place.keepInstruction();
  const { model, config, send } = await modelFor(task, place.contract);
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
    plan: taskSettings(task, place, { model, config, now: parts.now() }),
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

/** A task brings its own preset; a task whose result was refused is told why, or it would give the same again. */
function taskSettings(
  { startedAt, error }: Task,
  { preset, variables }: TaskPlace,
  { now, ...given }: Pick<TurnSettings, "model" | "config"> & { readonly now: number },
): TurnSettings {
  return {
    ...given,
    preset,
    variables,
    now: localTime(new Date(startedAt ?? now)),
    ...(error?.code === "ResultInvalid" ? { runtimeHints: { previousAttempt: error.message } } : {}),
  };
}

/** What the model of a task reads, with a row for every card. */
export interface TaskPreview extends Pick<Build, "messages" | "tools" | "stats" | "ledger" | "stablePrefix"> {
  readonly cards: readonly CardRow[];
  readonly digest: string;
  /** What the result must hold, where the task says so. */
  readonly contract: readonly ResultField[] | undefined;
}

/** Builds what the model of a task would read now, without a limit. Keeps nothing. */
export async function previewTask(
  parts: Pick<LoopServices, "store" | "redactor" | "now">,
  task: Task,
  given: readonly Tool[],
  modelId: string,
  maxInputTokens = Number.MAX_SAFE_INTEGER,
): Promise<TaskPreview> {
  const place = await openTaskPlace(parts, task, given);
  const model = await foreignModel(modelId);
  const plan = taskSettings(task, place, { model, config: { maxInputTokens }, now: parts.now() });
  const { messages, tools, stats, ledger, stablePrefix, digest } = await buildCall(
    { ...parts, summaries: "extractive" },
    place,
    plan,
  );
  const cards = place.cardRows(ledger, tokenAccount(model.tokenizer));
  return { messages, tools, stats, ledger, stablePrefix, digest, cards, contract: place.contract };
}
