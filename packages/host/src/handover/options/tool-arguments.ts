import * as z from "zod";
import { toldAs, toldBriefly } from "../../tools/tool-specs.ts";
import { deadlineSchema } from "./handover-options.ts";

/** What a field of a result can be. */
export const fieldTypes = ["string", "number", "integer", "boolean", "array", "object", "any"] as const;

const name = z.string().trim().min(1, "It must not be empty.");
const instruction = z.string().refine((text) => text.trim() !== "", "An instruction must say something.");
const boxId = toldAs(z.union([name, z.int()], "It must be the id of one box.").transform(String), { type: "string" });
const resultFields = toldAs(
  z
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
    .min(1),
  { type: "array", items: {} },
);
const agentRefs = z.array(name).max(20, "A task is given at most 20 agents.");

// Every call of a model pays for what it is told [T10]: what a field means is said where it comes first.
const taskFields = {
  target_strategy: z.enum(["new", "reuse", "clone"]),
  target_ref: name,
  instruction,
  context_box_id: boxId.optional(),
  result_fields: resultFields.optional(),
  agent_refs: agentRefs.optional(),
};

const taskSchema = toldAs(z.strictObject(taskFields), {
  type: "object",
  // Gemini refuses objects without properties.
  properties: { target_strategy: { type: "string" }, target_ref: { type: "string" }, instruction: { type: "string" } },
  required: ["target_strategy", "target_ref", "instruction"],
});

export const delegateAsyncSchema = toldBriefly(
  z.strictObject({
    target_strategy: taskFields.target_strategy.describe("clone: a new agent that knows what the other said"),
    target_ref: name.describe("A profile (new) or the id of an agent"),
    instruction,
    context_box_id: taskFields.context_box_id.describe("Box whose cards it inherits"),
    result_fields: taskFields.result_fields.describe("Fields of its JSON result: names or {name, type}"),
    agent_refs: taskFields.agent_refs.describe("Agents it may clone and reuse"),
    deadline_seconds: deadlineSchema.optional(),
  }),
);

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
  return toldBriefly(
    z.strictObject({
      tasks: z
        .array(taskSchema)
        .min(1, "A fork needs at least one task.")
        .max(maxTasksPerFork, `A fork has at most ${maxTasksPerFork} tasks.`)
        .describe(`At most ${maxTasksPerFork}; fields as for delegate_async`),
      deadline_seconds: deadlineSchema.optional(),
      fail_fast: z.boolean().optional(),
    }),
  );
}

export const launchPrincipalSchema = toldBriefly(
  z.strictObject({
    profile_name: name,
    instruction,
    agent_refs: agentRefs.optional(),
    deadline_seconds: deadlineSchema.optional(),
  }),
);

const question = z.string().refine((text) => text.trim() !== "", "A question must say something.");
const includeHistory = z.boolean().optional().describe("It also sees what was said here");
const askFields = {
  result_fields: resultFields.optional(),
  agent_refs: agentRefs.optional(),
  deadline_seconds: deadlineSchema.optional(),
};

export const askExpertSchema = toldBriefly(
  z.strictObject({ profile_name: name, question, include_history: includeHistory, ...askFields }),
);

/** For programs whose history Galley does not know: there is none to include [A3]. */
export const askWithoutHistorySchema = toldBriefly(z.strictObject({ profile_name: name, question, ...askFields }));

export const joinSchema = toldBriefly(z.strictObject({ batch_id: name, max_tokens: z.int().min(1).optional() }));

export const awaitResultSchema = toldBriefly(
  z
    .strictObject({ task_id: name.optional(), batch_id: name.optional() })
    .refine(
      ({ task_id: taskId, batch_id: batchId }) => (taskId === undefined) !== (batchId === undefined),
      "It takes a task_id or a batch_id, one of the two.",
    ),
);

export type TaskRequest = z.output<typeof taskSchema>;
export type DelegateRequest = z.output<typeof delegateAsyncSchema>;
export type ForkRequest = z.output<ReturnType<typeof forkJoinSchema>>;
