import type { JsonObject, ToolSpec } from "@galley/engine";
import * as z from "zod";
import { askExpert, delegateAsync, launchPrincipal } from "./delegate.ts";
import { forkJoin } from "./fork-join.ts";
import type { Caller } from "../options/caller.ts";
import { type Handover, type HandoverOptions, openHandover } from "../options/handover-options.ts";
import { join } from "./join.ts";
import {
  askExpertSchema,
  delegateAsyncSchema,
  forkJoinSchema,
  joinSchema,
  launchPrincipalSchema,
} from "../options/tool-arguments.ts";

/** A tool as the agent loop, MCP and JSON-RPC mount it. Who calls comes from them, never from the arguments. */
export interface HandoverTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  readonly scope: "all" | "service" | "employee";
  readonly rpcMethod: string;
  /** Validates the arguments itself, so that every mount refuses the same things with the same paths. */
  execute(args: unknown, caller: Caller): Promise<JsonObject>;
}

type Run = (args: unknown, caller: Caller, handover: Handover) => Promise<JsonObject>;

/** The tools with which an agent hands work and context to others [H4]. */
export function handoverTools(options: HandoverOptions): readonly HandoverTool[] {
  const handover = openHandover(options);
  const tool = (name: string, inputSchema: z.ZodType, run: Run, description: string): HandoverTool => ({
    name,
    description,
    inputSchema,
    scope: "all",
    rpcMethod: `handover.${name}`,
    execute: (args, caller) => run(args, caller, handover),
  });
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

/** The tools as a model is told of them. */
export function specsOf(tools: readonly HandoverTool[]): ToolSpec[] {
  return tools.map(({ name, description, inputSchema }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: "input" });
    return { name, description, inputSchema: schema as JsonObject };
  });
}
