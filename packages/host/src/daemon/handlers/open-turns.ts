import { GalleyError } from "@galley/engine";
import type { GalleyTurn } from "../../turn/services/turn-types.ts";

/** Turns that were built for clients and wait for their reply. */
export interface OpenTurns {
  /** Keeps a turn until it has ended; its own id is the one by which it is asked for. */
  hold(turn: GalleyTurn): void;
  has(turnId: string): boolean;
  /** A turn that is open; its time begins again. */
  get(turnId: string): GalleyTurn;
  /** For a turn that has ended. */
  remove(turnId: string): void;
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
  const remove = (turnId: string): GalleyTurn | undefined => {
    const found = held.get(turnId);
    clearTimeout(found?.timer);
    held.delete(turnId);
    return found?.turn;
  };
  const drop = async (turnId: string): Promise<void> => {
    await remove(turnId)?.abort().catch(onError);
  };
  const hold = (turn: GalleyTurn): void => {
    remove(turn.id);
    held.set(turn.id, { turn, timer: setTimeout(() => void drop(turn.id), limitMs).unref() });
    const [oldest] = held.keys();
    if (held.size > max && oldest !== undefined) void drop(oldest);
  };
  return {
    hold,
    has: (turnId) => held.has(turnId),
    get(turnId) {
      const found = held.get(turnId);
      if (!found) throw unknownTurn(turnId, limitMs);
      hold(found.turn);
      return found.turn;
    },
    remove: (turnId) => void remove(turnId),
    async close() {
      await Promise.all([...held.keys()].map(drop));
    },
  };
}

function unknownTurn(turnId: string, limitMs: number): GalleyError {
  return new GalleyError("NotFound", `There is no open turn ${JSON.stringify(turnId)}.`, {
    path: "params.id",
    hint: `A turn is open until it is committed or aborted, and for ${Math.round(limitMs / 60_000)} minutes after it was last asked for.`,
  });
}
