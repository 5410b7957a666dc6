import { loadavg } from "node:os";
import type { BenchReport, Claim } from "./claim.ts";
import { inFolder } from "./chat-folder.ts";
import { packAt } from "./growth-boxes.ts";
import { loadChatAt, loadSessionAt } from "./growth-load.ts";
import { type GrowthLine, writePerformancePage } from "./growth-page.ts";
import { searchAt } from "./growth-search.ts";
import { turnAt } from "./growth-turn.ts";
import { type Growth, inMs } from "./measure.ts";

const sizes = [100, 1000, 10_000, 100_000] as const;

const quantities: readonly (Omit<GrowthLine, "points"> & { readonly measure: Growth })[] = [
  { name: "turn", what: "a turn in a session of this many messages", measure: turnAt },
  {
    name: "load a chat",
    what: "opening a chat whose working context has this many, and its first build",
    measure: loadChatAt,
  },
  {
    name: "load a session",
    what: "reading a plain session of this many from the store, and its first build",
    measure: loadSessionAt,
  },
  { name: "search", what: "one search over contexts that were put away with this many together", measure: searchAt },
  { name: "pack", what: "packing ten boxes of this many cards together into one context", measure: packAt },
];

/** What more messages cost. Writes the plot and the table of docs/performance.md. */
export async function growthReport(): Promise<BenchReport> {
  const [load = 0] = loadavg();
  const lines: GrowthLine[] = [];
  for (const { name, what, measure } of quantities) {
    const times = await inFolder((folder) => measure(sizes, folder));
    lines.push({ name, what, points: sizes.map((size, index) => ({ size, time: times[index] ?? 0 })) });
  }
  writePerformancePage(lines, load);
  return {
    notes: [
      "Medians, with warm code and warm files. Sizes are messages, or cards for pack. The plot is docs/performance.svg.",
      "Ratio: the time at 100,000 over the time at 1,000; the data is 100 times as large.",
    ],
    claims: lines.map(claimOf),
    tables: [{ title: "Time by size", rows: lines.map(rowOf) }],
  };
}

function claimOf({ name, points }: GrowthLine): Claim {
  const [small, large] = [points[1]?.time ?? 0, points.at(-1)?.time ?? 0];
  return {
    claim: `${name}, 100,000`,
    against: "the same, 1,000",
    peer: inMs(small),
    own: inMs(large),
    ratio: large / small,
  };
}

function rowOf({ name, points }: GrowthLine): Readonly<Record<string, string>> {
  const times = points.map(({ size, time }) => [size.toLocaleString("en-US"), inMs(time)] as const);
  return { cost: name, ...Object.fromEntries(times.map(([size, time]) => [`at ${size}`, time])) };
}
