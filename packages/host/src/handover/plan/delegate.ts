import type { JsonObject } from "@galley/engine";
import type { Caller, TaskCaller } from "../options/caller.ts";
import type { Handover } from "../options/handover-options.ts";
import { forkInTask } from "./fork-join.ts";
import { planTask, startOnce } from "./plan-task.ts";
import { packHistory } from "../pack/pack-history.ts";
import { badRequest, parseRequest, withNames } from "../options/request-errors.ts";
import { type Delegated, answerOf, delegated } from "./results.ts";
import {
  type DelegateRequest,
  askExpertSchema,
  delegateAsyncSchema,
  launchPrincipalSchema,
} from "../options/tool-arguments.ts";

/** `delegate_async`: hands a task to another agent and goes on [H4]. */
export async function delegateAsync(args: unknown, caller: Caller, handover: Handover): Promise<Delegated> {
  return delegate("delegate_async", parseRequest(delegateAsyncSchema, args, "args"), caller, handover);
}

/** `launch_principal`: a new agent of a profile, by way of `delegate_async`. */
export async function launchPrincipal(args: unknown, caller: Caller, handover: Handover): Promise<Delegated> {
  const { profile_name, ...rest } = parseRequest(launchPrincipalSchema, args, "args");
  const request: DelegateRequest = { target_strategy: "new", target_ref: profile_name, ...rest };
  return withNames({ target_ref: "profile_name" }, () => delegate("launch_principal", request, caller, handover));
}

/** `ask_expert`: a question to a profile, by way of `delegate_async`; with the asker's own output when it says so. */
export async function askExpert(args: unknown, caller: Caller, handover: Handover): Promise<Delegated> {
  const request = await expertRequest(args, caller, handover);
  return withNames(expertNames, () => delegate("ask_expert", request, caller, handover));
}

/** `ask_expert` in a running task: a fork of one, for which the task is parked; its answer comes with the same call [A2]. */
export async function askInTask(
  args: unknown,
  caller: TaskCaller,
  handover: Handover,
): Promise<JsonObject | undefined> {
  const { deadline_seconds, ...task } = await expertRequest(args, caller, handover);
  const fork = { tasks: [task], deadline_seconds };
  const ended = await withNames(namesInFork, () => forkInTask(fork, caller, handover, "ask_expert"));
  const id = ended?.results[0]?.task_id;
  if (id === undefined) return undefined;
  const [answered] = await handover.store.tasks.read(caller.projectId, [id]);
  return answered && { ...delegated(answered), ...answerOf(answered) };
}

const expertNames = { target_ref: "profile_name", instruction: "question", context_box_id: "include_history" };
const namesInFork = Object.fromEntries(Object.entries(expertNames).map(([to, from]) => [`tasks.0.${to}`, from]));

async function expertRequest(args: unknown, caller: Caller, handover: Handover): Promise<DelegateRequest> {
  const { profile_name, question, include_history, ...rest } = parseRequest(askExpertSchema, args, "args");
  return {
    target_strategy: "new",
    target_ref: profile_name,
    instruction: question,
    context_box_id: include_history ? await historyOf(caller, handover, profile_name) : undefined,
    ...rest,
  };
}

/** A box with what was said in the caller's place; that of an agent's output where only the command of a worker asks. */
async function historyOf(caller: Caller, handover: Handover, profileName: string): Promise<string> {
  const { projectId, id } = caller;
  if (caller.history) return packHistory(caller, await caller.history(), handover, profileName);
  const [agent] = await handover.store.tasks.readAgents(projectId, [id]);
  if (agent) return agent.outputBoxId;
  throw badRequest(
    "args.include_history",
    "Galley does not know what was said here, and has no history to include.",
    "Pass a box to delegate_async instead.",
  );
}

async function delegate(
  tool: string,
  request: DelegateRequest,
  caller: Caller,
  handover: Handover,
): Promise<Delegated> {
  const { deadline_seconds: seconds, ...asked } = request;
  return delegated(await startOnce({ tool, caller, seconds }, handover, (order) => planTask(asked, order, handover)));
}
