import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ContextManager, type SessionEntry, loadTokenizer } from "@galley/engine";
import type { BenchReport } from "./claim.ts";
import { freshSession, systemPrompt, toolSpecs } from "./sessions.ts";

const from = 200;
const to = 1000;

/** In a process of its own, so that the heap holds nothing else. */
export async function heapReport(): Promise<BenchReport> {
  const run = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { before, after } = JSON.parse(run.stdout) as { before: number; after: number };
  const growth = (after - before) / 1024 / (to - from);
  return {
    notes: [
      `The same session of 3,000 messages into 32k, its compaction persisted, built ${to} times in a loop; heapUsed after a collection. The ratio is the growth in KB per build.`,
    ],
    claims: [
      {
        claim: `growth of the heap per build, from build ${from} to ${to}`,
        against: "1 KB",
        peer: `${(before / 1024 / 1024).toFixed(2)} MB at ${from}`,
        own: `${(after / 1024 / 1024).toFixed(2)} MB at ${to}`,
        ratio: growth,
        limit: 1,
      },
    ],
  };
}

async function measureHeap(): Promise<{ before: number; after: number }> {
  const tokenizer = await loadTokenizer("o200k_base");
  const manager = new ContextManager({ config: { maxInputTokens: 32_000 }, tokenizer, systemPrompt });
  const log: SessionEntry[] = freshSession(3000);
  const build = () => manager.buildContext({ sessionEntries: log, toolSpecs });
  log.push(...(await build()).entriesToAppend);
  let before = 0;
  for (let count = 1; count <= to; count += 1) {
    await build();
    if (count === from) before = usedHeap();
  }
  return { before, after: usedHeap() };
}

function usedHeap(): number {
  for (let time = 0; time < 4; time += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

if (import.meta.main) console.log(JSON.stringify(await measureHeap()));
