import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { type Report, judgeData } from "./data-verdict.ts";
import { noMount, smallDisk } from "./small-disk.ts";
import { faultFolder, refusals, startDataWriter } from "./writer-process.ts";

const rounds = isThorough ? 12 : 1;
const kinds = ["chat", "preset", "canvas", "box", "entry", "build", "run"] as const;
const holds =
  "each refusal is StorageFailed with path and hint; nothing acknowledged is lost, nothing half is read; with room again, the same process goes on";

/** Whether each kind of thing was refused, or acknowledged, since then. */
const since = (before: number, isIt: (report: Report) => boolean) => (reports: readonly Report[]) =>
  kinds.every((kind) => reports.slice(before).some((report) => report.kind === kind && isIt(report)));

const isRefused = ({ refused }: Report): boolean => refused !== undefined;
const isTaken = ({ name }: Report): boolean => name !== undefined;

test(
  "[W10] a disk that is full, and has room again, under a process that writes to everything",
  { timeout: 60_000 + rounds * 60_000 },
  async ({ task, skip }) => {
    const fault = "the disk is full (a tmpfs), then has room again, under a process that writes to everything";
    claimFault(task, { area: "full disk", fault, holds, rounds });
    for (let round = 0; round < rounds; round += 1) {
      const disk = smallDisk(3000 + round * 37);
      if (!disk) return skip(noMount);
      const writer = startDataWriter(disk.folder, `w${round}`);
      await writer.until(since(0, isTaken));
      for (let times = 0; times < 2; times += 1) {
        disk.fill();
        await writer.until(since(writer.reports.length, isRefused));
        disk.free();
        await writer.until(since(writer.reports.length, isTaken));
      }
      // Full by its own work, and killed so.
      if (round % 2 === 0) await writer.until(since(writer.reports.length, isRefused));
      writer.child.kill("SIGKILL");
      await writer.ended;
      expect(writer.errors()).toBe("");
      expect(refusals(writer.reports)).toEqual(["GalleyError StorageFailed"]);
      // Judging makes files of its own.
      disk.grow();
      expect(await judgeData(disk.folder, writer.reports)).toEqual({ lost: [], problems: [] });
    }
  },
);

test(
  "[W10] a limit on the size of files under a process that writes to everything, and another one without the limit",
  { timeout: 300_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "full disk",
      fault: "files may not grow beyond a size (ulimit -f), under a process that writes to everything",
      holds:
        "each refusal is StorageFailed with path and hint; nothing acknowledged is lost, nothing half is read; without the limit the next process goes on",
      rounds: 2,
    });
    for (const blocks of [1000, 1500]) {
      const data = faultFolder();
      const first = startDataWriter(data, "first", { shell: `ulimit -f ${blocks};`, rounds: 160 });
      expect([await first.ended, first.errors()]).toEqual([0, ""]);
      expect(refusals(first.reports)).toEqual(["GalleyError StorageFailed"]);
      const second = startDataWriter(data, "second", { rounds: 4 });
      expect([await second.ended, second.errors(), refusals(second.reports)]).toEqual([0, "", []]);
      expect(await judgeData(data, [...first.reports, ...second.reports])).toEqual({ lost: [], problems: [] });
    }
  },
);
