import { setTimeout as sleep } from "node:timers/promises";
import type { Turn } from "../store/turn-store.ts";
import type { Handover } from "./handover-options.ts";
import { notFound } from "./request-errors.ts";

const firstPause = 50;
const longestPause = 1000;

/** Waits until a turn has ended. */
export async function awaitTurn(projectId: string, turnId: string, { store, now }: Handover): Promise<Turn> {
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    const [turn] = await store.turns.read(projectId, [turnId]);
    if (!turn) throw notFound("args.turn_id", `There is no turn ${JSON.stringify(turnId)} in this project.`);
    if (turn.finishedAt !== null) return turn;
    await sleep(pause);
    // Where no worker is, a deadline holds all the same.
    await store.turns.sweep(now());
  }
}
