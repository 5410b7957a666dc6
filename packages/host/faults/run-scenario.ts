// Runs that are cut short, as `kill -9` does, at one of their changes of disk and store in turn. Says what was acknowledged, and
// at the end how many changes it took.
import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { changesMade, countChange } from "../testing/crash-at.ts";
import { defineTool } from "../src/tools/define-tool.ts";
import type { Tool } from "../src/tools/tool.ts";

const { openGalley } = await import("../src/galley/open-galley.ts");

/** Not one that can be called twice: every call leaves a line behind. */
export function countTool(data: string): Tool {
  return defineTool({
    name: "count",
    description: "Counts.",
    inputSchema: { type: "object" },
    execute: () => {
      appendFileSync(join(data, "count.txt"), "x");
      return { counted: true };
    },
  });
}

export const inputs = ["hello", "call count {}\nnew topic: cheese", "and now?", "back to: hello"] as const;

async function scenario(data: string): Promise<void> {
  const galley = await openGalley({ data, config: false, environment: {}, tools: [countTool(data)] });
  const { runs, builds } = galley.store;
  // Calls of the store are counted before and after.
  for (const [object, names] of [
    [runs, ["start", "save", "finish"]],
    [builds, ["record", "noteSent", "noteUsage"]],
  ] as const) {
    const target = object as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    for (const name of names) {
      const original = target[name]?.bind(object);
      target[name] = async (...args) => {
        countChange();
        const result = await original?.(...args);
        countChange();
        return result;
      };
    }
  }
  for (const [index, input] of inputs.entries()) {
    await galley.run({ chat: "demo", input, runId: `run-${index}` }).result;
    writeSync(1, `a run-${index}\n`);
  }
  await galley.regenerate("demo", { runId: "again" }).result;
  writeSync(1, "a again\n");
  await galley.close();
  writeSync(1, `done ${changesMade()}\n`);
}

const [, script, data] = process.argv;
if (script?.endsWith("run-scenario.ts") && data !== undefined) await scenario(data);
