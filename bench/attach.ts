import { execFileSync } from "node:child_process";
import { appendFileSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hookCommand } from "../packages/host/src/cli/settings/attachable.ts";
import { bundledWorkspace } from "../scripts/bundle.ts";
import { inFolder } from "./chat-folder.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { writeLog } from "./generated-logs.ts";
import { inMs, median } from "./measure.ts";

const megabyte = 1_000_000;
const [logSize, moreSize] = [20 * megabyte, megabyte / 5];
const rounds = 9;

/** What the hook of an attached agent costs, beside reading and parsing what is new in its log. */
export function attachReport(): Promise<BenchReport> {
  return inFolder(async (folder) => {
    const launcher = join(await bundledWorkspace(), "node_modules/galley/bin/galley.js");
    const hook = hookIn(folder, launcher);
    const [log, more, one] = ["log.jsonl", "more.jsonl", "one.jsonl"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeLog(log, logSize, "boat");
    writeLog(more, moreSize, "boat", 100_001);
    writeLog(one, 1, "boat");
    const long = join(folder, "long.jsonl");
    copyFileSync(log, long);
    appendFileSync(long, readFileSync(more));
    // What is known of the log before more comes: the same path, which is read up to here.
    const grown = join(folder, "grown.jsonl");
    copyFileSync(log, grown);
    const read = join(folder, "read");
    hook(grown, read);
    const known = (): string => {
      const state = join(folder, "state");
      rmSync(state, { recursive: true, force: true });
      cpSync(read, state, { recursive: true });
      return state;
    };
    const fresh = (): string => {
      const state = join(folder, "fresh");
      rmSync(state, { recursive: true, force: true });
      return state;
    };
    const first = differences(
      () => [hook(one, fresh()), hook(log, fresh())],
      () => [nodeMs(folder, ""), nodeMs(folder, parsing(log))],
    );
    // One turn more, as the first row's start has one: then that is read, ranked and kept too.
    appendFileSync(grown, readFileSync(one));
    const start = rounded(() => hook(grown, known()));
    copyFileSync(long, grown);
    const again = rounded(() => hook(grown, known()));
    const peer = rounded(() => nodeMs(folder, parsing(more)) - nodeMs(folder, ""));
    return {
      notes: [
        `\`galley hook\` of the bundle after a compaction, on logs in Claude Code's format of our own making; processor time of the whole process, user and system, the median of ${rounds} rounds. Beside it a process of Node that reads the same bytes, cuts them into lines and parses each, less one that does nothing.`,
        "What the hook costs to start is taken off: for the first row that on a log of one turn, for the second that on the same log with one turn more. (Earlier figures took off that on the same log with nothing new, where nothing is read, ranked or kept.)",
      ],
      claims: [
        claimOf("the hook on a log of 20 MB for the first time, beyond its start", first.own, first.peer),
        claimOf("the same after 200 kB more, beyond its start", [median(again) - median(start)], peer),
        {
          claim: "the same with its start",
          against: "its start and three times parsing 200 kB",
          peer: inMs(median(start) + 3 * median(peer)),
          own: inMs(median(again)),
          ratio: median(again) / (median(start) + 3 * median(peer)),
          limit: 1.05,
        },
      ],
    };
  });
}

function claimOf(claim: string, own: readonly number[], peer: readonly number[]): Claim {
  const against = "reading and parsing what is new";
  const [ours, theirs] = [median(own), median(peer)];
  return { claim, against, peer: inMs(theirs), own: inMs(ours), ratio: ours / theirs, limit: 3 };
}

function rounded(run: () => number): number[] {
  run();
  return Array.from({ length: rounds }, run);
}

/** What the second of each pair costs beyond the first, in turns. */
function differences(
  own: () => readonly [number, number],
  peer: () => readonly [number, number],
): { readonly own: number[]; readonly peer: number[] } {
  const found = { own: [] as number[], peer: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const [[ownStart, ownAll], [peerStart, peerAll]] = [own(), peer()];
    if (round < 0) continue;
    found.own.push(ownAll - ownStart);
    found.peer.push(peerAll - peerStart);
  }
  return found;
}

function parsing(file: string): string {
  return `for (const line of require("fs").readFileSync(${JSON.stringify(file)}, "utf8").split("\\n")) if (line !== "") JSON.parse(line);`;
}

/** Runs the hook on a log with what is known in a state folder; gives its processor time in ms. */
function hookIn(folder: string, launcher: string): (log: string, state: string) => number {
  return (log, state) => {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const event = { hook_event_name: "SessionStart", source: "compact", transcript_path: log };
    const input = join(folder, "event.json");
    writeFileSync(input, JSON.stringify(event));
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache"), XDG_STATE_HOME: state };
    const said = join(folder, "said.json");
    const time = timesOf(hookCommand("claude-code", [process.execPath, launcher]), input, said, env);
    if (!readFileSync(said, "utf8").includes("context_recall")) throw new Error("The hook said nothing.");
    return time;
  };
}

function nodeMs(folder: string, script: string): number {
  return timesOf([process.execPath, "-e", script], "/dev/null", join(folder, "none"), process.env);
}

/** A shell counts it: Node does not tell what its children have used. */
function timesOf(args: readonly string[], input: string, output: string, env: NodeJS.ProcessEnv): number {
  const script = 'in="$1"; out="$2"; shift 2; "$@" <"$in" >"$out" || exit 1; times';
  const out = execFileSync("bash", ["-c", script, "bash", input, output, ...args], { env, encoding: "utf8" });
  const children = out.trim().split("\n").at(-1) ?? "";
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  return times.reduce((sum, time) => sum + time, 0) * 1000;
}
