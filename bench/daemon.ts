import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ContextManager, type MessageEntry, type ToolSpec, loadTokenizer } from "@galley/engine";
import { openGalley } from "galley";
import type { Galley } from "../packages/host/src/galley/galley.ts";
import {
  type LoadedSide,
  daemonSide,
  loadChats,
  loadedChat,
  loadedText,
} from "../packages/host/src/daemon/testing/load-chats.ts";
import { inFolder } from "./chat-folder.ts";
import type { BenchReport } from "./claim.ts";
import { inMs, inPercent, mean, median, processorTime } from "./measure.ts";

const load = { chats: 200, turns: 20, atOnce: 16 };
const all = load.chats * load.turns;
const launcher = fileURLToPath(new URL("../packages/host/bin/galley.js", import.meta.url));
const heapSignal = new URL("heap-signal.ts", import.meta.url).href;

interface Sample {
  readonly heapUsed: number;
  readonly rss: number;
  readonly processorMs: number;
}

interface Measured {
  readonly latencies: readonly number[];
  readonly wallMs: number;
  readonly processorMs: number;
}

/** The same turns through the daemon, by `openGalley` in this process, and by the engine alone. */
export function daemonReport(): Promise<BenchReport> {
  return inFolder(async (folder) => {
    const { samples, ...daemon } = await throughDaemon(join(folder, "daemon"));
    const inside = await inProcess(join(folder, "inside"));
    const engineMs = await engineAlone(inside.tools);
    const perTurn = ({ processorMs }: Measured): number => processorMs / all;
    const overhead = perTurn(daemon) - perTurn(inside);
    const [half, end] = [samples[1], samples.at(-1)];
    if (!half || !end) throw new Error("The daemon has told nothing of its heap.");
    const grown = (end.heapUsed - half.heapUsed) / (all / 2);
    return {
      notes: [
        `${load.chats} chats with ${load.turns} turns each, ${load.atOnce} at a time, with the demo model, on the embedded store; every transcript held exactly what was said, and no turn failed.`,
        "Times are of the processor, in the process that does the work, for one turn: HTTP, events, the loop, the build, the model's streaming and everything that is written. The wall's time is in the table.",
        `What the daemon adds to a turn is ${inMs(overhead)}: ${inPercent(overhead / perTurn(inside))} of the turn in process, ${(overhead / engineMs).toFixed(0)} times the engine's own ${inMs(engineMs)} (the chats are short, and a build takes what is new). Most of it are the events of the reply, one for each word, and the rest of HTTP.`,
        `The heap is measured after a full collection. It counts as flat when it grows by at most a tenth from half of the turns to the end: by then every chat has been opened, and the transcripts have doubled. It grew by ${(grown / 1024).toFixed(1)} kB for each turn in that time. That is what a process remembers of what was said lately, and all of it has an end: texts that were counted (8 million characters), the last builds of sessions (200,000 items), runs that have ended (200).`,
      ],
      claims: [
        {
          claim: "a turn through the daemon",
          against: "the same by openGalley in process",
          peer: inMs(perTurn(inside)),
          own: inMs(perTurn(daemon)),
          ratio: perTurn(daemon) / perTurn(inside),
        },
        {
          claim: "what the daemon adds to a turn",
          against: "the engine's own build",
          peer: inMs(engineMs),
          own: inMs(overhead),
          ratio: overhead / engineMs,
        },
        {
          claim: "heap of the daemon at the end",
          against: "at half of the turns",
          peer: inMegabytes(half.heapUsed),
          own: inMegabytes(end.heapUsed),
          ratio: end.heapUsed / half.heapUsed,
          limit: 1.1,
          gap: "what grows is what the process remembers of these chats, see above. With each of those limits made small it stands still.",
        },
      ],
      tables: [
        { title: "A turn by the wall's clock", rows: [wallRow("daemon", daemon), wallRow("in process", inside)] },
        {
          title: "Memory of the daemon",
          rows: samples.map(({ heapUsed, rss }, index) => ({
            "turns of each chat": ((index + 1) * load.turns) / 4,
            heap: inMegabytes(heapUsed),
            "resident set": inMegabytes(rss),
          })),
        },
      ],
    };
  });
}

function wallRow(side: string, { latencies, wallMs }: Measured): Readonly<Record<string, string | number>> {
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    side,
    "median, with 16 at once": inMs(median(latencies)),
    mean: inMs(mean(latencies)),
    "99th percentile": inMs(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
    "turns a second": Number(((1000 * all) / wallMs).toFixed(1)),
  };
}

const inMegabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

async function throughDaemon(data: string): Promise<Measured & { readonly samples: readonly Sample[] }> {
  const args = ["--expose-gc", "--import", heapSignal, launcher, "up", "--json", "--port", "0", "--data", data];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], cwd: join(data, "..") });
  try {
    const { url } = JSON.parse(await nextLine(child, "stdout")) as { readonly url: string };
    const { token } = JSON.parse(readFileSync(join(data, "daemon.json"), "utf8")) as { readonly token: string };
    const side = daemonSide(url, token);
    // Modules are loaded and compiled by the first turn.
    await side.say("warm-up", "hello");
    const before = await sample(child);
    const samples: Sample[] = [];
    const onRound = async (turns: number): Promise<void> => {
      if (turns % (load.turns / 4) === 0) samples.push(await sample(child));
    };
    const result = await loadChats(side, { ...load, onRound });
    return { ...result, samples, processorMs: (samples.at(-1)?.processorMs ?? 0) - before.processorMs };
  } finally {
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("close", resolve));
  }
}

async function sample(child: ChildProcess): Promise<Sample> {
  const line = nextLine(child, "stderr");
  child.kill("SIGUSR2");
  return JSON.parse(await line) as Sample;
}

function nextLine(child: ChildProcess, stream: "stdout" | "stderr"): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: child[stream] ?? process.stdin });
    const onClose = (): void => reject(new Error("The daemon has ended."));
    child.once("close", onClose);
    lines.once("line", (line) => {
      child.off("close", onClose);
      lines.close();
      resolve(line);
    });
  });
}

async function inProcess(data: string): Promise<Measured & { readonly tools: readonly ToolSpec[] }> {
  const galley = await openGalley({ data, config: false });
  try {
    const side = galleySide(galley);
    await side.say("warm-up", "hello");
    const turn = await galley.turn({ chat: "warm-up", input: "hello" });
    await turn.abort();
    const before = process.cpuUsage();
    let processorMs = 0;
    const onRound = async (turns: number): Promise<void> => {
      if (turns < load.turns) return;
      const { user, system } = process.cpuUsage(before);
      processorMs = (user + system) / 1000;
    };
    const result = await loadChats(side, { ...load, onRound });
    return { ...result, processorMs, tools: turn.tools };
  } finally {
    await galley.close();
  }
}

function galleySide(galley: Galley): LoadedSide {
  return {
    say: async (chat, input) => (await galley.run({ chat, input, model: "demo" }).result).text,
    async transcript(chat) {
      const { messages } = (await galley.chats.open(chat)).transcript({ maxMessages: 1000 });
      return messages.map(({ content }) => (typeof content === "string" ? content : ""));
    },
  };
}

/** What the builds of these turns cost by themselves, in ms for one. */
async function engineAlone(toolSpecs: readonly ToolSpec[]): Promise<number> {
  const tokenizer = await loadTokenizer("o200k_base");
  const managers = Array.from({ length: load.chats }, () => ({
    manager: new ContextManager({ config: { maxInputTokens: 100_000 }, tokenizer, systemPrompt: "You help." }),
    log: [] as MessageEntry[],
  }));
  let spent = 0;
  for (let turn = 0; turn < load.turns; turn += 1) {
    for (const [chat, { manager, log }] of managers.entries()) {
      const say = (role: "user" | "assistant", content: string): void =>
        void log.push({ id: `${role}-${turn}`, ts: turn, type: "message", message: { role, content } });
      say("user", loadedText(chat, turn));
      const begun = processorTime();
      await manager.buildContext({ sessionEntries: log, toolSpecs });
      spent += processorTime() - begun;
      say("assistant", `[demo] You said: “${loadedText(chat, turn)}” in ${loadedChat(chat)}.`);
    }
  }
  return spent / all;
}
