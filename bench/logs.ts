import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { bundledWorkspace } from "../scripts/bundle.ts";
import { inFolder } from "./chat-folder.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { writeLog, writeSmallLog } from "./generated-logs.ts";
import { inMs, median } from "./measure.ts";
import { processorMs } from "./start.ts";

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
    const run = commandIn(folder, launcher);
    const [large, long] = [join(folder, "large.jsonl"), join(folder, "long.jsonl")];
    writeLog(large, logSize, "large");
    writeLongLine(long);
    const data = join(folder, "data");
    const importing = (file: string): number => run(["import", file, "--data", data]);
    return {
      notes: [
        "Logs in Claude Code's format, made for this: requests, replies in two lines, results of up to 200 kB, a compaction every 400 turns. The memory is the largest resident set of the whole command, as the system counts it.",
        `The list: ${listed} logs, what is known of them is in the cache; processor time of the command beyond that of the same command in an empty home with an empty cache, in ${rounds} rounds, beside \`stat\` on as many files by a process that has just started as well.`,
      ],
      claims: [
        memoryClaim(`galley import of a log of ${logSize / megabyte} MB`, importing(large)),
        memoryClaim("the same again, which adds nothing", importing(large)),
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

/** Runs the command; gives its largest resident set in bytes. */
function commandIn(folder: string, launcher: string): (args: readonly string[]) => number {
  const told = join(folder, "memory");
  const probe = join(folder, "probe.mjs");
  // `maxRSS` would count what this process had when it started the command; Linux tells it of the command alone.
  const peak = `existsSync("/proc/self/status") ? /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1] : process.resourceUsage().maxRSS`;
  const write = `writeFileSync(${JSON.stringify(told)}, String(${peak}))`;
  const needed = 'import { existsSync, readFileSync, writeFileSync } from "node:fs";';
  writeFileSync(probe, `${needed} process.on("exit", () => ${write});`);
  const cache = join(folder, "cache");
  mkdirSync(cache, { recursive: true });
  const env = { ...process.env, XDG_CACHE_HOME: cache, XDG_STATE_HOME: cache };
  return (args) => {
    rmSync(told, { force: true });
    execFileSync(process.execPath, ["--import", probe, launcher, ...args], { env, stdio: "ignore" });
    return Number(readFileSync(told, "utf8")) * 1024;
  };
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
