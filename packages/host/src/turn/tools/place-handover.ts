import { type JsonObject, type ModelMessage, GalleyError, loadTokenizer, redactSecrets } from "@galley/engine";
import { chatKeyOf } from "../../api/place-id.ts";
import { reservedAgentName } from "../../config/providers/agent-meta.ts";
import { type TaskResult, answerOf, awaitFork, awaitTask } from "../../handover/plan/results.ts";
import { type Caller, startedId } from "../../handover/options/caller.ts";
import { type HandoverOptions, openHandover } from "../../handover/options/handover-options.ts";
import { historyOf, saidIn } from "../../handover/pack/pack-history.ts";
import { type Handler, handlerTools } from "../../handover/plan/handler-tools.ts";
import { type CallerOf, awaitResult, handoverTools } from "../../handover/plan/handover-tools.ts";
import { dataResult } from "../../tools/define-tool.ts";
import { runTool, valueOf } from "../../tools/run-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { Services } from "../services/services.ts";

export type HandoverServices = Pick<
  Services,
  "store" | "project" | "config" | "handover" | "chats" | "redactor" | "limits" | "now" | "prompts"
>;

/**
 * The tools with which the model of a place hands work to others, on behalf of that place and never of the person [A4]. A fork
 * and a question wait for their results within the call; the embedded worker does the work. Agents may come over MCP, so that
 * their calls wait for a while only: what takes longer goes on without them, and is asked for with `await_result`.
 */
export async function placeHandover(
  services: HandoverServices,
  { kind, name }: ToolContext["place"],
): Promise<readonly Tool[]> {
  const { store, project, handover, limits, redactor, config } = services;
  // Without a profile there is no agent to hand anything to, and the tools would only cost tokens.
  const { profiles = [] } = handover.options;
  if (profiles.length === 0 && (await store.cards.listProfiles(project)).length === 0) return [];
  const isAgent = kind === "agent";
  const patience = isAgent ? limits.agentWaitMs : undefined;
  const callerOf: CallerOf = ({ caller, place, anchor, runId, callId, model, history }) => {
    // A program that is called over ACP asks by itself, in the prompt that it is at work on.
    const prompt = isAgent && runId === undefined ? services.prompts.get(place.name) : undefined;
    const turn = { turnId: runId ?? prompt?.turnId, anchor: anchor ?? prompt?.anchor };
    return {
      projectId: project,
      id: redactor.redact(caller),
      ...(runId === undefined ? {} : { runId, callId }),
      origin: { place: `${place.kind}:${place.name}`, callId, ...turn },
      model: redactor.redact(model),
      history: history ?? historyOfAgent(services, place, prompt?.message),
    };
  };
  // A client that Galley does not run has said things that Galley has not heard [A3].
  const isOurs = !isAgent || name !== reservedAgentName;
  const served = [
    ...handoverTools(handover.options, callerOf, { hasHistory: isOurs, hasInbox: isOurs }),
    ...handlerTools(handover.options, config?.handlers ?? [], callerOf),
  ];
  return served.map((tool) => ({
    ...tool,
    isWaiting: waits(tool),
    execute: async (input, context) =>
      dataResult(await handOver(services, tool, input, { context, caller: callerOf(context), patience })),
  }));
}

/** Those that answer when there is an answer. */
const waiting: ReadonlySet<string> = new Set(["fork_join", "ask_expert", awaitResult]);

function waits({ name, isWaiting }: Tool): boolean {
  return isWaiting === true || waiting.has(name);
}

/** The tools of handover as a running task has them: its agent asks, and no worker waits for an answer [T1]. */
export function taskHandover(
  options: HandoverOptions,
  { projectId, id: taskId, agentId, attempt }: Task,
  handlers: readonly Handler[] = [],
): readonly Tool[] {
  const hold = { projectId, taskId, attempt };
  const callerOf: CallerOf = ({ callId, model, history, signal }) => ({
    projectId,
    id: agentId,
    hold,
    callId,
    model,
    history,
    signal,
  });
  // A task that has ended gets nothing more.
  return [...handoverTools(options, callerOf, { hasInbox: false }), ...handlerTools(options, handlers, callerOf)];
}

/** More than any window holds. */
const maxHistoryBytes = 8 * 1024 * 1024;

/** What an agent that runs elsewhere has said: its chat, and the prompt that it is at work on [A3, A6]. */
function historyOfAgent(
  { chats }: HandoverServices,
  { kind, name }: ToolContext["place"],
  prompt: ModelMessage | undefined,
): ToolContext["history"] {
  if (kind !== "agent" || name === reservedAgentName) return undefined;
  return async () => {
    const { entries } = (await chats.open(chatKeyOf({ kind: "agent", name }))).context(
      { maxBytes: maxHistoryBytes },
      {},
    );
    return historyOf([...saidIn(entries), ...(prompt ? [prompt] : [])], await loadTokenizer("o200k_base"));
  };
}

interface HandoverCall {
  readonly context: ToolContext;
  readonly caller: Caller;
  readonly patience: number | undefined;
}

async function handOver(
  services: HandoverServices,
  tool: Tool,
  input: unknown,
  { context, caller, patience }: HandoverCall,
): Promise<JsonObject> {
  const { project: projectId, store, handover, redactor, now } = services;
  const { runId, signal: stop } = context;
  await handover.start();
  const signal = patience === undefined ? stop : AbortSignal.any([AbortSignal.timeout(patience), stop]);
  let given: JsonObject | undefined;
  try {
    const outcome = await runTool(tool, redactSecrets(input, redactor.secrets()), context);
    given = outcome.kind === "result" ? (valueOf(outcome.content) as JsonObject) : {};
    const { task_id: taskId, batch_id: batchId } = given;
    if (tool.name !== awaitResult) handover.watch(tasksOf(given));
    if (!waits(tool)) return given;
    const opened = openHandover(handover.options);
    let ended: JsonObject = given;
    if (typeof batchId === "string") ended = await awaitFork(batchId, { ...caller, signal }, opened);
    else if (typeof taskId === "string")
      ended = { ...given, ...answerOf(await awaitTask(projectId, taskId, opened, signal)) };
    // The call has given them: they do not come once more by themselves [A1].
    const turnId = runId ?? `call:${context.callId}`;
    await store.tasks.markReturned({ projectId, taskIds: tasksOf(ended), turnId, now: now() });
    return ended;
  } catch (error) {
    if (!signal.aborted) throw error;
    // A run that is stopped for good stops what it waits for. A client that has gone, or waits no longer, may come back.
    if (stop.aborted && runId !== undefined) {
      if (isOver(stop.reason)) await cancelStarted(services, startedId(caller));
      throw error;
    }
    if (!given) throw error;
    return { ...given, status: "running", note: noteOf(given) };
  }
}

function tasksOf({ task_id: taskId, results }: JsonObject): readonly string[] {
  if (typeof taskId === "string") return [taskId];
  return Array.isArray(results) ? (results as readonly TaskResult[]).map((result) => result.task_id) : [];
}

/** How to come to the end of what takes longer than a call may wait. */
function noteOf(given: JsonObject): string {
  const id = given["batch_id"] === undefined ? "task_id" : "batch_id";
  return `It goes on by itself. ${awaitResult} with this ${id} waits for it; any other call would start it a second time.`;
}

/** Whether a run ends for good; one that is handed back goes on later, and what it waits for must go on as well. */
function isOver(reason: unknown): boolean {
  return !(reason instanceof GalleyError) || (!reason.retryable && reason.code !== "RunLost");
}

/** Ends what the call has started, which nothing waits for any more: a task, or the tasks of a fork. */
async function cancelStarted({ store, project, now }: HandoverServices, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const forked = await store.tasks.list(project, { batchId: id });
  const single = (await store.tasks.read(project, [id])).filter((task) => task !== undefined);
  for (const task of [...forked, ...single]) {
    const reason = "The run that waited for it was stopped.";
    if (task.finishedAt === null) await store.tasks.cancel({ projectId: project, taskId: task.id, reason, now: now() });
  }
}
