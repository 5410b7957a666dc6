// A worker in a process of its own, to be killed at any moment: an agent of depth 0 forks into as many tasks as its
// instruction says, and its children say half of their answer before the whole of it.
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelMessage } from "@galley/engine";
import { openStore } from "../src/store/open-store.ts";
import { handoverTools } from "../src/handover/plan/handover-tools.ts";
import { serveCalls } from "../src/handover/work/serve-calls.ts";
import type { RunTask } from "../src/handover/work/task-attempt.ts";
import { startWorker } from "../src/handover/work/worker.ts";

const [kind = "", place = "", name = ""] = process.argv.slice(2);
const store = await openStore(kind === "postgres" ? { postgres: place } : { data: place });
const limits = { maxTasksPerFork: 1000, maxFailures: 1000 };
const tools = handoverTools({ store, limits });

const said = (content: string): ModelMessage => ({ role: "assistant", content });

const runTask: RunTask = async (run) => {
  const last = run.build.messages.at(-1);
  if (run.task.depth > 0) {
    const isHalf = last?.role === "assistant" && last.content === "half";
    if (!isHalf) await run.record([said("half")]);
    await sleep(20);
    return { status: "done", messages: [said(`child ${run.task.taskIndex}`)] };
  }
  const hasAsked = last?.role !== "user";
  const tasks = Array.from({ length: Number(last?.content) || 0 }, (_, index) => ({
    target_strategy: "new",
    target_ref: "writer",
    instruction: `Task ${index}`,
  }));
  const call = { type: "tool-call" as const, toolCallId: "fork", toolName: "fork_join", input: { tasks } };
  const asked = hasAsked ? run : await run.record([{ role: "assistant", content: [call] }]);
  const served = await serveCalls(asked, tools);
  if (!served) return { status: "suspended" };
  const result = served.build.messages.at(-1);
  const part = typeof result?.content === "string" ? undefined : result?.content[0];
  const value = part?.type === "tool-result" && part.output.type === "json" ? part.output.value : "no result";
  return { status: "done", messages: [said("joined")], result: value };
};

await startWorker({
  store,
  limits,
  runTask,
  name,
  concurrency: 4,
  leaseMs: 1500,
  retryDelay: () => 10,
  context: {
    config: { maxInputTokens: 1_000_000 },
    // By length: a vocabulary would take longer to load than most of these processes live.
    tokenizer: { id: "length", exactness: "estimated", count: (text) => Math.ceil(text.length / 4) },
  },
});
// A process that is killed would leave nothing for the next one.
flushCompileCache();
process.stdout.write("ready\n");
