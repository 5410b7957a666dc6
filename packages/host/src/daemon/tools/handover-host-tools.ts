import { type JsonObject, redactSecrets } from "@galley/engine";
import type { Galley } from "../../galley/galley.ts";
import { answerOf, awaitTask } from "../../handover/plan/await-task.ts";
import { type TaskResult, awaitFork } from "../../handover/plan/fork-join.ts";
import { type Handover, openHandover } from "../../handover/options/handover-options.ts";
import type { HandoverTool } from "../../handover/plan/handover-tools.ts";
import { readResult } from "../../handover/plan/read-result.ts";
import { awaitResultSchema } from "../../handover/options/tool-arguments.ts";
import type { ContextProvider } from "../../config/providers/context-provider.ts";
import type { HostTool } from "./host-tool.ts";
import { hostToolProvider } from "./host-tool-provider.ts";

export interface HandoverHostToolOptions {
  /** How long a call waits for what it has started, in ms. */
  readonly patienceMs?: number;
}

/** Clients of MCP give up after a minute; one that then asks again would have the work done twice. */
const patience = 50_000;

/**
 * The tools of handover for agents and programs that come over MCP and JSON-RPC; the embedded worker does what they hand over.
 * They have no task of ours that could be parked: a fork and a question wait within the call, for a while; what takes longer
 * goes on without them, and is asked for with a tool that only they have. Each may use what it made itself and what came of it
 * [H6], also with the daemon's own token: a tool is called by a model, and never by the person [A4].
 */
export function handoverHostTools(
  { handover, redactor }: Galley,
  onStarted: (taskId: string) => void,
  { patienceMs = patience }: HandoverHostToolOptions = {},
): readonly HostTool[] {
  const { projectId } = handover.person;
  const opened = openHandover(handover.options);
  return [...handover.tools, awaitResultTool(opened)].map((tool) => ({
    ...tool,
    execute: async (input, caller, { signal: gone } = {}) => {
      await handover.start();
      const id = redactor.redact(caller.id);
      const given = await tool.execute(redactSecrets(input, redactor.secrets()), { projectId, id });
      const { task_id: taskId, batch_id: batchId } = given;
      if (tool.name !== awaitResult) for (const started of tasksOf(given)) onStarted(started);
      const signal = AbortSignal.any([AbortSignal.timeout(patienceMs), ...(gone ? [gone] : [])]);
      try {
        if (!waiting.has(tool.name)) return given;
        if (typeof batchId === "string") return await awaitFork(batchId, { projectId, id, signal }, opened);
        if (typeof taskId !== "string") return given;
        return { ...given, ...answerOf(await awaitTask(projectId, taskId, opened, signal)) };
      } catch (error) {
        if (!signal.aborted) throw error;
        return { ...given, status: "running", note: noteOf(given) };
      }
    },
  }));
}

const awaitResult = "await_result";
/** Those that answer when there is an answer. */
const waiting: ReadonlySet<string> = new Set(["fork_join", "ask_expert", awaitResult]);

function awaitResultTool(handover: Handover): HandoverTool {
  return {
    name: awaitResult,
    description:
      "Gives the answer of what you have handed over, by its task_id or batch_id. Waits for it for up to 50 seconds; while it says running, call it again.",
    inputSchema: awaitResultSchema,
    scope: "all",
    rpcMethod: `handover.${awaitResult}`,
    execute: (args, caller) => readResult(args, caller, handover),
  };
}

/** The tasks that a call has started. */
function tasksOf({ task_id: taskId, results }: JsonObject): readonly string[] {
  if (typeof taskId === "string") return [taskId];
  return Array.isArray(results) ? (results as readonly TaskResult[]).map((result) => result.task_id) : [];
}

/** How to come to the end of what takes longer than a call may wait. */
function noteOf(given: JsonObject): string {
  const id = given["batch_id"] === undefined ? "task_id" : "batch_id";
  return `It goes on by itself. ${awaitResult} with this ${id} waits for it; any other call would start it a second time.`;
}

/** Tells agents of them where there is a profile: without one there is nobody to hand anything to. */
export function handoverProvider({ store, handover }: Galley, tools: readonly HostTool[]): ContextProvider {
  const provider = hostToolProvider("handover", tools);
  return {
    name: provider.name,
    getTools: async () => {
      const profiles = await store.cards.listProfiles(handover.person.projectId);
      return profiles.length === 0 ? [] : provider.getTools();
    },
  };
}
