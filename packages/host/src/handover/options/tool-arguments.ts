import * as z from "zod";
import { deadlineSchema } from "./handover-options.ts";

/** What a field of a result can be. */
export const fieldTypes = ["string", "number", "integer", "boolean", "array", "object", "any"] as const;

const name = z.string().trim().min(1, "It must not be empty.");
const instruction = z
  .string()
  .refine((text) => text.trim() !== "", "An instruction must say something.")
  .describe("What the other agent is to do. It sees this, what is inherited, and nothing else.");
const boxId = z
  .union([name, z.int()], "It must be the id of one box.")
  .transform(String)
  .describe("A box whose cards the other agent inherits.");
const resultFields = z
  .array(
    z.union([
      name,
      z.strictObject({
        name,
        type: z.enum(fieldTypes).optional(),
        description: z.string().optional(),
        required: z.boolean().optional(),
      }),
    ]),
  )
  .min(1)
  .describe("The fields of the JSON object that the task must end with; a result without them is refused.");
const agentRefs = z
  .array(name)
  .max(20, "A task is given at most 20 agents.")
  .describe("Ids of agents that it may clone and reuse.");
const deadlineSeconds = deadlineSchema.describe("Time limit in seconds; then it ends with the status timeout.");

const taskFields = {
  target_strategy: z
    .enum(["new", "reuse", "clone"])
    .describe(
      "new: a fresh agent; reuse: an agent that exists; clone: a fresh agent that knows what another has said.",
    ),
  target_ref: name.describe("new: the name of a profile; reuse and clone: the id of an agent."),
  instruction,
  context_box_id: boxId.optional(),
  result_fields: resultFields.optional(),
  agent_refs: agentRefs.optional(),
};

const taskSchema = z.strictObject(taskFields);

export const delegateAsyncSchema = z.strictObject({ ...taskFields, deadline_seconds: deadlineSeconds.optional() });

const forkSchemas = new Map<number, ReturnType<typeof makeForkSchema>>();

/** The same schema for the same limit: what was made of a schema is remembered by the object. */
export function forkJoinSchema(maxTasksPerFork: number) {
  const known = forkSchemas.get(maxTasksPerFork);
  if (known) return known;
  const made = makeForkSchema(maxTasksPerFork);
  forkSchemas.set(maxTasksPerFork, made);
  return made;
}

function makeForkSchema(maxTasksPerFork: number) {
  return z.strictObject({
    tasks: z
      .array(taskSchema)
      .min(1, "A fork needs at least one task.")
      .max(maxTasksPerFork, `A fork has at most ${maxTasksPerFork} tasks.`)
      .describe("Tasks that run side by side."),
    deadline_seconds: deadlineSeconds.optional(),
    fail_fast: z.boolean().optional().describe("The first task that fails cancels the others."),
  });
}

export const launchPrincipalSchema = z.strictObject({
  profile_name: name.describe("The profile of the agent that is launched."),
  instruction,
  agent_refs: agentRefs.optional(),
  deadline_seconds: deadlineSeconds.optional(),
});

export const askExpertSchema = z.strictObject({
  profile_name: name.describe("The profile of the expert."),
  question: z.string().refine((text) => text.trim() !== "", "A question must say something."),
  include_history: z.boolean().optional().describe("The expert also sees what you have said and done so far."),
  result_fields: resultFields.optional(),
  agent_refs: agentRefs.optional(),
  deadline_seconds: deadlineSeconds.optional(),
});

export const joinSchema = z.strictObject({
  batch_id: name.describe("The fork whose outputs are packed."),
  max_tokens: z.int().min(1).optional().describe("The most that the box may hold; the answers come first."),
});

export const awaitResultSchema = z
  .strictObject({
    task_id: name.optional().describe("What delegate_async, launch_principal or ask_expert gave."),
    batch_id: name.optional().describe("What fork_join gave."),
  })
  .refine(
    ({ task_id: taskId, batch_id: batchId }) => (taskId === undefined) !== (batchId === undefined),
    "It takes a task_id or a batch_id, one of the two.",
  );

export type TaskRequest = z.output<typeof taskSchema>;
export type DelegateRequest = z.output<typeof delegateAsyncSchema>;
export type ForkRequest = z.output<ReturnType<typeof forkJoinSchema>>;
