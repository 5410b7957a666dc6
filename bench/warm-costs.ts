import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DatabaseSync } from "node:sqlite";
import type { Galley } from "galley";
import { demoModel } from "../packages/host/src/models/demo-model.ts";
import { inFolder } from "./chat-folder.ts";
import { listClaim, putAwayClaim, scrollClaim } from "./chat-costs.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, interleave, median, medianRatio } from "./measure.ts";
import { freshText, model, openQuietly, processTime, turnIn, writeChat, writtenBytes } from "./path.ts";

const clock = processTime;
const rounds = { rounds: 240, warmUp: 300, clock, prepare: () => undefined };
const budget = 200_000;

/** What must not make the next turn dear: keys, presets, calibration; a run, the bytes, the memory, scrolling back. */
export async function warmCostsReport(): Promise<BenchReport> {
  const claims = await inFolder(async (data) => [
    ...(await besidePlain(data)),
    await bytesClaim(data),
    await scrollClaim(data),
    await putAwayClaim(data),
    await listClaim(data),
  ]);
  return {
    claims: [...claims, ...memoryClaims()],
    notes: [
      "Turns as in suite `warm`, in chats of 1,000 messages at 200k; processor time of the process. The key is one of a provider; the preset of the library has 3,000 constant entries; calibration: each turn is followed by a report that differs from the one before by up to 2 %. Of the run, what the demo model takes alone for a call of as many tokens is subtracted.",
      "Bytes: `write_bytes` of /proc/self/io over 200 turns of 280 characters each way, and the checkpoint behind them. A page of the system's cache counts whole each time that it is written back: two logs that are synced alone come to 9.4 kB a turn.",
      "Memory, in a process of its own: heapUsed after a collection. Scrolling back: pages of 100 messages through the handler of `chats.transcript`.",
    ],
  };
}

async function besidePlain(data: string): Promise<Claim[]> {
  const galleys: Galley[] = [];
  const open = async (name: string, options: Parameters<typeof openQuietly>[1] = {}): Promise<Galley> => {
    const galley = await openQuietly(`${data}/${name}`, options);
    galleys.push(galley);
    writeChat(`${data}/${name}`, "c", 1000);
    return galley;
  };
  const plain = await open("plain");
  const keyed = await open("keyed", { environment: { OPENAI_API_KEY: `sk-${"k3y".repeat(12)}` } });
  const library = await open("library");
  await saveLarge(library);
  const calibrated = await open("calibrated");
  let reports = 0;
  const runs = await open("runs");
  const chat = { chat: "c" };
  const times = await interleave(rounds, {
    plain: () => turnIn(plain, chat, { budget }),
    keyed: () => turnIn(keyed, chat, { budget }),
    library: () => turnIn(library, chat, { budget: 2 * budget, preset: "large" }),
    calibrated: async () => {
      const turn = await calibrated.turn({ ...chat, input: freshText(), model, budget });
      reports += 1;
      const inputTokens = Math.round(turn.stats.inputTokens * (1 + (reports % 5) / 200));
      await turn.commit({ assistant: freshText(), usage: { inputTokens, outputTokens: 80 } });
    },
    ...(await runAndModel(runs)),
  });
  const commits = await leastCommits(runs);
  for (const galley of galleys) await galley.close();
  const ownOfRuns = times.run.map((time, round) => time - (times.model[round] as number));
  const claimOf = (claim: string, own: readonly number[], limit: number): Claim => ({
    claim,
    against: "the plain warm turn",
    peer: inMs(median(times.plain)),
    own: inMs(median(own)),
    ratio: medianRatio(own, times.plain),
    limit,
  });
  return [
    claimOf("a warm turn with one key configured", times.keyed, 1.3),
    claimOf("a warm turn with a library preset of 3,000 constant entries", times.library, 1.3),
    claimOf("a warm turn with calibration observed each time", times.calibrated, 1.3),
    {
      ...claimOf("a run with the demo model, without the model's own time", ownOfRuns, 4),
      gap: "the AI SDK takes some 0.3 of a warm turn; the second commit, the events and the steps that are stored make up the rest.",
    },
    {
      claim: "commits to SQLite in a run without calls of tools, until its end is told",
      against: "1",
      peer: "1",
      own: String(commits),
      ratio: commits,
      limit: 2,
    },
  ];
}

async function saveLarge(galley: Galley): Promise<void> {
  const entries = Array.from({ length: 3000 }, (_, index) => ({
    id: `e${index}`,
    role: "system" as const,
    content: freshText(60),
  }));
  const history = { id: "chat_history", role: "user" as const, type: "chat_history" as const };
  await galley.presets.save("large", {
    preset: { version: 1, presetMessages: [...entries, history] },
    expectedVersion: 0,
  });
}

/** A run in the chat, and the built-in model alone with a call of the size of the latest run's. */
async function runAndModel(galley: Galley): Promise<Record<"run" | "model", () => Promise<void>>> {
  const ask = await demoAsker(galley);
  let inputTokens = 0;
  return {
    run: async () => {
      const { usage } = await galley.run({ chat: "c", input: freshText(), model: "demo" }).result;
      inputTokens = usage.inputTokens;
    },
    model: () => ask(inputTokens),
  };
}

/**
 * Asks the built-in model what a run in the chat asks it: what that costs is not the run's own. The model counts what it is sent,
 * which grows from run to run until the chat is compacted: so it is sent as many tokens as the run before.
 */
async function demoAsker(galley: Galley): Promise<(inputTokens: number) => Promise<void>> {
  const turn = await galley.turn({ chat: "c", input: freshText(), model: "demo" });
  await turn.abort();
  const demo = demoModel();
  const asWords = ({ role, content }: (typeof turn.messages)[number]) =>
    role === "system"
      ? { role, content }
      : { role, content: [{ type: "text", text: typeof content === "string" ? content : "" }] };
  const first = turn.messages.map(asWords);
  const mean = turn.stats.inputTokens / first.length;
  const more = Array.from({ length: 4 * first.length }, (_, index) =>
    asWords({ role: index % 2 === 0 ? "user" : "assistant", content: freshText() }),
  );
  return async (inputTokens) => {
    const missing = Math.max(0, Math.round((inputTokens - turn.stats.inputTokens) / mean));
    const prompt = [...more.slice(0, missing), ...first];
    const call = { prompt, tools: turn.tools } as unknown as Parameters<typeof demo.doStream>[0];
    for await (const part of (await demo.doStream(call)).stream) void part;
  };
}

/** How often SQLite commits in a run, until its end is told; the least of ten, since a busy machine adds some. */
async function leastCommits(galley: Galley): Promise<number> {
  const counts: number[] = [];
  for (let count = 0; count < 10; count += 1) counts.push(await commitsOf(galley));
  return Math.min(...counts);
}

async function commitsOf(galley: Galley): Promise<number> {
  // Writes the mark that the run before has ended.
  await galley.store.runs.list(galley.project, { limit: 1 });
  let commits = 0;
  const { exec } = Object.getOwnPropertyDescriptors(DatabaseSync.prototype);
  const counting = function count(this: DatabaseSync, sql: string): void {
    if (sql === "COMMIT") commits += 1;
    (exec.value as (text: string) => void).call(this, sql);
  };
  Object.defineProperty(DatabaseSync.prototype, "exec", { ...exec, value: counting });
  const run = galley.run({ chat: "c", input: freshText(), model: "demo" });
  for await (const { type } of run) if (type === "run:finished") break;
  Object.defineProperty(DatabaseSync.prototype, "exec", exec);
  return commits;
}

const turns = 200;

async function bytesClaim(data: string): Promise<Claim> {
  writeChat(`${data}/bytes`, "c", 1000);
  const first = await openQuietly(`${data}/bytes`);
  for (let count = 0; count < 20; count += 1) await turnIn(first, { chat: "c" }, { budget });
  // What was read of the chat for the first time is taken into the file here: it is no part of the turns that follow.
  await first.close();
  const galley = await openQuietly(`${data}/bytes`);
  const before = writtenBytes();
  for (let count = 0; count < turns; count += 1) await turnIn(galley, { chat: "c" }, { budget });
  // The last one to close takes the log into the file.
  await galley.close();
  const written = ((writtenBytes() ?? 0) - (before ?? 0)) / 1000 / turns;
  return {
    claim: "kB written for each turn, checkpoints included",
    against: "1 kB",
    peer: before === undefined ? "not counted by this system" : "0.56 kB said",
    own: `${written.toFixed(1)} kB`,
    ratio: written,
    limit: 20,
    gap: "a turn writes seven or eight pages of 1 kB to SQLite's log (the build and its messages 3, its two indexes 2, the session 1, the head of the file 1), beside the 9.4 kB of the two logs.",
  };
}

/** In MB: what all chats together may hold in memory, beside the code. */
const heapBound = 400;

function memoryClaims(): Claim[] {
  const run = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { base, open, many } = JSON.parse(run.stdout) as { base: number; open: number; many: number };
  const inMb = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(2)} MB`;
  const one = (open - base) / 20;
  return [
    {
      claim: "memory of an open chat of 600 messages of 280 bytes (mean of 20)",
      against: "1 MB",
      peer: "1 MB",
      own: inMb(one),
      ratio: one / 1024 / 1024,
      limit: 1,
    },
    {
      claim: "heap after 200 chats of 100,000 messages were opened in turn",
      against: `${heapBound} MB`,
      peer: `${inMb(base)} before`,
      own: inMb(many),
      ratio: many / 1024 / 1024 / heapBound,
      limit: 1,
    },
  ];
}

async function measureMemory(): Promise<{ base: number; open: number; many: number }> {
  return inFolder(async (data) => {
    const galley = await openQuietly(data);
    for (let index = 0; index < 21; index += 1) writeChat(data, `small-${index}`, 600);
    const twice = async (chat: string): Promise<void> => {
      await turnIn(galley, { chat }, { budget });
      await turnIn(galley, { chat }, { budget });
    };
    await twice("small-20");
    const base = usedHeap();
    for (let index = 0; index < 20; index += 1) await twice(`small-${index}`);
    const open = usedHeap();
    // By other names of one file: 200 of them would fill a disk.
    writeChat(data, "long", 100_000);
    for (let index = 0; index < 200; index += 1) {
      for (const path of ["contexts/active.jsonl", "conversations/history.jsonl"]) {
        mkdirSync(join(data, "chat", `long-${index}`, path, ".."), { recursive: true });
        linkSync(join(data, "chat", "long", path), join(data, "chat", `long-${index}`, path));
      }
      await turnIn(galley, { chat: `long-${index}` }, { budget });
    }
    const many = usedHeap();
    await galley.close();
    return { base, open, many };
  });
}

function usedHeap(): number {
  for (let time = 0; time < 4; time += 1) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

if (import.meta.main) console.log(JSON.stringify(await measureMemory()));
