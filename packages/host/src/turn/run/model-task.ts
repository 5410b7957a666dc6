import { type AssistantMessage, GalleyError, type JsonObject, type ModelMessage } from "@galley/engine";
import type { ToolResultPart } from "@galley/engine/messages";
import { type TaskBuild, type TaskContext, buildTask } from "../../handover/work/build-task.ts";
import { type HandoverTool, specsOf } from "../../handover/plan/handover-tools.ts";
import { serveCalls } from "../../handover/work/serve-calls.ts";
import type { RunTask, TaskAttempt } from "../../handover/work/task-attempt.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { runTool, valueOf } from "../../tools/run-tool.ts";
import { specOf } from "../../tools/tool-specs.ts";
import type { BuiltCall } from "../call/build-call.ts";
import { type ModelReply, callModel } from "../call/call-model.ts";
import { publicError } from "./execute-run.ts";
import type { Services } from "../services/services.ts";
import { callableModel } from "../call/resolve-model.ts";
import { withNamedCalls } from "../tools/sanitize-tool-names.ts";
import { overflowBudget } from "../call/overflow-budget.ts";
import { recordCall, recordUsage } from "../call/record-call.ts";
import { callsOf, refusedCalls, tooManyCalls } from "../tools/execute-calls.ts";
import { configOf } from "../call/resolve-settings.ts";
import { withUniqueCalls } from "../tools/unique-call-ids.ts";
import { untilAborted } from "../../limits/until-aborted.ts";

const maxCalls = 25;

/** Runs delegated tasks with a model: the loop of a run, over boxes instead of a chat. A fork parks the task [H7]. */
export function modelTask(parts: Services, workerModel: string): RunTask {
  const tools = toolsOf(parts);
  return async (first) => {
    let run: TaskAttempt = first;
    for (let round = 0; round < maxCalls; round += 1) {
      const served = await serveCalls(run, tools);
      if (!served) return { status: "suspended" };
      const reply = await callOnce(parts, served, `${first.task.attempt}/${round}`, workerModel);
      const named = withNamedCalls(parts.redactor.redact(reply.message), served.build.tools);
      const message = withUniqueCalls(named, served.build.messages);
      if (reply.calls.length === 0) return { status: "done", messages: [message] };
      run = await served.record([message, ...refusals(message, reply)]);
    }
    throw new GalleyError("TaskFailed", `The model was called ${maxCalls} times without an answer.`, {
      hint: "Give the task in smaller pieces.",
    });
  };
}

/** So many calls of one reply are served. */
const callsPerReply = 20;

/** Results for the calls that could not be read, or are too many, so that nobody serves them. */
function refusals(message: AssistantMessage, { unreadable }: ModelReply): readonly ModelMessage[] {
  const refused = refusedCalls(message, unreadable);
  const content = callsOf(message).flatMap(({ toolCallId, toolName }, index): ToolResultPart[] => {
    if (index >= callsPerReply)
      return [{ type: "tool-result", toolCallId, toolName, output: tooManyCalls(callsPerReply) }];
    const value = refused[toolCallId];
    if (value === undefined) return [];
    return [{ type: "tool-result", toolCallId, toolName, output: { type: "error-text", value } }];
  });
  return content.length === 0 ? [] : [{ role: "tool", content }];
}

/** How the tasks of the embedded worker are built: for the model of whoever delegated them. */
export function taskContextFor(parts: Services, workerModel: string): (task: Task) => Promise<TaskContext> {
  const own = parts.tools.filter(isServed).map(specOf);
  const tools = [...specsOf(parts.handover.tools), ...own];
  return async (task) => {
    const model = await callableModel(parts, modelOf(task, workerModel));
    return { config: configOf(model, undefined), tokenizer: model.tokenizer, model: model.id, tools };
  };
}

function modelOf({ details }: Task, workerModel: string): string {
  const { model } = details;
  return typeof model === "string" ? model : workerModel;
}

/** A task that is tried again makes its open calls again, so that only tools that bear it are offered there. */
const isServed = ({ isRepeatable }: { readonly isRepeatable?: boolean }): boolean => isRepeatable === true;

function toolsOf(parts: Services): readonly HandoverTool[] {
  const own = parts.tools.filter(isServed);
  return [
    ...parts.handover.tools,
    ...own.map((tool): HandoverTool => ({
      ...tool,
      execute: async (input, { id, hold, callId = "", signal = new AbortController().signal }) => {
        const taskId = hold?.taskId ?? "";
        const place = { kind: "task", name: taskId } as const;
        const work = runTool(tool, input, { caller: id, place, runId: taskId, callId, signal });
        const outcome = await untilAborted(work, signal, parts.limits.toolGraceMs).catch((error: unknown) => {
          signal.throwIfAborted();
          throw toolError(error, parts.redactor.redact);
        });
        const value = parts.redactor.redact(outcome.kind === "result" ? valueOf(outcome.content) : null);
        const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
        return isObject ? (value as JsonObject) : { value };
      },
    })),
  ];
}

/** What a tool threw is for the model to read, as in a chat; only what says that it may pass is for the worker. */
function toolError(error: unknown, redact: <Value>(value: Value) => Value): GalleyError {
  if (error instanceof GalleyError) return publicError(error, redact);
  return new GalleyError("ToolFailed", redact(error instanceof Error ? error.message : String(error)));
}

/** One call, with one recovery from an overflow. */
async function callOnce(parts: Services, run: TaskAttempt, key: string, workerModel: string): Promise<ModelReply> {
  const { task, signal } = run;
  const model = await callableModel(parts, modelOf(task, workerModel));
  const config = configOf(model, undefined);
  const call = async (build: TaskBuild, budget: number, suffix: string): Promise<ModelReply> => {
    const built = builtCall(build, budget);
    const session = { projectId: parts.project, sessionId: `task:${task.id}` };
    const n = await recordCall(parts, built, { session: session.sessionId, key: key + suffix, plan: { model } });
    const { builds } = parts.store;
    const onSent = (body: string): void =>
      void builds.noteSent(session, n, parts.redactor.redact(body)).catch(() => undefined);
    const reply = await callModel({ model, built, signal, onSent });
    await recordUsage(parts, session, n, reply.usage);
    return reply;
  };
  try {
    return await call(run.build, config.maxInputTokens, "");
  } catch (error) {
    if (!(error instanceof GalleyError) || error.code !== "ContextOverflow") throw error;
    const budget = overflowBudget(error.message, run.build.stats.inputTokens);
    const context = await taskContextFor(parts, workerModel)(task);
    const smaller = await buildTask(parts.store, task, { ...context, config: { maxInputTokens: budget } });
    return call(smaller, budget, "/smaller");
  }
}

function builtCall({ messages, tools, stats, ledger, stablePrefix, digest }: TaskBuild, budget: number): BuiltCall {
  const rest = { problems: [], entriesToAppend: [], compacted: false, budget };
  return { messages, tools, stats, ledger, stablePrefix, digest, ...rest };
}
