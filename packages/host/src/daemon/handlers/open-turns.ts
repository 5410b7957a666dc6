import { randomUUID } from "node:crypto";
import { GalleyError } from "@galley/engine";
import type { GalleyTurn } from "../../turn/services/turn-types.ts";

/** Turns that were built for clients and wait for their reply. */
export interface OpenTurns {
  /** Gives the id by which it is asked for. */
  hold(turn: GalleyTurn): string;
  /** Each turn is ended once, by the caller that takes it. One that could not be ended is given back by `giveBack`. */
  take(turnId: string): GalleyTurn;
  giveBack(turnId: string, turn: GalleyTurn): void;
  /** Ends all without a reply. */
  close(): Promise<void>;
}

interface OpenTurnsOptions {
  /** The turn of a client that has not come back by then ends without a reply. */
  readonly limitMs: number;
  /** The oldest ends without a reply when there are more. */
  readonly max: number;
  readonly onError: (error: unknown) => void;
}

export function openTurns({ limitMs, max, onError }: OpenTurnsOptions): OpenTurns {
  const held = new Map<string, { readonly turn: GalleyTurn; readonly timer: NodeJS.Timeout }>();
  const drop = async (turnId: string): Promise<void> => {
    const found = held.get(turnId);
    if (!found) return;
    clearTimeout(found.timer);
    held.delete(turnId);
    await found.turn.abort().catch(onError);
  };
  const keep = (turnId: string, turn: GalleyTurn): void => {
    held.set(turnId, { turn, timer: setTimeout(() => void drop(turnId), limitMs).unref() });
    const [oldest] = held.keys();
    if (held.size > max && oldest !== undefined) void drop(oldest);
  };
  return {
    hold(turn) {
      const turnId = randomUUID();
      keep(turnId, turn);
      return turnId;
    },
    take(turnId) {
      const found = held.get(turnId);
      if (!found) {
        throw new GalleyError("NotFound", `There is no open turn ${JSON.stringify(turnId)}.`, {
          path: "params.id",
          hint: `A turn is open until it is committed or aborted, for ${Math.round(limitMs / 60_000)} minutes at most.`,
        });
      }
      clearTimeout(found.timer);
      held.delete(turnId);
      return found.turn;
    },
    giveBack: keep,
    async close() {
      await Promise.all([...held.keys()].map(drop));
    },
  };
}
