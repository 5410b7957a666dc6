import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { doctor } from "../src/chat/doctor/doctor.ts";
import { dataFolder, galleyIn, textsOf } from "../src/galley/testing/temp-galley.ts";
import type { Galley } from "../src/galley/galley.ts";
import { countTool, inputs } from "./run-scenario.ts";

const script = (name: string): string => fileURLToPath(new URL(`${name}.ts`, import.meta.url));
/** A few points and rounds, or with `npm run test:faults` all of them. */

function runUntil(change: number): { data: string; lines: string[]; signal: string | null } {
  const data = dataFolder();
  const { stdout, stderr, signal } = spawnSync(process.execPath, [script("run-scenario"), data], {
    encoding: "utf8",
    env: { ...process.env, GALLEY_CRASH_AT: String(change) },
  });
  expect(stderr).toBe("");
  return { data, lines: stdout.split("\n").filter((line) => line !== ""), signal };
}

/** Every message of the user at most once, each followed by one reply. */
function checkPairs(texts: readonly unknown[], said: readonly string[]): string[] {
  const users = texts.filter((_, index) => index % 2 === 0).map(String);
  const wrong = users.filter((text) => !said.includes(text));
  const replies = texts.filter((_, index) => index % 2 === 1).map(String);
  return [...wrong, ...replies.filter((text) => !text.startsWith("[demo]"))];
}

test(
  "[W11] killed at any change of disk or store, a run is resumed and leaves its messages once",
  { timeout: isThorough ? 7_200_000 : 900_000 },
  async ({ task }) => {
    const whole = runUntil(0);
    const total = Number(whole.lines.at(-1)?.split(" ")[1]);
    expect(total).toBeGreaterThan(80);
    const stride = isThorough ? 1 : Math.ceil(total / 4);
    claimFault(task, {
      area: "processes that are killed",
      fault: "kill -9 at each single change of disk or store in the middle of runs",
      holds: "the run is resumed, and its messages are there once",
      rounds: Math.ceil((total - 1) / stride),
    });
    for (let change = 2; change <= total; change += stride) {
      const { data, lines, signal } = runUntil(change);
      // How many changes there are differs a little from run to run, with what is written together: the last may not come.
      if (signal === null && change > total - 8) break;
      expect([change, signal]).toEqual([change, "SIGKILL"]);
      const galley = await galleyIn(data, { tools: [countTool(data)] });
      const resumed = await galley.resume({ isOwner: true });
      await Promise.all(resumed.map(({ result }) => result));
      const runs = await galley.store.runs.list("default");
      expect([change, runs.filter(({ status }) => status !== "finished")]).toEqual([change, []]);
      const transcript = await textsOf(galley, "demo", "transcript");
      // An input that is answered again is not said again.
      const isAgain = runs.some(({ id }) => id === "again");
      expect([change, transcript.length]).toEqual([change, runs.length * 2 - (isAgain ? 1 : 0)]);
      const answered = isAgain ? transcript.slice(0, -1) : transcript;
      expect([change, checkPairs(answered, inputs)]).toEqual([change, []]);
      const acknowledged = lines.filter((line) => line.startsWith("a ")).length;
      expect(runs.length).toBeGreaterThanOrEqual(acknowledged);
      // What is active ends with what was said last.
      const active = await textsOf(galley, "demo");
      expect([change, active.slice(-2)]).toEqual([
        change,
        [answered.at(-2), transcript.at(-1)].slice(2 - Math.min(2, active.length)),
      ]);
      expect([change, new Set(active).size]).toEqual([change, active.length]);
      const counted = join(data, "count.txt");
      expect(existsSync(counted) ? readFileSync(counted, "utf8").length : 0).toBeLessThanOrEqual(1);
      await galley.close();
      expect((await doctor(data)).flatMap(({ findings }) => findings.filter(({ kind }) => kind !== "aside"))).toEqual(
        [],
      );
    }
  },
);

async function killAfter(data: string, name: string, count: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [script("fault-runs"), data, name], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  for await (const chunk of child.stdout) {
    text += String(chunk);
    if (text.split("\n").length > count) child.kill("SIGKILL");
  }
  return text
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.startsWith("a "));
}

async function checkChats(galley: Galley, acknowledged: readonly string[]): Promise<void> {
  const runs = await galley.store.runs.list("default", { limit: 100_000 });
  expect(runs.filter(({ status }) => status === "running")).toEqual([]);
  const lost: string[] = [];
  const doubled: string[] = [];
  const transcripts = new Map<string, unknown[]>();
  for (const { place } of runs) {
    const key = place.chat ?? "";
    if (!transcripts.has(key)) transcripts.set(key, await textsOf(galley, key, "transcript"));
  }
  for (const line of acknowledged) {
    const [, chat = "", ...rest] = line.split(" ");
    if (!transcripts.get(`chat ${chat}`)?.includes(rest.join(" "))) lost.push(line);
  }
  for (const texts of transcripts.values()) {
    const users = texts.filter((text) => !String(text).startsWith("[demo]"));
    if (new Set(users).size !== users.length || texts.length !== users.length * 2) doubled.push(JSON.stringify(texts));
  }
  expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
}

test(
  "[W10] a process that is killed in the middle of many runs loses and doubles nothing",
  { timeout: 900_000 },
  async ({ task }) => {
    const rounds = isThorough ? 20 : 1;
    claimFault(task, {
      area: "processes that are killed",
      fault: "kill -9 on a process in the middle of runs in 25 chats",
      holds: "every run is finished by the next process, nothing is lost or doubled",
      rounds: rounds,
    });
    const data = dataFolder();
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      acknowledged.push(...(await killAfter(data, `r${round}`, 40 + round * 17)));
      expect(acknowledged.length).toBeGreaterThan(30);
      const galley = await galleyIn(data);
      const resumed = await galley.resume({ isOwner: true });
      expect(resumed.length).toBeGreaterThan(0);
      await Promise.all(resumed.map(({ result }) => result));
      await checkChats(galley, acknowledged);
      await galley.close();
    }
  },
);
