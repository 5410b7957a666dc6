import type { JsonObject } from "@galley/engine";
import { onOneLine } from "../../limits/short-text.ts";
import type { Card, NewBox } from "../../store/ports/card-store.ts";
import type { Agent, NewAgent, NewTask, StartTasks, Task } from "../../store/ports/task-store.ts";
import { type Authority, type UsableAgent, authorityOf } from "../pack/authority.ts";
import { type Caller, isPerson, originOf, startedId } from "../options/caller.ts";
import { type AgentRef, givenDetails } from "../options/given-details.ts";
import type { Handover } from "../options/handover-options.ts";
import {
  type PackRequest,
  type PlannedContext,
  findProfileBox,
  instructionRequest,
  planContext,
} from "../pack/pack-context.ts";
import { readSettings } from "../pack/profiles.ts";
import { badRequest, dotted } from "../options/request-errors.ts";
import type { TaskRequest } from "../options/tool-arguments.ts";

/** How many characters of an instruction stand with its result. */
const maxAsked = 160;

/** The tasks above what is about to be started, from the caller's own up to the root; empty for a root. */
export type Lineage = readonly Task[];

/** One task that has been validated and can be written. */
export interface PlannedTask {
  readonly cards: readonly Card[];
  readonly boxes: readonly NewBox[];
  /** None when an agent is used again. */
  readonly agents: readonly NewAgent[];
  readonly task: NewTask;
}

/** What a task is planned by besides what was asked: who asks, with which tool, and which of its tasks it is. */
export interface TaskOrder {
  readonly caller: Caller;
  readonly lineage: Lineage;
  readonly tool: string;
  /** Of the task in the request: `args`, `args.tasks.3`. */
  readonly path: string;
  readonly taskId: string;
  readonly taskIndex: number;
  readonly deadline: number;
}

/** The tasks above the caller's next ones, and that neither they nor all tasks together are too many [H4]. */
export async function checkedLineage(handover: Handover, caller: Caller, more = 1): Promise<Lineage> {
  const { store, limits } = handover;
  if (!caller.hold) return [];
  const lineage = await store.tasks.lineage(caller.projectId, caller.hold.taskId);
  const [own] = lineage;
  const depth = (own?.depth ?? -1) + 1;
  const hint = "Do the work in this task, or hand the result back to the agent above.";
  if (depth > limits.maxDepth) {
    throw badRequest("args", `This task would be ${depth} deep, and ${limits.maxDepth} is the most.`, hint);
  }
  // Eight tasks, twenty deep, would be more tasks than anybody could pay for.
  const count = own ? await store.tasks.countTree(caller.projectId, own.rootTaskId) : 0;
  if (count + more <= limits.maxTasksPerTree) return lineage;
  throw badRequest("args", `This task has ${count} tasks already, and ${limits.maxTasksPerTree} is the most.`, hint);
}

/** Everything that tasks which were planned together write. */
export function startOf(planned: readonly PlannedTask[], caller: Caller, now: number): StartTasks {
  return {
    projectId: caller.projectId,
    cards: planned.flatMap(({ cards }) => cards),
    boxes: planned.flatMap(({ boxes }) => boxes),
    agents: planned.flatMap(({ agents }) => agents),
    tasks: planned.map(({ task }) => task),
    parent: caller.hold,
    now,
  };
}

/** A task of one call, started once: the same call again gives the task that it has started. */
export async function startOnce(
  { tool, caller, seconds }: Pick<TaskOrder, "tool" | "caller"> & { readonly seconds?: number | undefined },
  handover: Handover,
  plan: (order: TaskOrder) => Promise<PlannedTask>,
): Promise<Task> {
  const { store, limits } = handover;
  const known = startedId(caller);
  const taskId = known ?? handover.newId();
  const [before] = known === undefined ? [] : await store.tasks.read(caller.projectId, [taskId]);
  if (before) return before;
  const lineage = await checkedLineage(handover, caller);
  const now = handover.now();
  const deadline = now + (seconds ?? limits.deadlineSeconds) * 1000;
  const planned = await plan({ caller, lineage, tool, path: "args", taskId, taskIndex: 0, deadline });
  const { tasks } = await store.tasks.start(startOf([planned], caller, now));
  return tasks[0] as Task;
}

/** Validates one task and packs its context. Writes nothing. */
export async function planTask(task: TaskRequest, order: TaskOrder, handover: Handover): Promise<PlannedTask> {
  const { caller, tool, path } = order;
  const authority = authorityOf(handover.store, caller);
  const target = await findTarget(task, order, handover, authority);
  const sources = await readSources(task, target.cloned, authority, path);
  const agentRefs = await readRefs(task, authority, path);
  const request = instructionRequest({
    projectId: caller.projectId,
    toolSuffix: tool,
    sourceAgentId: caller.id,
    profileName: target.profileName,
    instruction: task.instruction,
    inputBoxIds: sources,
    resultFields: task.result_fields,
  });
  const context = await planContext(request, handover, authority);
  const passed = context.passed.filter(({ boxId }) => boxId === task.context_box_id);
  const details = {
    strategy: task.target_strategy,
    asked: onOneLine(task.instruction, maxAsked).toWellFormed(),
    ...givenDetails(passed, agentRefs),
  };
  return plannedTask(context, target, order, details, handover);
}

/** A task of a new agent with a context that was packed after a configuration of its own [A5]. */
export async function planPacked(
  request: Pick<PackRequest, "arguments" | "handover">,
  order: TaskOrder,
  profileName: string,
  handover: Handover,
): Promise<PlannedTask> {
  const { caller, tool } = order;
  const { projectId, id: sourceAgentId } = caller;
  const whole = { ...request, projectId, toolSuffix: tool, sourceAgentId };
  const context = await planContext(whole, handover, authorityOf(handover.store, caller));
  const said = Object.values(request.arguments).map(wordsOf).join(" ");
  const asked = onOneLine(said, maxAsked).toWellFormed();
  const details = { strategy: "new", asked, ...givenDetails(context.passed, []) };
  return plannedTask(context, { profileName }, order, details, handover);
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function plannedTask(
  { packed, cards, box }: PlannedContext,
  target: Target,
  { caller, tool, taskId, taskIndex, deadline }: TaskOrder,
  details: JsonObject,
  handover: Handover,
): Promise<PlannedTask> {
  const started = target.reused ? undefined : newAgent(target, caller, handover, packed.targetProfileBoxId);
  return {
    cards,
    boxes: [box, ...(started ? [started.outputBox] : [])],
    agents: started ? [started.agent] : [],
    task: {
      id: taskId,
      agentId: target.reused?.id ?? started?.agent.id ?? "",
      contextBoxId: packed.contextBoxId,
      taskIndex,
      deadline,
      maxFailures: handover.limits.maxFailures,
      origin: originOf(caller),
      details: {
        tool,
        profileName: target.profileName,
        ...(await modelAndPreset(handover, caller, target, packed.targetProfileBoxId)),
        startedBy: caller.id,
        ...details,
      },
    },
  };
}

/** Which model and preset the task uses: the model that was chosen for it, that of its profile, else the caller's [T15]. */
async function modelAndPreset(
  handover: Handover,
  caller: Caller,
  { reused, cloned }: Target,
  profileBoxId: string,
): Promise<{ readonly model?: string; readonly preset?: string }> {
  const boxId = reused?.profileBoxId ?? cloned?.agent.profileBoxId ?? profileBoxId;
  const profile = await readSettings(handover, caller.projectId, boxId);
  const { preset } = profile;
  const model = caller.chosenModel ?? profile.model ?? caller.model;
  return { ...(model === undefined ? {} : { model }), ...(preset === undefined ? {} : { preset }) };
}

/** The boxes that the task inherits: the one that is passed, and the output of the agent that is cloned. */
async function readSources(
  { context_box_id: passedId }: TaskRequest,
  cloned: UsableAgent | undefined,
  authority: Authority,
  path: string,
): Promise<string[]> {
  const sources: string[] = [];
  if (passedId !== undefined) {
    await authority.read([{ boxId: passedId, path: dotted(path, "context_box_id") }]);
    sources.push(passedId);
  }
  if (cloned) {
    const { agent, output } = cloned;
    // The instruction that a task keeps there is none: the agent has said nothing yet.
    if (!output.items.some(({ origin }) => origin === "output")) {
      throw badRequest(
        dotted(path, "target_ref"),
        `The agent ${JSON.stringify(agent.id)} has no output yet, so that there is nothing to clone.`,
        'Use target_strategy "new" with its profile.',
      );
    }
    sources.push(output.boxId);
  }
  return sources;
}

/** The agents that the task may use, with the version of their output that its giver may read now. */
async function readRefs(
  { agent_refs: ids = [] }: TaskRequest,
  authority: Authority,
  path: string,
): Promise<readonly AgentRef[]> {
  const refs: AgentRef[] = [];
  for (const [index, id] of ids.entries()) {
    const { agent, output } = await authority.useAgent({ id, path: dotted(path, "agent_refs", index) });
    if (refs.every(({ agentId }) => agentId !== id)) refs.push({ agentId: agent.id, version: output.version });
  }
  return refs;
}

interface Target {
  readonly profileName: string;
  readonly reused?: Agent;
  readonly cloned?: UsableAgent;
}

async function findTarget(
  task: TaskRequest,
  order: TaskOrder,
  handover: Handover,
  authority: Authority,
): Promise<Target> {
  const path = dotted(order.path, "target_ref");
  const { target_ref: ref } = task;
  switch (task.target_strategy) {
    case "new":
      await findProfileBox(handover, order.caller.projectId, { name: ref, path });
      return { profileName: ref };
    case "reuse": {
      const isAbove = order.lineage.some((task) => task.agentId === ref) || order.caller.id === ref;
      if (isAbove) {
        throw badRequest(
          path,
          `The agent ${JSON.stringify(ref)} is already at work above this task, and would wait for itself.`,
          'Use target_strategy "new", or give what you have as your result.',
        );
      }
      const { agent } = await authority.useAgent({ id: ref, path });
      return { profileName: profileNameOf(agent, path), reused: agent };
    }
    case "clone": {
      const cloned = await authority.cloneSource({ id: ref, path });
      return { profileName: profileNameOf(cloned.agent, path), cloned };
    }
  }
}

function profileNameOf({ id, details }: Agent, path: string): string {
  const name = details["profileName"];
  if (typeof name === "string") return name;
  throw badRequest(path, `The agent ${JSON.stringify(id)} has no profile.`);
}

function newAgent(
  { profileName, cloned }: Target,
  caller: Caller,
  { newId }: Handover,
  profileBoxId: string,
): { readonly agent: NewAgent; readonly outputBox: NewBox } {
  const id = newId();
  const outputBoxId = newId();
  return {
    agent: {
      id,
      profileBoxId: cloned?.agent.profileBoxId ?? profileBoxId,
      outputBoxId,
      parentAgentId: isPerson(caller) ? null : caller.id,
      details: { profileName, ...(cloned ? { clonedFrom: cloned.agent.id } : {}) },
    },
    outputBox: { id: outputBoxId, items: [] },
  };
}
