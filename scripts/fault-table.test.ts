import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { writeFaultTable } from "./fault-table.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = readFileSync(join(root, "docs/reliability.md"), "utf8");

/** Tests that claim faults: one that holds, in two parts; one that does not; one that cannot be tried. */
const planted = `
import { expect, test } from "vitest";
import { claimFault } from ${JSON.stringify(join(root, "packages/host/faults/claim-fault.ts"))};

const kill = { area: "processes that are killed", fault: "kill -9 | planted", holds: "nothing is lost" };
test.each([3, 4])("holds %s", ({}) => undefined);
test.for([3, 4])("claims %s", (rounds, { task }) => claimFault(task, { ...kill, rounds, seed: 7 }));
test("fails", ({ task }) => {
  claimFault(task, { area: "clocks", fault: "an hour back", holds: "the order stays", rounds: 2 });
  expect(1).toBe(2);
});
test("is skipped", ({ task, skip }) => {
  claimFault(task, { area: "full disk", fault: "no space", holds: "a clear error", rounds: 9 });
  skip("no tmpfs here");
});
test("fails without a row", () => expect(1).toBe(2));
`;

/** A folder with a page, the planted tests, and vitest, which reports to the page unless it is told otherwise. */
function plantedRun(): { readonly run: (...args: readonly string[]) => number | null; readonly page: () => string } {
  const folder = mkdtempSync(join(tmpdir(), "galley-table-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "page.md"), page);
  writeFileSync(join(folder, "planted.test.ts"), planted);
  const reporter = [join(root, "scripts/fault-table-reporter.ts"), { page: join(folder, "page.md") }];
  const config = { test: { include: ["planted.test.ts"], reporters: [reporter] } };
  writeFileSync(join(folder, "vitest.config.ts"), `export default ${JSON.stringify(config)};`);
  return {
    run: (...args) =>
      spawnSync(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), "run", ...args], {
        cwd: folder,
        encoding: "utf8",
        env: { ...process.env, VITEST: undefined, NODE_ENV: undefined },
      }).status,
    page: () => readFileSync(join(folder, "page.md"), "utf8"),
  };
}

test("[W10] the table says what held, what failed and what could not be tried", { timeout: 120_000 }, () => {
  const own = plantedRun();
  expect(own.run()).toBe(1);
  const written = own.page();
  expect(written).toContain("1 held, 1 failed, 1 skipped");
  // How long it took is the machine's own affair.
  const rows = written
    .split("\n")
    .filter((line) => line.startsWith("| ") && line.includes(" s |"))
    .map((line) => line.replace(/\| (?:under )?\d+ s \|$/, "| … s |"));
  expect(rows).toEqual([
    "| processes that are killed | kill -9 \\| planted | nothing is lost | 7 (seed 7) | held | … s |",
    "| full disk | no space | a clear error | 0 | skipped: no tmpfs here | … s |",
    "| clocks | an hour back | the order stays | 2 | FAILED | … s |",
  ]);
  expect(written).toContain("2 further tests of the same run have no row and held; these failed: fails without a row.");
  // What people have written stays, and the machine does not tell its name.
  expect(written.split("<!--")[0]).toBe(page.split("<!--")[0]);
  expect(written).not.toContain("galley-table-");
});

test(
  "[W10] a run of chosen tests leaves the table alone; the reports of several runs write it",
  { timeout: 120_000 },
  () => {
    const own = plantedRun();
    expect(own.run("-t", "claims")).toBe(0);
    expect(own.page()).toBe(page);
    own.run("--reporter=blob", "--outputFile=blobs/one.json");
    expect(own.page()).toBe(page);
    own.run("--mergeReports=blobs");
    expect(own.page()).toContain("1 held, 1 failed, 1 skipped");
  },
);

test("[W10] a page without a place for the table is not written over", () => {
  const run = { date: "", node: "", system: "", outcomes: [], others: { held: 0, failed: [] } };
  expect(() => writeFaultTable("# A page\n", run)).toThrow("lacks the lines");
});
