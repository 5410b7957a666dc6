import { loadTokenizer } from "@galley/engine";
import { type Growth, median } from "./measure.ts";
import { freshPair } from "./sessions.ts";
import { Session } from "./turn.ts";

const repeats = 24;
const warmUp = 12;
/** So few that the session is hardly longer at the end. */
const turnsEach = 10;

/** A turn of an agent's session: a call and its result come in, and the window of 32k is built again. */
export const turnAt: Growth = async (sizes) => {
  const tokenizer = await loadTokenizer("o200k_base");
  const times: number[][] = sizes.map(() => []);
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const [index, size] of sizes.entries()) {
      const session = new Session(size, tokenizer, 32_000);
      // The first build cuts, the second reads what was kept: from there on it is a turn like any other.
      await session.build();
      await session.build();
      // What the sessions before have left must not be cleared away in the middle of a turn.
      globalThis.gc?.();
      for (let turn = 0; turn < turnsEach; turn += 1) {
        const pair = freshPair(repeat * turnsEach + turn);
        const start = performance.now();
        await session.turn(pair);
        if (repeat >= warmUp) times[index]?.push(performance.now() - start);
      }
    }
  }
  return times.map(median);
};
