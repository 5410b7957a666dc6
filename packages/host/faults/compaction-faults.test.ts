import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { doctor } from "../src/chat/doctor/doctor.ts";
import { testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { openGalley } from "../src/galley/open-galley.ts";
import { checkStore } from "../src/store/check-store.ts";
import { claimFault, isThorough } from "./claim-fault.ts";

const writer = fileURLToPath(new URL("compaction-writer.ts", import.meta.url));
const rounds = isThorough ? 60 : 4;
/** Turns that are acknowledged before a kill: enough that each round compacts and puts away. */
const turns = 7;

/** What a process acknowledged until it was killed, some milliseconds after one of its turns. */
async function killed(data: string, round: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [writer, data, String(round)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length !== turns + (round % 6)) continue;
    await sleep(Math.random() * 60);
    child.kill("SIGKILL");
  }
  await exited;
  return lines;
}

test(
  `[W10] kill -9 in the middle of turns that compact and contexts that are put away`,
  { timeout: 60_000 * rounds },
  async ({ task }) => {
    claimFault(task, {
      area: "processes that are killed",
      fault: "kill -9 on a process whose turns compact the context and that puts contexts away",
      holds:
        "what was acknowledged is there once, in its order; every archive can be loaded; doctor finds no damage; the next turn works",
      rounds,
    });
    const data = join(testFolder(), "data");
    const acknowledged: string[] = [];
    let compactions = 0;
    for (let round = 0; round < rounds; round += 1) {
      const lines = await killed(data, round);
      compactions += lines.filter((line) => line.endsWith("compacted")).length;
      acknowledged.push(...lines);
      const said = acknowledged.flatMap((line) => /^said (\S+)/.exec(line)?.[1] ?? []);
      const archives = acknowledged.flatMap((line) => /^put away (\S+)/.exec(line)?.[1] ?? []);
      expect(await checkStore({ data })).not.toContainEqual(expect.objectContaining({ severity: "error" }));
      const galley = await openGalley({ data });
      const chat = await galley.chats.open("faults");
      const { messages } = chat.transcript({ maxMessages: 100_000, maxCharacters: 2 ** 30 });
      const inputs = messages
        .filter(({ role }) => role === "user")
        .map(({ content }) => (typeof content === "string" ? content.split(" ")[0] : ""));
      expect(inputs.filter((name) => said.includes(name ?? ""))).toEqual(said);
      const listed = new Set((await chat.listContexts(200)).contexts.map(({ contextId }) => contextId));
      expect(archives.filter((id) => !listed.has(id))).toEqual([]);
      const name = `after-${round}`;
      await galley.run({ chat: "faults", input: `${name} now`, model: "demo", budget: 1000 }).result;
      acknowledged.push(`said ${name}`);
      await galley.close();
    }
    expect(compactions).toBeGreaterThanOrEqual(rounds);
    const findings = (await doctor(data)).flatMap((health) => health.findings);
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  },
);
