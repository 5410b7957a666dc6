// A worker in a process of its own, to be killed at any moment: an agent of depth 0 forks into as many tasks as its
// instruction says, and its children take a step with a tool before they answer.
import { flushCompileCache } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import type { AssistantMessage, ModelMessage } from "@galley/engine";
import { Redactor } from "../src/secrets/redactor.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Task } from "../src/store/ports/task-store.ts";
import { foreignModel } from "../src/turn/call/resolve-model.ts";
import { bareServices } from "../src/turn/run/execute-task.ts";
import { startWorker } from "../src/turn/run/worker.ts";
import { callsOf } from "../src/turn/tools/execute-calls.ts";
import { defineTool } from "../src/tools/define-tool.ts";
import { taskHandover } from "../src/turn/tools/place-handover.ts";

const [kind = "", place = "", name = ""] = process.argv.slice(2);
const store = await openStore(kind === "postgres" ? { postgres: place } : { data: place });
const limits = { maxTasksPerFork: 1000, maxFailures: 1000 };

const call = (toolName: string, input: object): AssistantMessage => {
  return { role: "assistant", content: [{ type: "tool-call", toolCallId: toolName, toolName, input }] };
};

/** Takes a moment, in which the process may be killed, and does not bear to be called twice. */
const half = defineTool({
  name: "half",
  description: "Half of the work.",
  inputSchema: { type: "object" },
  execute: () => sleep(20, "half"),
});

function answer(messages: readonly ModelMessage[], { depth, taskIndex }: Task): AssistantMessage {
  const last = messages.at(-1);
  const isAsked = last?.role === "user";
  if (depth > 0) return isAsked ? call("half", {}) : { role: "assistant", content: `child ${taskIndex}` };
  const tasks = Array.from({ length: Number(last?.content) || 0 }, (_, index) => ({
    target_strategy: "new",
    target_ref: "writer",
    instruction: `Task ${index}`,
  }));
  if (isAsked) return call("fork_join", { tasks });
  const part = typeof last?.content === "string" ? undefined : last?.content[0];
  const value = part?.type === "tool-result" && part.output.type === "json" ? part.output.value : "no result";
  return { role: "assistant", content: JSON.stringify(value) };
}

const model = {
  ...(await foreignModel("any")),
  // By length: a vocabulary would take longer to load than most of these processes live.
  tokenizer: { id: "length", exactness: "estimated", count: (text: string) => Math.ceil(text.length / 4) } as const,
};
await startWorker({
  store,
  limits,
  name,
  concurrency: 4,
  leaseMs: 1500,
  retryDelay: () => 10,
  setup: {
    services: bareServices(new Redactor()),
    toolsFor: (task) => [...taskHandover({ store, limits }, task), half],
    modelFor: async (task) => ({
      model,
      config: { maxInputTokens: 1_000_000 },
      send: async ({ built }) => {
        const message = answer(built.messages, task);
        return { message, calls: callsOf(message), unreadable: new Map(), finish: "stop" };
      },
    }),
  },
});
// A process that is killed would leave nothing for the next one.
flushCompileCache();
process.stdout.write("ready\n");
