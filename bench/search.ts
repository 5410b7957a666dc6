import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ArchiveDocument,
  type ArchiveSearch,
  openArchiveSearch,
} from "../packages/host/src/search/archive-search.ts";
import { type ArchiveQuery, makeQueries, recallAtFive } from "./archive-queries.ts";
import { type GeneratedArchive, generateArchives } from "./archives.ts";
import type { BenchReport, Claim, FigureTable } from "./claim.ts";
import { inMs, inPercent, interleave, mean, median } from "./measure.ts";

const archiveCount = 10_000;
const queriesPerKind = 25;
const allowed = 50;

export async function searchReport(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "galley-search-"));
  try {
    return await measure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string): Promise<BenchReport> {
  const archives = generateArchives(archiveCount);
  const files = writeArchives(join(folder, "archive"), archives);
  const index = join(folder, "search.sqlite");
  const built = buildIndex(index, files);
  const search = openArchiveSearch(index);
  const unchanged = await reconcileUnchanged(search, files);
  const queries = makeQueries(archives, queriesPerKind);
  const answers = queries.map((query) => answer(search, query));
  const scan = median(queries.slice(0, 20).map((query) => scanTime(archives, query)));
  const changes = timeChanges(search, archives);
  search.close();
  return {
    notes: [
      `${archiveCount} archives of 22 messages, half Chinese, ${megabytes(files.bytes)} in files of their own; the index has ${megabytes(built.bytes)}.`,
      `${queries.length} queries; what each should find is known from reading every text. Each is answered five times, its median counts.`,
      `Processor time alone, 95th percentile: ${inMs(percentile95(answers.map(({ work }) => work)))}; for building the index ${inMs(built.work / archiveCount)} per archive.`,
      `Taking one archive out and wiping its traces: ${inMs(changes.remove)}; putting it in: ${inMs(changes.put)} (medians).`,
    ],
    claims: [...searchClaims(answers, scan), ...indexClaims(built, unchanged)],
    tables: [tableOf(answers)],
  };
}

interface ArchiveFiles {
  readonly folder: string;
  readonly bytes: number;
  readonly list: () => { contextId: string; stamp: string }[];
  readonly read: (contextId: string) => ArchiveDocument;
}

function writeArchives(folder: string, archives: readonly GeneratedArchive[]): ArchiveFiles {
  mkdirSync(folder);
  let bytes = 0;
  for (const { text: _, isChinese: __, ...document } of archives) {
    const content = JSON.stringify(document);
    bytes += Buffer.byteLength(content);
    writeFileSync(join(folder, `${document.contextId}.json`), content);
  }
  return {
    folder,
    bytes,
    list: () =>
      readdirSync(folder).map((name) => {
        const { mtimeMs, size } = statSync(join(folder, name));
        return { contextId: name.slice(0, -".json".length), stamp: `${mtimeMs}:${size}` };
      }),
    read: (contextId) => JSON.parse(readFileSync(join(folder, `${contextId}.json`), "utf8")) as ArchiveDocument,
  };
}

interface Built {
  readonly work: number;
  readonly own: number;
  readonly peer: number;
  readonly bytes: number;
}

function buildIndex(index: string, files: ArchiveFiles): Built {
  const search = openArchiveSearch(index);
  const peer = timed(() => files.list().reduce((sum, { contextId }) => sum + files.read(contextId).title.length, 0));
  const before = process.cpuUsage();
  const own = timed(() => search.reconcile(files.list(), files.read));
  const { user, system } = process.cpuUsage(before);
  search.close();
  return { own, peer, work: (user + system) / 1000, bytes: statSync(index).size };
}

interface Unchanged {
  readonly own: number;
  readonly peer: number;
  readonly reads: number;
}

async function reconcileUnchanged(search: ArchiveSearch, files: ArchiveFiles): Promise<Unchanged> {
  let reads = 0;
  const read = (contextId: string): ArchiveDocument => {
    reads += 1;
    return files.read(contextId);
  };
  const times = await interleave(
    { rounds: 11, warmUp: 2, prepare: () => undefined },
    { peer: () => files.list().length, own: () => search.reconcile(files.list(), read) },
  );
  return { own: median(times.own), peer: median(times.peer), reads };
}

interface Answer {
  readonly query: ArchiveQuery;
  readonly time: number;
  /** The processor's share of it, which other work on the machine does not lengthen. */
  readonly work: number;
  readonly recall: number;
}

function answer(search: ArchiveSearch, query: ArchiveQuery): Answer {
  let found: readonly string[] = [];
  const before = process.cpuUsage();
  const times = Array.from({ length: 5 }, () =>
    timed(() => {
      found = search.search(query.text).map(({ contextId }) => contextId);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return {
    query,
    time: median(times),
    work: (user + system) / 1000 / times.length,
    recall: recallAtFive(query, found),
  };
}

/** The same without an index: every text is looked through. */
function scanTime(archives: readonly GeneratedArchive[], { text }: ArchiveQuery): number {
  const wanted = text.toLowerCase();
  return timed(() => archives.filter((archive) => archive.text.toLowerCase().includes(wanted)).length);
}

function timeChanges(search: ArchiveSearch, archives: readonly GeneratedArchive[]): { remove: number; put: number } {
  const some = archives.filter((_, index) => index % 997 === 5);
  const remove = median(some.map(({ contextId }) => timed(() => search.remove(contextId))));
  return { remove, put: median(some.map((archive) => timed(() => search.put(archive, "1")))) };
}

function searchClaims(answers: readonly Answer[], scan: number): Claim[] {
  const own = percentile95(answers.map(({ time }) => time));
  const middle = median(answers.map(({ time }) => time));
  const recall = mean(answers.map((each) => each.recall));
  return [
    {
      claim: "95th percentile of an answer's time",
      against: "what is allowed",
      peer: inMs(allowed),
      own: inMs(own),
      ratio: own / allowed,
      limit: 1,
    },
    {
      claim: "recall at 5",
      against: "reading every text",
      peer: inPercent(1),
      own: inPercent(recall),
      ratio: recall,
      least: 0.95,
    },
    {
      claim: "median of an answer's time",
      against: "looking through texts in memory",
      peer: inMs(scan),
      own: inMs(middle),
      ratio: middle / scan,
    },
  ];
}

function indexClaims(built: Built, unchanged: Unchanged): Claim[] {
  return [
    {
      claim: "archives read to open an index that is up to date",
      against: "none",
      peer: "0",
      own: String(unchanged.reads),
      ratio: unchanged.reads,
      limit: 0,
    },
    {
      claim: "reconciling a folder without changes",
      against: "listing its files and their times",
      peer: inMs(unchanged.peer),
      own: inMs(unchanged.own),
      ratio: unchanged.own / unchanged.peer,
    },
    {
      claim: "building the index",
      against: "reading and parsing the files",
      peer: inMs(built.peer),
      own: inMs(built.own),
      ratio: built.own / built.peer,
    },
  ];
}

function tableOf(answers: readonly Answer[]): FigureTable {
  const kinds = Map.groupBy(answers, ({ query }) => query.kind);
  return {
    title: "Queries by kind; relevant is the median number of archives that have all of the query",
    rows: [...kinds].map(([kind, group]) => ({
      kind,
      queries: group.length,
      relevant: median(group.map(({ query }) => query.relevant.size)),
      "recall at 5": inPercent(mean(group.map(({ recall }) => recall))),
      median: inMs(median(group.map(({ time }) => time))),
      "95th": inMs(percentile95(group.map(({ time }) => time))),
    })),
  };
}

function percentile95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}
