// `npm run bench [name …]`: prints every claim as a ratio from this run. Exits with 1 when one is not kept.
import { spawnSync } from "node:child_process";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { type BenchReport, isKept, promiseOf } from "./claim.ts";
import { installPeers } from "./install.ts";
import { keepResult, writeResults } from "./results.ts";

// Loaded when it runs: a suite that needs no corpus must not find it on its heap.
const suites: Record<string, () => Promise<BenchReport>> = {
  compose: async () => (await import("./compose.ts")).composeReport(),
  turn: async () => (await import("./turn.ts")).turnReport(),
  cold: async () => (await import("./cold.ts")).coldReport(),
  cache: async () => (await import("./cache.ts")).cacheReport(),
  peers: async () => (await import("./peers.ts")).peersReport(),
  search: async () => (await import("./search.ts")).searchReport(),
  "chat-window": async () => (await import("./chat-window.ts")).chatWindowReport(),
  "chat-append": async () => (await import("./chat-append.ts")).chatAppendReport(),
  tokens: async () => (await import("./tokens.ts")).tokensReport(),
  inject: async () => (await import("./inject.ts")).injectReport(),
  estimates: async () => (await import("./estimates.ts")).estimatesReport(),
  box: async () => (await import("./box.ts")).boxReport(),
  scale: async () => (await import("./scale.ts")).scaleReport(),
  heap: async () => (await import("./heap.ts")).heapReport(),
  pack: async () => (await import("./pack.ts")).packReport(),
  daemon: async () => (await import("./daemon.ts")).daemonReport(),
};

/** Only by name: it fetches half a gigabyte of vocabularies. */
const onRequest = new Set(["estimates"]);
const withPeers = new Set(["cache", "peers", "tokens"]);

const [first, ...rest] = process.argv.slice(2);
if (first === "--only") await runSuite(rest[0] ?? "");
else runAll(first === undefined ? Object.keys(suites).filter((name) => !onRequest.has(name)) : [first, ...rest]);

/** Each suite has a process of its own, so that none finds the heap and the compiled code of another. */
function runAll(names: readonly string[]): void {
  if (names.some((name) => withPeers.has(name))) installPeers();
  for (const name of names) {
    const args = ["--expose-gc", fileURLToPath(import.meta.url), "--only", name];
    const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
  writeResults(Object.keys(suites));
}

async function runSuite(name: string): Promise<void> {
  const suite = suites[name];
  if (!suite) throw new Error(`There is no benchmark ${JSON.stringify(name)}: ${Object.keys(suites).join(", ")}.`);
  const start = performance.now();
  const [load = 0] = loadavg();
  const report = await suite();
  keepResult(name, report, load);
  const { notes, claims, tables = [] } = report;
  console.log(`\n## ${name} (${((performance.now() - start) / 1000).toFixed(0)} s)`);
  for (const note of notes) console.log(`- ${note}`);
  console.table(
    claims.map((claim) => ({
      claim: claim.claim,
      against: claim.against,
      peer: claim.peer,
      Galley: claim.own,
      ratio: Number(claim.ratio.toFixed(claim.ratio >= 100 ? 0 : 3)),
      promised: promiseOf(claim),
      kept: isKept(claim) ? "yes" : "NO",
    })),
  );
  for (const { title, rows } of tables) {
    console.log(title);
    console.table(rows);
  }
  if (!claims.every(isKept)) process.exitCode = 1;
}
