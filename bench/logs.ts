import {
  closeSync,
  mkdirSync,
  openAsBlob,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { bundledWorkspace } from "../scripts/bundle.ts";
import { inFolder } from "./chat-folder.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { writeLog, writeSmallLog } from "./generated-logs.ts";
import { inMs, median } from "./measure.ts";
import { processorMs, startDaemon } from "./start.ts";

const megabyte = 1_000_000;
const logSize = 500 * megabyte;
const lineSize = 200 * megabyte;
const memoryLimit = 300 * megabyte;
/** As much of a line is held until it is known to be too long. */
const maxLine = 64 * megabyte;
const listed = 5000;
const rounds = 7;

/** What reading logs of agents costs: memory for large ones, time for a list of many. */
export function logsReport(): Promise<BenchReport> {
  return inFolder(async (folder) => {
    const launcher = join(await bundledWorkspace(), "node_modules/galley/bin/galley.js");
    const probe = memoryProbe(folder);
    const [large, long] = [join(folder, "large.jsonl"), join(folder, "long.jsonl")];
    writeLog(large, logSize, "large");
    writeLongLine(long);
    const data = join(folder, "data");
    const importing = (file: string): number => importMemory(probe, launcher, file, data);
    return {
      notes: [
        "Logs in Claude Code's format, made for this: records are close to those of real sessions in size, kind and script, with an id each; replies in several lines, results of 40 to 200,000 characters and now and then an image, a compaction every 60 turns. The memory is the largest resident set of the whole command or daemon, as the system counts it.",
        `The list: ${listed} logs, what is known of them is in the cache; processor time of the command beyond that of the same command in an empty home with an empty cache, in ${rounds} rounds, beside \`stat\` on as many files by a process that has just started as well.`,
      ],
      claims: [
        memoryClaim(`galley import of a log of ${logSize / megabyte} MB`, importing(large)),
        memoryClaim("the same again, which adds nothing", importing(large)),
        memoryClaim(
          "the same log uploaded to a daemon",
          await uploadMemory(probe, launcher, large, join(folder, "daemon")),
        ),
        memoryClaim(
          `galley import of a log with a line of ${lineSize / megabyte} MB, which is skipped`,
          importing(long),
          maxLine,
        ),
        listClaim(folder, launcher),
      ],
    };
  });
}

function memoryClaim(claim: string, bytes: number, line = 0): Claim {
  const inMb = (size: number): string => `${Math.round(size / megabyte)} MB`;
  const limit = memoryLimit + line;
  const against = line > 0 ? `300 MB and a line of ${inMb(line)}` : "300 MB";
  return { claim, against, peer: inMb(limit), own: inMb(bytes), ratio: bytes / limit, limit: 1 };
}

/** A list of many sessions, by a process that has just started. */
function listClaim(folder: string, launcher: string): Claim {
  const [home, empty] = [join(folder, "home"), join(folder, "empty")];
  const files = Array.from({ length: listed }, (_, n) => join(home, `.claude/projects/p${n % 50}/session-${n}.jsonl`));
  for (let n = 0; n < 50; n += 1) mkdirSync(join(home, `.claude/projects/p${n}`), { recursive: true });
  for (const [n, file] of files.entries()) writeSmallLog(file, n);
  mkdirSync(empty, { recursive: true });
  const envOf = (cache: string) => ({
    ...process.env,
    XDG_CACHE_HOME: join(folder, cache),
    XDG_STATE_HOME: join(folder, cache),
  });
  const list = (where: string, cache: string, ...flags: readonly string[]): number =>
    processorMs([launcher, "logs", "--home", where, "--data", join(folder, "none"), ...flags], envOf(cache));
  for (const cache of ["cache", "empty-cache"]) mkdirSync(join(folder, cache), { recursive: true });
  list(home, "cache", "--read");
  const paths = join(folder, "paths.json");
  writeFileSync(paths, JSON.stringify(files));
  const read = `const fs = require("fs"); const files = JSON.parse(fs.readFileSync(${JSON.stringify(paths)}, "utf8"));`;
  const [own, peer]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round += 1) {
    const cost = list(home, "cache") - list(empty, "empty-cache");
    const node = (script: string): number => processorMs(["-e", script], process.env);
    const stats = node(`${read} for (const file of files) fs.statSync(file);`) - node(read);
    if (round < 0) continue;
    own.push(cost);
    peer.push(stats);
  }
  const shown = { peer: inMs(median(peer)), own: inMs(median(own)), ratio: median(own) / median(peer) };
  return {
    claim: `galley logs of ${listed} sessions, beyond its start`,
    against: `stat on ${listed} files`,
    ...shown,
    limit: 3,
  };
}

interface MemoryProbe {
  /** For Node: the program tells its largest resident set when it ends. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** What the program that has ended last told, in bytes. */
  readonly told: () => number;
}

function memoryProbe(folder: string): MemoryProbe {
  const told = join(folder, "memory");
  const probe = join(folder, "probe.mjs");
  // `maxRSS` would count what this process had when it started the command; Linux tells it of the command alone.
  const peak = `existsSync("/proc/self/status") ? /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1] : process.resourceUsage().maxRSS`;
  const write = `writeFileSync(${JSON.stringify(told)}, String(${peak}))`;
  const needed = 'import { existsSync, readFileSync, writeFileSync } from "node:fs";';
  writeFileSync(probe, `${needed} process.on("exit", () => ${write});`);
  const cache = join(folder, "cache");
  mkdirSync(cache, { recursive: true });
  return {
    flags: ["--import", probe],
    env: { ...process.env, XDG_CACHE_HOME: cache, XDG_STATE_HOME: cache },
    told: () => {
      const kibibytes = Number(readFileSync(told, "utf8"));
      rmSync(told);
      return kibibytes * 1024;
    },
  };
}

/** The memory of `galley import`, in bytes. */
function importMemory({ flags, env, told }: MemoryProbe, launcher: string, file: string, data: string): number {
  execFileSync(process.execPath, [...flags, launcher, "import", file, "--data", data], { env, stdio: "ignore" });
  return told();
}

/** The memory of a daemon that is sent the file and nothing else, in bytes. */
async function uploadMemory(probe: MemoryProbe, launcher: string, file: string, data: string): Promise<number> {
  const daemon = await startDaemon(launcher, data, probe.env, probe.flags);
  try {
    const { url, token } = JSON.parse(readFileSync(join(data, "daemon.json"), "utf8")) as {
      url: string;
      token: string;
    };
    const response = await fetch(`${url}/api/logs?name=large.jsonl`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: await openAsBlob(file),
    });
    if (!response.ok) throw new Error(`The upload failed: ${await response.text()}`);
    await response.text();
  } finally {
    const ended = new Promise((done) => daemon.once("exit", done));
    daemon.kill("SIGTERM");
    await ended;
  }
  return probe.told();
}

/** A log whose second line no reader should hold. */
function writeLongLine(file: string): void {
  writeLog(file, megabyte, "long");
  const handle = openSync(file, "a");
  try {
    writeSync(handle, '{"type":"user","sessionId":"long","message":{"content":"');
    for (let written = 0; written < lineSize; written += megabyte) writeSync(handle, "x".repeat(megabyte));
    writeSync(handle, '"}}\n{"type":"user","uuid":"last","sessionId":"long","message":{"content":"behind it"}}\n');
  } finally {
    closeSync(handle);
  }
  if (statSync(file).size < lineSize) throw new Error("The long line was not written.");
}
