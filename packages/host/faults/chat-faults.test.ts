import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { chatWith, dataFolder, open } from "../src/chat/testing/temp-chat.ts";
import { doctor } from "../src/chat/doctor/doctor.ts";
import { judge } from "./chat-verdict.ts";

/** 10 unless said otherwise; `npm run test:faults` runs 200. */
const rounds = isThorough ? 200 : 4;
/** After this many rounds a new chat is begun, or the files would grow without end. */
const roundsPerChat = 10;
const script = fileURLToPath(new URL("chat-writer.ts", import.meta.url));

interface Writer {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly ready: Promise<void>;
  readonly ended: Promise<void>;
  errors: string;
}

function startWriter(folder: string, name: string, seed: number): Writer {
  const child = spawn(process.execPath, [script, folder, name, String(seed)], { stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  let isReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  const writer: Writer = {
    child,
    lines: [],
    ready,
    ended: new Promise((resolve) => child.once("close", () => resolve())),
    errors: "",
  };
  child.stdout.on("data", (chunk: Buffer) => {
    const pieces = (text + chunk.toString()).split("\n");
    text = pieces.pop() ?? "";
    for (const line of pieces) {
      if (line === "ready") isReady();
      else writer.lines.push(line);
    }
  });
  child.stderr.on("data", (chunk: Buffer) => void (writer.errors += chunk.toString()));
  void writer.ended.then(isReady);
  return writer;
}

/** How much is acknowledged before the kill of every other round: on a slow disk the first moments may bring nothing. */
const enough = 30;

/** Two writers at work, each killed at a moment of its own. Gives what they had acknowledged. */
async function killRound(folder: string, round: number): Promise<string[]> {
  const writers = ["x", "y"].map((name, index) => startWriter(folder, `${name}${round}`, round * 2 + index + 1));
  await Promise.all(writers.map(({ ready }) => ready));
  const isEnough = (): boolean => writers.some(({ child, lines }) => child.exitCode !== null || lines.length >= enough);
  if (round % 2 === 1) await vi.waitUntil(isEnough, { timeout: 60_000, interval: 5 });
  await Promise.all(
    writers.map(async ({ child, ended }) => {
      await sleep(Math.random() * 250);
      child.kill("SIGKILL");
      await ended;
    }),
  );
  expect(writers.map(({ errors }) => errors)).toEqual(["", ""]);
  return writers.flatMap(({ lines }) => lines);
}

test(
  "[W10] two writers killed at any moment: nothing acknowledged is lost, no file is damaged, no lines are mixed",
  { timeout: 60_000 + rounds * 30_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "processes that are killed",
      fault: "kill -9 on two processes that write to one chat at once: messages, archives, switches",
      holds: "nothing acknowledged is lost, no file is damaged, no lines are mixed; the next one goes on",
      rounds: rounds,
    });
    let total = 0;
    let switches = 0;
    let acknowledged: string[] = [];
    let folder = "";
    // Where the writers are killed before any of them has switched, there is one more.
    for (let round = 0; round < rounds || (switches === 0 && round < rounds * 10); round += 1) {
      if (round % roundsPerChat === 0) {
        rmSync(folder, { recursive: true, force: true });
        folder = dataFolder();
        acknowledged = [];
      }
      const lines = await killRound(folder, round);
      acknowledged.push(...lines);
      total += lines.length;
      switches += lines.filter((line) => line.startsWith("s ")).length;
      // Opening mends what the dead have left; then every byte is looked at.
      const chat = await open(folder, "faults");
      expect(judge(chat.folder, acknowledged)).toEqual({ lost: [], damaged: [], disordered: [] });
      expect((await chat.listContexts()).problems).toEqual([]);
      await chat.close();
      // There is no chat yet where both were killed before they had written a line.
      const findings = (await doctor(folder)).flatMap((health) => health.findings);
      expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    }
    // A test that wrote nothing would also find nothing lost.
    expect(total).toBeGreaterThan(rounds * 5);
    expect(switches).toBeGreaterThan(0);
  },
);

test("[W10] the judge sees what is lost, damaged and mixed up", async () => {
  const chat = await chatWith([]);
  await chat.append([
    { role: "user", content: "x1-1 a" },
    { role: "assistant", content: "x1-2 b" },
  ]);
  const history = join(chat.folder, "conversations/history.jsonl");
  const active = join(chat.folder, "contexts/active.jsonl");
  const whole = readFileSync(history, "utf8");
  const sound = { lost: [], damaged: [], disordered: [] };
  expect(judge(chat.folder, ["a x1-1", "a x1-2"])).toEqual(sound);
  expect(judge(chat.folder, ["a x1-3", "s c_20260101_gone"]).lost).toHaveLength(2);
  writeFileSync(history, `${whole.slice(0, 30)}${whole.slice(60)}`);
  expect(judge(chat.folder, ["a x1-1"])).toMatchObject({ lost: ["a x1-1"], damaged: [`${history}:1`] });
  writeFileSync(history, whole + whole);
  expect(judge(chat.folder, []).disordered).toEqual(["x1-1"]);
  writeFileSync(history, whole);
  appendFileSync(active, "{");
  expect(judge(chat.folder, []).damaged).toHaveLength(1);
  expect(existsSync(active) && statSync(active).size).toBeGreaterThan(0);
});
