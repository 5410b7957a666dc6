import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { type GrowthLine, growthPlot } from "./growth-plot.ts";
import { markdownTable } from "./markdown-table.ts";
import { replaceMarked } from "../scripts/marked-part.ts";
import { inMs } from "./measure.ts";

export type { GrowthLine };

const docs = fileURLToPath(new URL("../docs/", import.meta.url));
const marks = { begin: "<!-- growth: written by `npm run bench growth` -->", end: "<!-- /growth -->" } as const;

/** Draws docs/performance.svg, and writes its figures between the marks of docs/performance.md. */
export function writePerformancePage(lines: readonly GrowthLine[], load: number): void {
  writeFileSync(`${docs}performance.svg`, growthPlot(lines));
  const page = `${docs}performance.md`;
  const [cpu] = cpus();
  const machine = `${cpus().length} × ${cpu?.model.trim() ?? "unknown"}`;
  const date = new Date().toISOString().slice(0, 10);
  const said = `Medians of a run on ${date}, Node ${process.version.slice(1)}, ${machine}; load before it ${load.toFixed(1)}.`;
  writeFileSync(page, withFigures(readFileSync(page, "utf8"), `${figuresOf(lines)}\n\n${said}`));
}

function figuresOf(lines: readonly GrowthLine[]): string {
  const sizes = lines[0]?.points.map(({ size }) => size.toLocaleString("en-US")) ?? [];
  return markdownTable(
    ["", ...sizes, "what it is"],
    lines.map(({ name, what, points }) => [name, ...points.map(({ time }) => inMs(time)), what]),
  );
}

/** The page with these figures in the place of those that it has. */
export function withFigures(page: string, figures: string): string {
  return replaceMarked(page, marks, figures);
}
