import { loadTokenizer } from "@galley/engine";
import type { Galley } from "galley";
import { inFolder } from "./chat-folder.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, median, medianRatio } from "./measure.ts";
import { openQuietly, physicalTurn, processTime, turnIn, writeChat, writeSession } from "./path.ts";

const clock = processTime;
// A whole turn needs this many rounds until its code is compiled as well as the few lines of the other side.
const rounds = { rounds: 240, warmUp: 300, clock, prepare: () => undefined };

/** The next turn costs what is new, on the path that people run [T11]. */
export async function warmReport(): Promise<BenchReport> {
  return inFolder(async (data) => {
    const galley = await openQuietly(data);
    try {
      const claims = [
        ...(await againstPhysics(galley, data)),
        ...(await againstLength(galley, data)),
        await againstAnew(galley, data),
      ];
      return {
        claims,
        notes: [
          "A turn is `openGalley().turn` and `commit` with default settings (compactor on), 280 characters each for question and reply, new texts every round; budgets are given with the turn. Processor time of the process, its threads included; medians of rounds, each side beside the other of the same round. Turns that cut anew are among the rounds, but not in the medians.",
          "Physical limit: counting the two texts, two lines written and synced in each of two files, one row inserted and committed in SQLite (WAL, synchronous=FULL).",
          "Read from nothing: the first turn of a Galley that was just opened, in a process that has its code and vocabularies loaded.",
        ],
      };
    } finally {
      await galley.close();
    }
  });
}

async function againstPhysics(galley: Galley, data: string): Promise<Claim[]> {
  const peer = physicalTurn(data, await loadTokenizer("o200k_base"));
  const claims: Claim[] = [];
  for (const [size, budget] of [
    [1000, 32_000],
    [30_000, 200_000],
    [100_000, 900_000],
  ] as const) {
    const chat = `chat-${size}`;
    writeChat(data, chat, size);
    const walls: number[] = [];
    const times = await interleave(rounds, {
      peer: () => peer.run(),
      own: async () => {
        const begun = performance.now();
        await turnIn(galley, { chat }, { budget });
        walls.push(performance.now() - begun);
      },
    });
    claims.push({
      claim: `a warm turn of a chat of ${size} messages at ${budget / 1000}k`,
      against: `counting, 2 × write and sync, 1 commit (wall time of the turn: ${inMs(median(walls))})`,
      peer: inMs(median(times.peer)),
      own: inMs(median(times.own)),
      ratio: medianRatio(times.own, times.peer),
      limit: 3,
      gap: "what is left is spread: the record of the build, the build, reading the end of the chat's file, its lock and the checks of settings each take less than a fifth of it, and the checks against exchanged folders some 0.15 ms.",
    });
  }
  peer.close();
  return claims;
}

async function againstLength(galley: Galley, data: string): Promise<Claim[]> {
  const budget = 32_000;
  for (const size of [1000, 100_000]) {
    writeChat(data, `length-${size}`, size);
    await writeSession(galley, `length-${size}`, size);
  }
  const claims: Claim[] = [];
  for (const kind of ["chat", "session"] as const) {
    const place = (size: number) => (kind === "chat" ? { chat: `length-${size}` } : { session: `length-${size}` });
    const times = await interleave(rounds, {
      short: () => turnIn(galley, place(1000), { budget }),
      long: () => turnIn(galley, place(100_000), { budget }),
    });
    claims.push({
      claim: `a warm turn of a ${kind} of 100,000 messages`,
      against: "the same with 1,000",
      peer: inMs(median(times.short)),
      own: inMs(median(times.long)),
      ratio: medianRatio(times.long, times.short),
      limit: 1.2,
    });
  }
  return claims;
}

async function againstAnew(galley: Galley, data: string): Promise<Claim> {
  const budget = 200_000;
  const chat = "anew";
  writeChat(data, chat, 30_000);
  await turnIn(galley, { chat }, { budget });
  let other: Galley | undefined;
  const prepare = async (): Promise<Galley> => {
    await other?.close();
    other = await openQuietly(data);
    return other;
  };
  const times = await interleave(
    { rounds: 15, warmUp: 3, clock, prepare },
    {
      anew: (opened) => turnIn(opened, { chat }, { budget }),
      warm: () => turnIn(galley, { chat }, { budget }),
    },
  );
  await other?.close();
  return {
    claim: "a warm turn of a chat of 30,000 messages at 200k",
    against: "a turn that reads its window from nothing",
    peer: inMs(median(times.anew)),
    own: inMs(median(times.warm)),
    ratio: medianRatio(times.warm, times.anew),
    limit: 0.3,
  };
}
