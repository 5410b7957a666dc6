import * as z from "zod";
import type { Tool } from "../../tools/tool.ts";

type ToolFacts = Pick<Tool, "title" | "annotations" | "outputSchema">;

const error = z.looseObject({ message: z.string().optional() });
/** A task as its caller knows it: running, or with its answer or error. */
const task = z.looseObject({
  task_id: z.string(),
  agent_id: z.string().optional(),
  status: z.string(),
  context_box_id: z.string().optional(),
  output_box_id: z.string().optional(),
  answer: z.unknown().optional(),
  error: error.optional(),
  note: z.string().optional(),
});
const result = z.looseObject({
  task_index: z.number(),
  task_id: z.string(),
  agent_id: z.string(),
  status: z.string(),
  output_box_id: z.string(),
  result: z.unknown().optional(),
  error: error.optional(),
});
const fork = z.looseObject({
  batch_id: z.string(),
  status: z.string(),
  results: z.array(result),
  note: z.string().optional(),
});
const joined = z.looseObject({ box_id: z.string(), batch_id: z.string(), status: z.string(), tokens: z.number() });
/** By task_id one, by batch_id the other; both have a status. */
const awaited = z.looseObject({ ...task.partial().shape, ...fork.partial().shape, status: z.string() });

/** A task costs money and asks a model, which may use tools of its own. */
const starts = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
const inside = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

/** Of everything that starts a task. */
export const taskFacts = { annotations: starts, outputSchema: task } as const satisfies ToolFacts;

/** What a client is told of the tools of handover beside their descriptions, by name. */
export const handoverToolFacts: ReadonlyMap<string, ToolFacts> = new Map<string, ToolFacts>([
  ["delegate_async", { title: "Hand a task over", ...taskFacts }],
  ["fork_join", { title: "Hand several tasks over", annotations: starts, outputSchema: fork }],
  ["launch_principal", { title: "Start an agent", ...taskFacts }],
  ["ask_expert", { title: "Ask an expert", ...taskFacts }],
  ["join", { title: "Join the outputs of a fork", annotations: inside, outputSchema: joined }],
  [
    "await_result",
    {
      title: "Wait for a result",
      annotations: { readOnlyHint: true, openWorldHint: false },
      outputSchema: awaited,
    },
  ],
]);
