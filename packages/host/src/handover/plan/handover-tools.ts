import type { JsonObject } from "@galley/engine";
import type * as z from "zod";
import { dataResult } from "../../tools/define-tool.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { askExpert, askInTask, delegateAsync, launchPrincipal } from "./delegate.ts";
import { forkInTask, forkJoin } from "./fork-join.ts";
import type { Caller, TaskCaller } from "../options/caller.ts";
import { type Handover, type HandoverOptions, openHandover } from "../options/handover-options.ts";
import { join } from "./join.ts";
import { handoverToolFacts } from "./tool-facts.ts";
import { awaitInTask, readResult } from "./results.ts";
import {
  askExpertSchema,
  askWithoutHistorySchema,
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

interface HandoverPlace {
  /** Galley knows what was said there [A3]. */
  readonly hasHistory?: boolean;
  /** Results come back there by themselves [A1]; elsewhere they are asked for. */
  readonly hasInbox?: boolean;
}

/** The tools with which an agent hands work and context to others [H4]. */
export function handoverTools(
  options: HandoverOptions,
  callerOf: CallerOf,
  { hasHistory = true, hasInbox = true }: HandoverPlace = {},
): readonly Tool[] {
  const handover = openHandover(options);
  const tool = toolMaker(handover, callerOf);
  return [
    tool(
      "delegate_async",
      delegateAsyncSchema,
      delegateAsync,
      `Hands a task to another agent without waiting; ${hasInbox ? "the result comes later" : `${awaitResult} gives the result`}. It sees only the instruction and the box.`,
    ),
    tool(
      "fork_join",
      forkJoinSchema(handover.limits.maxTasksPerFork),
      fork,
      "Hands tasks to agents at once and gives their results in order.",
    ),
    tool("launch_principal", launchPrincipalSchema, launchPrincipal, "Starts a new agent of a profile."),
    tool(
      "ask_expert",
      hasHistory ? askExpertSchema : askWithoutHistorySchema,
      ask,
      "Asks an agent of a profile and gives its answer.",
    ),
    tool("join", joinSchema, join, "Packs the outputs of a fork into one box to pass on."),
    tool(
      awaitResult,
      awaitResultSchema,
      awaiting,
      "Waits for what you handed over; call it again while it says running.",
    ),
  ];
}

export const awaitResult = "await_result";

const fork = parking(forkJoin, forkInTask);
const ask = parking(askExpert, askInTask);
const awaiting = parking(readResult, awaitInTask);

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
    ...handoverToolFacts.get(name),
    isRepeatable: true,
    rpcMethod: `handover.${name}`,
    async execute(input, context) {
      const given = await run(input, callerOf(context), handover);
      return given === undefined ? { kind: "parked" } : dataResult(given);
    },
  });
}
