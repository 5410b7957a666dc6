import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { arch, cpus, totalmem, type } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BenchReport, claimRow, gapsOf, isKept, isPromised } from "./claim.ts";
import { figures, markdownTable } from "./markdown-table.ts";
import { chinese, suitesOfReadme, withNumbers } from "./readme-table.ts";
import type { Suite } from "./suites.ts";
import { replaceMarked } from "../scripts/marked-part.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = join(here, "results");

interface Circumstances {
  /** Of the machine, the minute before. */
  readonly load: number;
  readonly seconds: number;
}

/** A report with when and on what it was made. */
interface Result extends BenchReport, Circumstances {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
}

/** A suite that came to no end. */
interface Failure {
  readonly date: string;
  readonly failure: string;
}

/** Keeps the figures of one suite. */
export function keepResult(name: string, report: BenchReport, circumstances: Circumstances): void {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const result: Result = {
    date: now(),
    machine: `${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${memory}, ${type()} ${arch()}`,
    node: process.version.slice(1),
    ...circumstances,
    ...report,
  };
  write(name, result);
}

/** Says that a suite could not be measured, in the place of figures that would look like new ones. */
export function keepFailure(name: string, failure: string): void {
  write(name, { date: now(), failure } satisfies Failure);
}

function now(): string {
  return new Date().toISOString().slice(0, 16).replace("T", " ");
}

function write(name: string, content: Result | Failure): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
}

function findKept(suites: Readonly<Record<string, Suite>>): Found[] {
  return Object.entries(suites).flatMap(([name, { title }]) => {
    const file = join(folder, `${name}.json`);
    if (!existsSync(file)) return [];
    return [{ name, title, kept: JSON.parse(readFileSync(file, "utf8")) as Result | Failure }];
  });
}

/** Writes RESULTS.md, the numbers of the README and those of the page about plugs, from what every suite has kept, in their order. */
export function writeResults(suites: Readonly<Record<string, Suite>>): void {
  const found = findKept(suites);
  const reports = reportsOf(found);
  const results = Object.values(reports);
  const promised = results.flatMap(({ claims }) => claims.filter(isPromised));
  const machines = new Set(results.map(({ machine, node }) => `${machine}, Node ${node}`));
  const text = `# Results

Every figure is a ratio from one run, with the peer or the physical limit beside it. \`npm run bench\` writes this page, \`npm run bench NAME\` one part of it; [README.md](README.md) says where each promise is shown. ${promised.filter(isKept).length} of ${promised.length} promises are kept here.

${markdownTable(
  ["", ""],
  [
    ["machine", [...machines].join("; ")],
    ["Galley", galleyVersion()],
    ["peers", peerVersions()],
    [
      "date",
      results
        .map(({ date }) => date)
        .sort()
        .at(-1) ?? "",
    ],
  ],
)}

${found.map((one) => section(one, machines.size > 1)).join("\n")}`;
  writeFileSync(join(here, "RESULTS.md"), text);
  if (reports["plugs"]) {
    const page = join(here, "../docs/recipes/plugs.md");
    writeFileSync(page, withLoops(readFileSync(page, "utf8"), reports["plugs"]));
  }
  const unknown = suitesOfReadme.filter((name) => !reports[name]);
  if (unknown.length > 0) {
    process.stderr.write(`The README keeps the numbers that it has: ${unknown.join(", ")} was not measured.\n`);
    return;
  }
  for (const [name, words] of [["README.md"], ["README.zh-CN.md", chinese]] as const) {
    const readme = join(here, "..", name);
    writeFileSync(readme, withNumbers(readFileSync(readme, "utf8"), reports, words));
  }
}

const loopMarks = { begin: "<!-- loops: written by `npm run bench plugs` -->", end: "<!-- /loops -->" } as const;

/** The page about plugs with the figures of their loops. */
export function withLoops(page: string, { tables = [] }: BenchReport): string {
  return replaceMarked(page, loopMarks, figures(tables[0]?.rows ?? []));
}

/** What every suite has kept, by its name. */
export function keptReports(suites: Readonly<Record<string, Suite>>): Readonly<Record<string, Result>> {
  return reportsOf(findKept(suites));
}

function reportsOf(found: readonly Found[]): Readonly<Record<string, Result>> {
  return Object.fromEntries(found.flatMap(({ name, kept }) => ("failure" in kept ? [] : [[name, kept] as const])));
}

interface Found {
  readonly name: string;
  readonly title: string;
  readonly kept: Result | Failure;
}

/** Says on what machine it was made where not all were made on the same. */
function section({ name, title, kept }: Found, namesMachine: boolean): string {
  const head = `## ${title}`;
  if ("failure" in kept) {
    return `${head}\n\n\`npm run bench ${name}\` came to no end on ${kept.date} UTC (${kept.failure}): nothing was measured.\n`;
  }
  const { date, load, seconds, notes, claims, tables = [] } = kept;
  const where = namesMachine ? `, on ${kept.machine}, Node ${kept.node}` : "";
  const parts = [
    head,
    `\`npm run bench ${name}\`, ${date} UTC, ${seconds.toFixed(0)} s${where}; load before it ${load.toFixed(1)}.`,
    notes.map((note) => `- ${note}`).join("\n"),
    claims.length === 0 ? "" : figures(claims.map(claimRow)),
    gapsOf(claims, load)
      .map((gap) => `**Gap.** ${gap}`)
      .join("\n\n"),
    ...tables.map((table) => `**${table.title}**\n\n${figures(table.rows)}`),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function galleyVersion(): string {
  const { version } = JSON.parse(readFileSync(join(here, "../packages/host/package.json"), "utf8")) as {
    readonly version: string;
  };
  return version;
}

function peerVersions(): string {
  const { dependencies } = JSON.parse(readFileSync(join(here, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}
