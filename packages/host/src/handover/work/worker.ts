import { GalleyError } from "@galley/engine";
import { longestLease } from "../../store/database/clock-limits.ts";
import type { Consumer, Delivery } from "../../store/ports/turn-queue.ts";
import type { FinishedTurn, Hold, Turn, TurnError } from "../../store/ports/turn-store.ts";
import type { TurnContextFor } from "./build-turn.ts";
import { type Handover, type HandoverOptions, openHandover } from "../options/handover-options.ts";
import { newId } from "../options/new-id.ts";
import { runClaimedTurn } from "./run-claimed-turn.ts";
import type { RunTurn } from "./turn-run.ts";

export interface WorkerOptions extends HandoverOptions {
  readonly runTurn: RunTurn;
  readonly context: TurnContextFor;
  /** What the worker is called in the tables. */
  readonly name?: string;
  /** How many turns run at once; 1 by default. */
  readonly concurrency?: number;
  /** A worker that has not been heard of for so long is taken for dead; 30 seconds by default, ten minutes at most. */
  readonly leaseMs?: number;
  /** How long a turn that failed waits, by how often it has; ten minutes at most. */
  readonly retryDelay?: (failures: number) => number;
  readonly onEvent?: (event: WorkerEvent) => void;
}

/** What a worker tells of itself. */
export type WorkerEvent =
  | { readonly type: "turn:started"; readonly turn: Turn }
  | { readonly type: "turn:suspended"; readonly turn: Turn }
  | { readonly type: "turn:finished"; readonly turn: Turn }
  | { readonly type: "turn:retried"; readonly turn: Turn; readonly error: TurnError }
  | { readonly type: "turn:lost"; readonly turn: Turn }
  | { readonly type: "worker:error"; readonly error: unknown };

export interface Worker {
  /** Takes no new turns, gives those that are running back, and ends when none is left. */
  stop(): Promise<void>;
}

const defaultLease = 30_000;
/** Timers count no further. */
const longestTimer = 2 ** 31 - 1;

/** Waits half a second after the first failure, twice as long after each further one, a minute at most. */
const doubling = (failures: number): number => Math.min(60_000, 500 * 2 ** Math.max(0, failures - 1));

/** Runs turns as they become due, until it is stopped [H8]. Any number of workers may share one store. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const handover = openHandover(options);
  const { onEvent = () => undefined, concurrency } = options;
  const { name = `worker-${process.pid}-${newId().slice(-6)}` } = options;
  const stopping = new AbortController();
  const handle = async (delivery: Delivery): Promise<void> => {
    if (!stopping.signal.aborted) await work(delivery, { ...options, name }, handover, stopping.signal);
  };
  const consumer: Consumer = await handover.store.queue.consume(handle, {
    onError: (error) => onEvent({ type: "worker:error", error }),
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  return {
    async stop() {
      stopping.abort();
      await consumer.stop();
    },
  };
}

async function work(
  { projectId, turnId }: Delivery,
  options: WorkerOptions & { readonly name: string },
  handover: Handover,
  stopping: AbortSignal,
): Promise<void> {
  const { name, onEvent = () => undefined } = options;
  // Beats must fit the lease that the store gives, which is no longer than this.
  const leaseMs = Math.min(options.leaseMs ?? defaultLease, longestLease);
  const { store, now } = handover;
  const turn = await store.turns.claim({ projectId, turnId, worker: name, leaseMs, now: now() });
  if (!turn) return;
  onEvent({ type: "turn:started", turn });
  const hold: Hold = { projectId, turnId, attempt: turn.attempt };
  const lost = new AbortController();
  const beat = setInterval(() => {
    store.turns.renew(hold, { leaseMs, now: now() }).then(
      (isOurs) => isOurs || lost.abort(new GalleyError("TurnLost", `The turn ${turnId} is no longer ours.`)),
      (error: unknown) => onEvent({ type: "worker:error", error }),
    );
  }, leaseMs / 3);
  try {
    const signal = AbortSignal.any([lost.signal, stopping, ...deadlineSignal(turn, now())]);
    const { context, runTurn } = options;
    const finished = await runClaimedTurn(turn, { handover, context, runTurn, signal });
    onEvent(finished ? { type: "turn:finished", turn: finished.turn } : { type: "turn:suspended", turn });
  } catch (error) {
    onEvent(await giveUp(error, turn, { hold, lost: lost.signal, stopping, options, handover }));
  } finally {
    clearInterval(beat);
  }
}

function deadlineSignal({ deadline }: Turn, now: number): AbortSignal[] {
  return deadline === null ? [] : [AbortSignal.timeout(Math.min(Math.max(0, deadline - now), longestTimer))];
}

interface GivingUp {
  readonly hold: Hold;
  readonly lost: AbortSignal;
  readonly stopping: AbortSignal;
  readonly options: WorkerOptions;
  readonly handover: Handover;
}

/** An attempt that threw: the turn is somebody else's, goes back, is tried again, or has failed for good. */
async function giveUp(
  error: unknown,
  turn: Turn,
  { hold, lost, stopping, options, handover }: GivingUp,
): Promise<WorkerEvent> {
  const { turns } = handover.store;
  if (lost.aborted || (error instanceof GalleyError && error.code === "TurnLost")) return { type: "turn:lost", turn };
  try {
    if (stopping.aborted) {
      await turns.release(hold, handover.now());
      return { type: "turn:lost", turn };
    }
    const failure = turnError(error);
    const finished = await recordFailure(error, failure, { turn, hold, options, handover });
    const isOver = finished.turn.status === "failed";
    return isOver
      ? { type: "turn:finished", turn: finished.turn }
      : { type: "turn:retried", turn: finished.turn, error: failure };
  } catch (second) {
    // The lease runs out by itself, and the turn is found again.
    return { type: "worker:error", error: second };
  }
}

async function recordFailure(
  error: unknown,
  failure: TurnError,
  { turn, hold, options, handover }: Omit<GivingUp, "lost" | "stopping"> & { readonly turn: Turn },
): Promise<FinishedTurn> {
  const now = handover.now();
  const { turns } = handover.store;
  // An error of ours that says so will be the same next time.
  if (error instanceof GalleyError && !error.retryable)
    return turns.finish(hold, { status: "failed", error: failure }, now);
  const delay = (options.retryDelay ?? doubling)(turn.failures + 1);
  return turns.retry(hold, { error: failure, retryAt: now + delay, now });
}

function turnError(error: unknown): TurnError {
  if (error instanceof GalleyError) return { code: error.code, message: error.message };
  return { code: "TurnFailed", message: error instanceof Error ? error.message : String(error) };
}
