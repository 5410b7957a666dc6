import type { JsonObject, ToolSpec } from "@galley/engine";
import type * as z from "zod";
import { specOf } from "../../tools/tool-specs.ts";
import type { Tool } from "../../tools/tool.ts";
import { askExpert, delegateAsync, launchPrincipal } from "./delegate.ts";
import { forkJoin } from "./fork-join.ts";
import type { Caller } from "../options/caller.ts";
import { type Handover, type HandoverOptions, openHandover } from "../options/handover-options.ts";
import { join } from "./join.ts";
import { readResult } from "./read-result.ts";
import {
  askExpertSchema,
  awaitResultSchema,
  delegateAsyncSchema,
  forkJoinSchema,
  joinSchema,
  launchPrincipalSchema,
} from "../options/tool-arguments.ts";

/** A tool of handover before a place makes it one of its own. Who calls comes from there, never from the arguments. */
export interface HandoverTool extends Omit<Tool, "execute"> {
  /** Validates the arguments itself, so that every mount refuses the same things with the same paths. */
  readonly execute: (args: unknown, caller: Caller) => Promise<JsonObject>;
}

type Run = (args: unknown, caller: Caller, handover: Handover) => Promise<JsonObject>;

/** The tools with which an agent hands work and context to others [H4]. */
export function handoverTools(options: HandoverOptions): readonly HandoverTool[] {
  const handover = openHandover(options);
  const tool = toolMaker(handover);
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
      forkJoin,
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
      askExpert,
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
export function awaitResultTool(options: HandoverOptions): HandoverTool {
  return toolMaker(openHandover(options))(
    awaitResult,
    awaitResultSchema,
    readResult,
    "Gives the answer of what you have handed over, by its task_id or batch_id. Waits for it for up to 50 seconds; while it says running, call it again.",
  );
}

function toolMaker(
  handover: Handover,
): (name: string, inputSchema: z.ZodType, run: Run, description: string) => HandoverTool {
  return (name, inputSchema, run, description) => ({
    name,
    description,
    inputSchema,
    rpcMethod: `handover.${name}`,
    execute: (args, caller) => run(args, caller, handover),
  });
}

/** The tools as a model is told of them. */
export function specsOf(tools: readonly HandoverTool[]): ToolSpec[] {
  return tools.map(specOf);
}
