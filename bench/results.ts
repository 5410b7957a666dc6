import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BenchReport, type FigureTable, isKept, promiseOf } from "./claim.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = join(here, "results");

/** A report with when and on what it was made. */
interface Result extends BenchReport {
  readonly name: string;
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly load: number;
}

/** Keeps the figures of one suite. */
export function keepResult(name: string, report: BenchReport, load: number): void {
  const [cpu] = cpus();
  const result: Result = {
    name,
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    machine: `${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()}`,
    node: process.version,
    load,
    ...report,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** Writes RESULTS.md from what every suite has kept, in the order of `names`. */
export function writeResults(names: readonly string[]): void {
  const found = readdirSync(folder)
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Result)
    .sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
  const claims = found.flatMap((result) => result.claims.filter(({ limit, least }) => (limit ?? least) !== undefined));
  const kept = claims.filter(isKept).length;
  const text = `# Results

Every figure is a ratio from one run, with the peer or the physical limit beside it; \`npm run bench\` makes this page anew, \`npm run bench NAME\` one part of it. ${kept} of ${claims.length} promises are kept here.

Peers: ${peerVersions()}.

${found.map(section).join("\n")}`;
  writeFileSync(join(here, "RESULTS.md"), text);
}

function section(result: Result): string {
  const { name, date, machine, node, load, notes, claims, tables = [] } = result;
  const rows = claims.map(({ claim, against, peer, own, ...bounds }) => [
    claim,
    against,
    peer,
    own,
    String(Number(bounds.ratio.toFixed(bounds.ratio >= 100 ? 0 : 2))),
    promiseOf({ claim, against, peer, own, ...bounds }),
    bounds.limit === undefined && bounds.least === undefined
      ? ""
      : isKept({ claim, against, peer, own, ...bounds })
        ? "yes"
        : "**no**",
  ]);
  const parts = [
    `## ${name}`,
    `${date} UTC, ${machine}, Node ${node.slice(1)}, load before the run ${load.toFixed(1)}`,
    notes.map((note) => `- ${note}`).join("\n"),
    rows.length === 0 ? "" : markdownTable(["claim", "against", "peer", "Galley", "ratio", "promised", "kept"], rows),
    ...tables.map(figures),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function figures({ title, rows }: FigureTable): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return `**${title}**\n\n${markdownTable(
    names,
    rows.map((row) => names.map((name) => String(row[name] ?? ""))),
  )}`;
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`).replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function peerVersions(): string {
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}
