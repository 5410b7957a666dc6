import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { type Report, judgeData } from "./data-verdict.ts";
import { faultFolder, startDataWriter } from "./writer-process.ts";

const rounds = isThorough ? 100 : 2;
/** After this many rounds a new folder is begun, or judging would take longer each time. */
const roundsPerFolder = 5;

test(
  "[W10] kill -9 on two processes that write to everything in a data folder at once",
  { timeout: 60_000 + rounds * 60_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "processes that are killed",
      fault:
        "kill -9 on two processes that write to everything at once: chat, archives, index, presets, canvases, cards, sessions, builds, runs",
      holds: "nothing acknowledged is lost, everything can be read, and the next ones go on",
      rounds,
    });
    let data = "";
    let reports: Report[] = [];
    for (let round = 0; round < rounds; round += 1) {
      if (round % roundsPerFolder === 0) [data, reports] = [faultFolder(), []];
      const writers = ["x", "y"].map((name) => startDataWriter(data, `${name}${round}`));
      await Promise.all(writers.map((writer) => writer.until((told) => told.length > 20)));
      await Promise.all(
        writers.map(async ({ child, ended }) => {
          await sleep(Math.random() * 300);
          child.kill("SIGKILL");
          await ended;
        }),
      );
      expect(writers.map((writer) => writer.errors())).toEqual(["", ""]);
      // Two that save one preset at once: one of them is told that the other was faster.
      const told = writers.flatMap((writer) => writer.reports);
      expect(
        told.filter(({ refused }) => refused && refused.code !== "PresetConflict" && refused.code !== "NotFound"),
      ).toEqual([]);
      reports.push(...told);
      expect(await judgeData(data, reports)).toEqual({ lost: [], problems: [] });
    }
  },
);
