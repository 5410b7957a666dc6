// `npm run bench [name …]`: prints every claim as a ratio from this run. Exits with 1 when one is not kept.
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { claimRow, gapsOf, isKept } from "./claim.ts";
import { installPeers } from "./install.ts";
import { keepFailure, keepResult, writeResults } from "./results.ts";
import { runLimited } from "./run-limited.ts";
import { suites } from "./suites.ts";

/** The exit of a suite that was measured, and whose promises do not all hold. */
const notKept = 3;

/** In ms: one that hangs must not keep the others from their turn. */
const longest = 1_200_000;

const [first, ...rest] = process.argv.slice(2);
if (first === "--only") await runSuite(rest[0] ?? "");
else
  await runAll(
    first === undefined ? Object.keys(suites).filter((name) => !suites[name]?.isOnRequest) : [first, ...rest],
  );

/** Each suite has a process of its own: none finds the heap of another, and one that fails takes nothing with it. */
async function runAll(names: readonly string[]): Promise<void> {
  const unknown = names.find((name) => !suites[name]);
  if (unknown !== undefined) {
    process.stderr.write(`There is no benchmark ${JSON.stringify(unknown)}: ${Object.keys(suites).join(", ")}.\n`);
    process.exit(2);
  }
  if (names.some((name) => suites[name]?.needsPeers)) installPeers();
  const failed: string[] = [];
  for (const [index, name] of names.entries()) {
    process.stderr.write(`[${index + 1} of ${names.length}] ${name} …\n`);
    const args = ["--expose-gc", fileURLToPath(import.meta.url), "--only", name];
    const { status, signal } = await runLimited(args, longest);
    if (status !== 0) process.exitCode = 1;
    if (status === 0 || status === notKept) continue;
    failed.push(name);
    keepFailure(name, signal ?? `exit ${status}`);
  }
  writeResults(suites);
  if (failed.length > 0) process.stderr.write(`Not measured, see above: ${failed.join(", ")}.\n`);
}

async function runSuite(name: string): Promise<void> {
  const suite = suites[name];
  if (!suite) throw new Error(`There is no benchmark ${JSON.stringify(name)}.`);
  const start = performance.now();
  const [load = 0] = loadavg();
  const report = await suite.run();
  const seconds = (performance.now() - start) / 1000;
  keepResult(name, report, { load, seconds });
  const { notes, claims, tables = [] } = report;
  console.log(`\n## ${suite.title} (${name}, ${seconds.toFixed(0)} s, load before ${load.toFixed(1)})`);
  for (const note of notes) console.log(`- ${note}`);
  if (claims.length > 0) console.table(claims.map(claimRow));
  for (const gap of gapsOf(claims, load)) console.log(`NOT KEPT: ${gap}`);
  for (const { title, rows } of tables) {
    console.log(title);
    console.table(rows);
  }
  if (!claims.every(isKept)) process.exitCode = notKept;
}
