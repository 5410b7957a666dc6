import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openChat } from "galley";
import { bundledWorkspace } from "../scripts/bundle.ts";
import { sourceLauncher } from "../scripts/launcher.ts";
import { inFolder } from "./chat-folder.ts";
import type { BenchReport, Claim } from "./claim.ts";
import { inMs, median, medianRatio } from "./measure.ts";

const rounds = 14;
/** One start is too short for the clock that counts a processor's time. */
const startsPerRound = 3;
const archives = 20;

type Args = readonly string[];

/** What starting the command and importing the packages costs, beside starting Node. */
export function startReport(): Promise<BenchReport> {
  return inFolder(async (folder) => {
    const packages = join(await bundledWorkspace(), "node_modules");
    const bundled = join(packages, "galley/bin/galley.js");
    const [alone, served] = [join(folder, "alone"), join(folder, "served")];
    for (const data of [alone, served]) await makeArchives(data);
    const env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache"), XDG_STATE_HOME: join(folder, "state") };
    const daemon = await startDaemon(bundled, served, env);
    try {
      const list = ["chat", "list", "--chat", "demo", "--data"];
      const load = (file: string): Args => [
        "--input-type=module",
        "-e",
        `import ${JSON.stringify(join(packages, file))}`,
      ];
      const sides: readonly (readonly [claim: string, limit: number, args: Args])[] = [
        ["galley --version, from the bundle", 2.5, [bundled, "--version"]],
        ["galley --version, from the sources", 4, [sourceLauncher, "--version"]],
        [`galley chat list with ${archives} archives, no daemon`, 5, [bundled, ...list, alone]],
        [`galley chat list with ${archives} archives, a daemon runs`, 5, [bundled, ...list, served]],
        ['import "galley"', 8, load("galley/dist/index.js")],
        ['import "@galley/engine"', 2.5, load("@galley/engine/dist/index.js")],
      ];
      return {
        notes: [
          `Processor time of the whole process, user and system, ${rounds} rounds of ${startsPerRound} starts each, in turns with \`node -e 0\`. What Node compiles of the command is in its cache already, as it is from a user's second start on; an import has no such cache.`,
          "The packages are those that are published: bundled, with zod inside. From the sources an import takes several times longer, because Node strips the types of every file.",
        ],
        claims: sides.map(([claim, limit, args]) => startClaim(claim, limit, args, env)),
      };
    } finally {
      daemon.kill("SIGTERM");
      await new Promise((done) => daemon.once("exit", done));
    }
  });
}

function startClaim(claim: string, limit: number, args: Args, env: NodeJS.ProcessEnv): Claim {
  const [peer, own]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round += 1) {
    const [node, ours] = [processorMs(["-e", "0"], env), processorMs(args, env)];
    if (round < 0) continue;
    peer.push(node);
    own.push(ours);
  }
  const shown = { peer: inMs(median(peer)), own: inMs(median(own)), ratio: medianRatio(own, peer) };
  return { claim, against: "node -e 0", limit, ...shown };
}

/** The processor's time of one start in ms. A shell counts it: Node does not tell what its children have used. */
export function processorMs(args: Args, env: NodeJS.ProcessEnv): number {
  const script = `for i in ${"i ".repeat(startsPerRound)}; do "$@" >/dev/null || exit 1; done; times`;
  const out = execFileSync("bash", ["-c", script, "bash", process.execPath, ...args], { env, encoding: "utf8" });
  const children = out.trim().split("\n").at(-1) ?? "";
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  if (times.length !== 2) throw new Error(`The shell gave no times: ${out}`);
  return (times.reduce((sum, time) => sum + time, 0) * 1000) / startsPerRound;
}

async function makeArchives(data: string): Promise<void> {
  const chat = await openChat(data, "demo");
  for (let n = 0; n < archives; n += 1) {
    await chat.append([
      { role: "user", content: `Plan trip ${n} to Kyoto` },
      { role: "assistant", content: "Three days: temples, Arashiyama, Nara." },
    ]);
    await chat.newContext({ title: `Trip ${n}` });
  }
  await chat.close();
}

/** A daemon that can be asked; `flags` are those of Node. */
export async function startDaemon(
  launcher: string,
  data: string,
  env: NodeJS.ProcessEnv,
  flags: Args = [],
): Promise<ChildProcess> {
  const args = [...flags, launcher, "up", "--port", "0", "--json", "--empty", "--data", data];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  // It prints its address when it can be asked.
  const { done } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (done === true) throw new Error("The daemon did not start.");
  return child;
}
