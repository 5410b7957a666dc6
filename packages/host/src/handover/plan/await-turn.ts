import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@galley/engine";
import type { Turn } from "../../store/ports/turn-store.ts";
import type { Handover } from "../options/handover-options.ts";
import { notFound } from "../options/request-errors.ts";

const firstPause = 50;
const longestPause = 200;

/** Waits until a turn has ended. */
export async function awaitTurn(
  projectId: string,
  turnId: string,
  { store, now }: Pick<Handover, "store" | "now">,
  signal?: AbortSignal,
): Promise<Turn> {
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    const [turn] = await store.turns.read(projectId, [turnId]);
    if (!turn) throw notFound("args.turn_id", `There is no turn ${JSON.stringify(turnId)} in this project.`);
    if (turn.finishedAt !== null) return turn;
    await sleep(pause, undefined, signal ? { signal } : {});
    // Where no worker is, a deadline holds all the same.
    await store.turns.tend(now());
  }
}

/** The end of a turn as whoever asked reads it: the answer, or why there is none. */
export function answerOf({ status, result, error }: Turn): JsonObject {
  return { status, ...(result === null ? {} : { answer: result }), ...(error ? { error: { ...error } } : {}) };
}
