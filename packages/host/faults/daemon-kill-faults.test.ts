import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { addProfiles } from "../src/daemon/testing/add-profiles.ts";
import { type DaemonProcess, daemonProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { type Seen, checkEnds, checkOnce, follow, planRuns, prepare } from "./kill-scenario.ts";

const rounds = isThorough ? 20 : 2;
const atOnce = isThorough ? 100 : 40;

/** Begins all runs at once, and kills the daemon when one has begun and a number of others have ended, and a moment later. */
async function killInTheMiddle(
  daemon: DaemonProcess,
  seen: readonly Seen[],
  when: { readonly ended: number; readonly laterMs: number },
): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const look = (): void => {
    const ended = seen.filter(({ reply }) => reply !== undefined).length;
    if (ended >= when.ended && seen.some(({ isStarted }) => isStarted)) reached.resolve();
  };
  const following = seen.map((one) => follow(daemon, one, look));
  await reached.promise;
  await sleep(when.laterMs);
  expect(await daemon.end("SIGKILL")).toBeNull();
  await Promise.all(following);
}

/** Messages that are added beside the runs; gives those that the daemon said it has. */
async function addUntilTheEnd(daemon: DaemonProcess, key: string): Promise<readonly string[]> {
  const known: string[] = [];
  for (let number = 0; ; number += 1) {
    const messages = [{ role: "user" as const, content: `added ${number}` }];
    const added = await daemon.call("chats.add", { params: { key }, body: { messages } }).catch(() => undefined);
    if (!added) return known;
    known.push(`added ${number}`);
    await sleep(20);
  }
}

test(
  `[W11] kill -9 in the middle of ${atOnce} runs, ${rounds} times: nothing is lost, doubled or left running`,
  { timeout: rounds * 240_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "processes that are killed",
      fault: `kill -9 on the daemon in the middle of ${atOnce} runs of chats, sessions and delegations`,
      holds:
        "every run ends, once, in the next daemon; nothing is lost or doubled; asking again with the same id runs nothing again",
      rounds: rounds,
    });
    const data = join(testFolder(), "data");
    await addProfiles(data, ["helper"]);
    let daemon = await daemonProcess({ data });
    let caught = 0;
    for (let round = 0; round < rounds; round += 1) {
      const runs = planRuns(`r${round}`, atOnce);
      const seen = runs.map((planned): Seen => ({ planned, isStarted: false, reply: undefined }));
      await prepare(daemon, runs);
      // Early in one round, late in the next, and everywhere between in a long test.
      const when = { ended: Math.floor(((round * 7) % 10) * (atOnce / 10)), laterMs: Math.random() * 300 };
      const adding = addUntilTheEnd(daemon, `added-${round}`);
      await killInTheMiddle(daemon, seen, when);
      const added = await adding;
      caught += seen.filter(({ isStarted, reply }) => isStarted && reply === undefined).length;

      daemon = await daemonProcess({ data });
      await checkEnds(daemon, seen);
      const params = { key: `added-${round}` };
      const { messages } = await daemon.call("chats.transcript", { params, query: { limit: 1000 } });
      const contents = messages.map(({ content }) => content);
      // The last one may have been written without anybody hearing of it.
      expect([added, [...added, `added ${added.length}`]]).toContainEqual(contents);
      // A client that got no answer asks again with the same id: what has run does not run again.
      await Promise.all(seen.map((one) => follow(daemon, one, () => undefined)));
      expect(seen.filter(({ reply }) => reply === undefined)).toEqual([]);
      await checkOnce(daemon, runs);
    }
    expect(caught).toBeGreaterThan(0);
    expect(await daemon.end("SIGTERM")).toBe(0);
  },
);
