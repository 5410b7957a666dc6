import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import { dataFolder, open, say } from "../src/chat/testing/temp-chat.ts";
import { doctor } from "../src/chat/doctor/doctor.ts";
import { judge } from "./chat-verdict.ts";

const scenario = fileURLToPath(new URL("crash-scenario.ts", import.meta.url));
/** A few points of the scenario, or with `npm run test:faults` every one. */

function runUntil(change: number): { folder: string; lines: string[]; signal: string | null } {
  const folder = dataFolder();
  const { stdout, stderr, signal } = spawnSync(process.execPath, [scenario, folder], {
    encoding: "utf8",
    env: { ...process.env, GALLEY_CRASH_AT: String(change) },
  });
  expect(stderr).toBe("");
  return { folder, lines: stdout.split("\n").filter((line) => line !== ""), signal };
}

test(
  "[W10, A10] killed at any single change of the disk, a chat is whole and goes on",
  { timeout: isThorough ? 600_000 : 120_000 },
  async ({ task }) => {
    const whole = runUntil(0);
    const total = Number(whole.lines.at(-1)?.split(" ")[1]);
    expect(total).toBeGreaterThan(60);
    const stride = isThorough ? 1 : Math.ceil(total / 6);
    claimFault(task, {
      area: "processes that are killed",
      fault:
        "kill -9 at each single change of the disk while a chat is written to, switched and archived; writes are cut in half",
      holds: "the chat is whole, goes on, and makes no archive twice",
      rounds: Math.ceil(total / stride),
    });
    for (let change = 1; change <= total; change += stride) {
      const { folder, lines, signal } = runUntil(change);
      expect([change, signal]).toEqual([change, "SIGKILL"]);
      const chat = await open(folder, "faults");
      await say(chat, ["z1-1 after the crash", "z1-2 it goes on"]);
      const { archived } = await chat.newContext();
      expect([change, judge(chat.folder, [...lines, `s ${archived?.contextId}`])]).toEqual([
        change,
        { lost: [], damaged: [], disordered: [] },
      ]);
      // At most one archive more than was acknowledged: none is made twice, and a topic has one [A10].
      const made = new Set([...lines.filter((line) => line.startsWith("s ")), `s ${archived?.contextId}`]).size;
      const { contexts, problems } = await chat.listContexts();
      expect([problems, contexts.length - made <= 1]).toEqual([[], true]);
      for (const { contextId } of contexts) {
        const said = chat.readContext(contextId).messages.map(({ content }) => content);
        expect([change, new Set(said).size]).toEqual([change, said.length]);
      }
      await chat.close();
      const [health] = await doctor(folder);
      expect(health?.findings.filter(({ kind }) => kind !== "aside")).toEqual([]);
    }
  },
);
