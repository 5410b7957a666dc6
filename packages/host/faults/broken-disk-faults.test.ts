import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { judgeData } from "./data-verdict.ts";
import { faultFolder, refusals, startDataWriter } from "./writer-process.ts";

const failAt = fileURLToPath(new URL("fail-at.ts", import.meta.url));
/** How many rounds of everything, with an archive and a search among them. */
const rounds = 4;

interface Breakage {
  readonly from: number;
  readonly calls: number;
  readonly code: string;
}

/** Writes to everything while some calls fail, then once more on a disk that is sound again. */
async function writeBroken({ from, calls, code }: Breakage): Promise<number> {
  const data = join(faultFolder(), "data");
  const count = join(faultFolder(), "count");
  const env = {
    GALLEY_FAIL_AT: String(from),
    GALLEY_FAIL_FOR: String(calls),
    GALLEY_FAIL_CODE: code,
    GALLEY_FAIL_COUNT: count,
  };
  const first = startDataWriter(data, "first", { imports: [failAt], env, rounds });
  expect([from, await first.ended, first.errors()]).toEqual([from, 0, ""]);
  const refused = refusals(first.reports);
  expect([from, refused.filter((line) => line !== "GalleyError StorageFailed")]).toEqual([from, []]);
  const second = startDataWriter(data, "second", { rounds: 2 });
  expect([from, await second.ended, second.errors(), refusals(second.reports)]).toEqual([from, 0, "", []]);
  const verdict = await judgeData(data, [...first.reports, ...second.reports]);
  expect([from, verdict]).toEqual([from, { lost: [], problems: [] }]);
  return Number(readFileSync(count, "utf8"));
}

/** How many changes of the disk there are, when none of them fails. */
let changes: Promise<number> | undefined;
const countChanges = (): Promise<number> => (changes ??= writeBroken({ from: 0, calls: 1, code: "EIO" }));

const holds =
  "no crash; each refusal is StorageFailed with path and hint; nothing acknowledged is lost, nothing half is read; the next process goes on";

test.for([
  {
    code: "EIO",
    calls: 1,
    fault: "one single write, sync, rename, link or removal fails with EIO, each in its turn; writes are cut in half",
  },
  { code: "EIO", calls: 12, fault: "a dozen changes of the disk in a row fail with EIO, beginning at each" },
  { code: "EROFS", calls: 1_000_000, fault: "the disk becomes read-only for good (EROFS), at each change of it" },
])(
  "[W10] $calls calls fail with $code",
  { timeout: isThorough ? 3_600_000 : 300_000 },
  async ({ code, calls, fault }, { task }) => {
    const total = await countChanges();
    expect(total).toBeGreaterThan(100);
    const stride = isThorough ? (calls === 1 ? 1 : 3) : Math.ceil(total / 2);
    // Another place each time in a short test.
    const begin = isThorough ? 1 : 1 + Math.floor(Math.random() * stride);
    const places = Array.from(
      { length: Math.ceil((total - begin + 1) / stride) },
      (_, index) => begin + index * stride,
    );
    claimFault(task, { area: "disks that fail", fault, holds, rounds: places.length });
    for (const from of places) await writeBroken({ from, calls, code });
  },
);

test("[W10] a lock that the disk does not let go of is not lost", { timeout: 120_000 }, async ({ task }) => {
  claimFault(task, {
    area: "disks that fail",
    fault: "the name of a lock cannot be removed when its work is done (EIO), once and three times",
    holds: "the work counts, the same process goes on at once, and the next one too",
    rounds: 2,
  });
  for (const calls of [1, 3]) {
    const data = join(faultFolder(), "data");
    // The first call about it finds that there is no ticket yet, the second takes the lock, and the third lets it go.
    const env = { GALLEY_FAIL_AT: "3", GALLEY_FAIL_FOR: String(calls), GALLEY_FAIL_NAME: "faults/lock/held" };
    const first = startDataWriter(data, "first", { imports: [failAt], env, rounds: 4 });
    expect([await first.ended, first.errors(), refusals(first.reports)]).toEqual([0, "", []]);
    const second = startDataWriter(data, "second", { rounds: 2 });
    expect([await second.ended, second.errors(), refusals(second.reports)]).toEqual([0, "", []]);
    expect(await judgeData(data, [...first.reports, ...second.reports])).toEqual({ lost: [], problems: [] });
  }
});
