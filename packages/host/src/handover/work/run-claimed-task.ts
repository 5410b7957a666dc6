import { GalleyError, type ModelMessage } from "@galley/engine";
import type { FinishedTask, Hold, Output, Task } from "../../store/ports/task-store.ts";
import { type TaskContextFor, buildTask } from "./build-task.ts";
import { cardsOfMessages } from "../cards/cards-of-messages.ts";
import type { Handover } from "../options/handover-options.ts";
import { messagesOfCards } from "../cards/messages-of-cards.ts";
import { resultOf } from "./task-result.ts";
import { type RunTask, type TaskAttempt, openCallsOf } from "./task-attempt.ts";

export interface AttemptOptions {
  readonly handover: Handover;
  readonly context: TaskContextFor;
  readonly runTask: RunTask;
  readonly signal: AbortSignal;
}

/** What an attempt came to; `undefined` when the task was parked. */
export type Attempt = FinishedTask | undefined;

/** Runs a task that has been claimed and records what it gives: cards, box and result in one transaction [H8]. */
export async function runClaimedTask(claimed: Task, options: AttemptOptions): Promise<Attempt> {
  const { handover, runTask } = options;
  const hold: Hold = { projectId: claimed.projectId, taskId: claimed.id, attempt: claimed.attempt };
  const task = await keepInstruction(claimed, hold, handover);
  const run = await openRun(task, hold, options);
  const outcome = await runTask(run);
  if (outcome.status === "suspended") return undefined;
  const result = resultOf(outcome, run.build.contract);
  const output = outputOf(outcome.messages ?? [], task, handover);
  return withPatience(() => handover.store.tasks.finish(hold, { status: "succeeded", result, output }, handover.now()));
}

function outputOf(messages: readonly ModelMessage[], { agentId }: Task, { now, newId }: Handover): Output {
  return { cards: cardsOfMessages(messages, { authorId: agentId, now: now(), newId }) };
}

/**
 * Puts the task's instruction into the output box as well, by reference: a later task of the same agent, or a clone of it,
 * would otherwise read answers without their questions.
 */
async function keepInstruction(task: Task, hold: Hold, { store, now }: Handover): Promise<Task> {
  const [output, context] = await store.cards.readBoxes(task.projectId, [task.outputBoxId, task.contextBoxId]);
  const packed = context?.items.filter(({ origin }) => origin === "packed") ?? [];
  const isKept = (output?.items.length ?? 0) > (task.outputStart ?? 0);
  if (packed.length === 0 || isKept) return task;
  return store.tasks.record(hold, { cards: [], items: packed }, now());
}

async function openRun(task: Task, hold: Hold, options: AttemptOptions): Promise<TaskAttempt> {
  const { handover, context, signal } = options;
  const { store, now } = handover;
  const { projectId, agentId } = task;
  const build = await buildTask(store, task, typeof context === "function" ? await context(task) : context);
  const model = task.details["model"];
  return {
    task,
    build,
    openCalls: await readOpenCalls(task, handover),
    caller: {
      projectId,
      id: agentId,
      hold,
      waiting: "suspend",
      signal,
      ...(typeof model === "string" ? { model } : {}),
    },
    signal,
    async record(messages) {
      const output = outputOf(messages, task, handover);
      return openRun(await withPatience(() => store.tasks.record(hold, output, now())), hold, options);
    },
  };
}

async function readOpenCalls(task: Task, { store }: Handover): Promise<TaskAttempt["openCalls"]> {
  const box = await store.cards.openBox(task.projectId, task.outputBoxId);
  const own = box?.cards.slice(task.outputStart ?? 0) ?? [];
  const cards = own.filter((card) => card !== undefined);
  return openCallsOf(messagesOfCards(cards).map(({ message }) => message));
}

const patience = 8;

/** A database that is away for a moment does not cost the work that was done: the write is tried again, and counts once. */
async function withPatience<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof GalleyError) || !error.retryable || attempt === patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
    }
  }
}
