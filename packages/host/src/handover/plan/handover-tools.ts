import type { JsonObject } from "@galley/engine";
import type * as z from "zod";
import { dataResult } from "../../tools/define-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { askExpert, askInTask, delegateAsync, launchPrincipal } from "./delegate.ts";
import { type TaskCaller, forkInTask, forkJoin } from "./fork-join.ts";
import type { Caller } from "../options/caller.ts";
import { type Handover, type HandoverOptions, openHandover } from "../options/handover-options.ts";
import { join } from "./join.ts";
import { readResult } from "./results.ts";
import {
  askExpertSchema,
  awaitResultSchema,
  delegateAsyncSchema,
  forkJoinSchema,
  joinSchema,
  launchPrincipalSchema,
} from "../options/tool-arguments.ts";

/** Who calls. The place that serves a tool knows it; it never comes from the arguments [A4]. */
export type CallerOf = (context: ToolContext) => Caller;

/** Gives nothing when the task in which it is called is parked until there is a result [T1]. */
type Run = (args: unknown, caller: Caller, handover: Handover) => Promise<JsonObject | undefined>;

/** The tools with which an agent hands work and context to others [H4]. */
export function handoverTools(options: HandoverOptions, callerOf: CallerOf): readonly Tool[] {
  const handover = openHandover(options);
  const tool = toolMaker(handover, callerOf);
  return [
    tool(
      "delegate_async",
      delegateAsyncSchema,
      delegateAsync,
      "Hands a task to another agent and goes on without waiting. The agent sees the instruction and the box you pass, nothing else.",
    ),
    tool(
      "fork_join",
      forkJoinSchema(handover.limits.maxTasksPerFork),
      fork,
      "Hands several tasks to other agents at once and gives their results together, in the order of the tasks.",
    ),
    tool(
      "launch_principal",
      launchPrincipalSchema,
      launchPrincipal,
      "Starts a new agent of a profile with an instruction.",
    ),
    tool(
      "ask_expert",
      askExpertSchema,
      ask,
      "Asks an agent of another profile a question; it can be shown what you have said and done so far.",
    ),
    tool(
      "join",
      joinSchema,
      join,
      "Packs the outputs of a fork into one box that fits a number of tokens, to be passed on; says what it left out.",
    ),
  ];
}

export const awaitResult = "await_result";

/** For those that cannot wait in the call until what they have started is done. */
export function awaitResultTool(options: HandoverOptions, callerOf: CallerOf): Tool {
  return toolMaker(openHandover(options), callerOf)(
    awaitResult,
    awaitResultSchema,
    readResult,
    "Gives the answer of what you have handed over, by its task_id or batch_id. Waits for it for up to 50 seconds; while it says running, call it again.",
  );
}

const fork = parking(forkJoin, forkInTask);
const ask = parking(askExpert, askInTask);

/** A task that can be called again with the same id gives its worker back while it waits [H7]. */
function parking(run: Run, runInTask: (args: unknown, caller: TaskCaller, handover: Handover) => ReturnType<Run>): Run {
  return (args, caller, handover) => {
    const { hold, callId } = caller;
    return hold === undefined || callId === undefined
      ? run(args, caller, handover)
      : runInTask(args, { ...caller, hold, callId }, handover);
  };
}

function toolMaker(handover: Handover, callerOf: CallerOf) {
  return (name: string, inputSchema: z.ZodType, run: Run, description: string): Tool => ({
    name,
    description,
    inputSchema,
    isRepeatable: true,
    rpcMethod: `handover.${name}`,
    async execute(input, context) {
      const given = await run(input, callerOf(context), handover);
      return given === undefined ? { kind: "parked" } : dataResult(given);
    },
  });
}
