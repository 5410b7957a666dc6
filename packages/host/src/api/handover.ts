import * as z from "zod";
import { del, get, post, put } from "./route.ts";
import { buildStats, modelMessage, ok, time } from "./shapes.ts";

const id = z.string().min(1).max(200);
const params = z.object({ id });

const card = z.object({
  id: z.string(),
  type: z.string(),
  origin: z.enum(["packed", "inherited", "pointer", "output"]),
  authorId: z.string().nullable(),
  authorName: z.string().nullable().meta({ description: "The profile of an agent that wrote it." }),
  createdAt: time.nullable(),
  text: z.string().nullable().meta({ description: "null where the card has been deleted." }),
  tokens: z.number(),
});
/** How much a box holds, and where it came from. */
export type BoxSummary = z.infer<typeof boxSummary>;
const boxSummary = z.object({
  boxId: z.string(),
  version: z.number(),
  cards: z.number(),
  tokens: z.number(),
  origins: z.partialRecord(z.enum(["packed", "inherited", "pointer", "output"]), z.number()),
  parents: z.array(z.string()).readonly().meta({ description: "The boxes that it was made from." }),
  deleted: z.number().meta({ description: "Cards that have been deleted since." }),
});

/** A task with what it saw, what it gave, and the tasks that it started. */
export interface TaskTree {
  readonly taskId: string;
  readonly agentId: string;
  readonly profileName: string | null;
  readonly tool: string | null;
  /** Who handed it over: `person`, `chat:KEY`, `session:ID`, `mcp:CLIENT`, `agent:NAME`, or the id of an agent. */
  readonly startedBy: string;
  /** Where its result returns to; null where it stays with the task. */
  readonly place: string | null;
  readonly status: string;
  readonly attempt: number;
  readonly failures: number;
  readonly batchId: string | null;
  readonly taskIndex: number;
  readonly instruction: string;
  /** What it saw when it began: its context, and the earlier output of its agent. */
  readonly context: BoxSummary;
  readonly earlier: BoxSummary;
  /** What it gave. */
  readonly output: BoxSummary;
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly deadline: number | null;
  readonly children: readonly TaskTree[];
}
const taskTree = z
  .looseObject({ taskId: z.string(), status: z.string(), context: boxSummary, earlier: boxSummary, output: boxSummary })
  .meta({ title: "TaskTree", description: "A task with its children." }) as unknown as z.ZodType<TaskTree>;

export const handoverRoutes = {
  "boxes.get": get("/boxes/{id}", "A box as a list of cards with their origin.", {
    params,
    query: z.object({ version: z.coerce.number().int().min(1).optional() }),
    reply: z.object({
      id: z.string(),
      version: z.number(),
      createdAt: time,
      parents: z.array(z.string()),
      cards: z.array(card),
      tokens: z.number(),
      tasks: z
        .array(
          z.object({
            taskId: z.string(),
            profileName: z.string().nullable(),
            instruction: z.string(),
            as: z.enum(["context", "output"]),
          }),
        )
        .meta({ description: "The tasks that read it, or wrote into it, newest first." }),
    }),
  }),
  "tasks.list": get("/tasks", "Tasks that no other task has started, or those of one place, newest first.", {
    query: z.object({
      limit: z.coerce.number().int().min(1).max(500).optional(),
      place: z
        .string()
        .max(1000)
        .optional()
        .meta({ description: "Only what was handed over there: `chat:KEY`, `session:ID`, `agent:NAME`, `task:ID`." }),
    }),
    reply: z.object({
      tasks: z.array(
        z.object({
          taskId: z.string(),
          agentId: z.string(),
          profileName: z.string().nullable(),
          startedBy: z.string().meta({
            description: "`person`, `chat:KEY`, `session:ID`, `mcp:CLIENT`, `agent:NAME`, or the id of an agent.",
          }),
          status: z.string(),
          instruction: z.string(),
          contextBoxId: z.string(),
          outputBoxId: z.string(),
          createdAt: time,
          finishedAt: time.nullable(),
          answer: z.string().nullable().meta({ description: "The beginning of its result, as a text." }),
          error: z.object({ code: z.string(), message: z.string() }).nullable(),
          place: z.string().nullable().meta({ description: "Where it was handed over; null by the person." }),
          turnId: z.string().nullable().meta({ description: "The run or turn in which it was." }),
          callId: z.string().nullable(),
          anchor: z.string().nullable().meta({
            description: "Where that turn is found: the question in a chat, the reply in a session.",
          }),
          returned: z.enum(["waiting", "given", "kept"]).nullable().meta({
            description:
              "Its result waits for the next turn of the place, was given to the model, or stays here because the call is gone.",
          }),
        }),
      ),
    }),
  }),
  "tasks.get": get("/tasks/{id}", "The whole tree of a task, from its root.", { params, reply: taskTree }),
  "tasks.start": post("/tasks", "Gives a task to an agent (a profile), as a person does.", {
    body: z.object({
      profile: z.string().min(1).max(200),
      instruction: z.string().min(1).max(1_000_000),
      boxes: z.array(id).max(100).optional().meta({ description: "Boxes whose cards it inherits." }),
      place: z.string().min(1).max(1000).optional().meta({
        description:
          "`chat:KEY`, `agent:NAME` or a session: it reads what was said there, and its result returns there.",
      }),
      model: z.string().min(1).max(300).optional().meta({ description: "Instead of the model of the profile." }),
    }),
    reply: z.object({ taskId: z.string(), agentId: z.string(), contextBoxId: z.string(), outputBoxId: z.string() }),
  }),
  "tasks.cancel": post("/tasks/{id}/cancel", "Cancels a task and those that it started.", { params, reply: ok }),
  "tasks.build": get(
    "/tasks/{id}/build",
    "What the newest call of this task has read, as it was recorded, with a row for every card; while no call was made, what the first one would read, without a call.",
    {
      params,
      reply: z.looseObject({
        digest: z.string(),
        model: z.string(),
        messages: z.array(modelMessage),
        stats: buildStats,
        call: z.looseObject({ n: z.number(), turn: z.number(), callOfTurn: z.number() }).optional(),
      }),
    },
  ),
  "profiles.list": get("/profiles", "The profiles that tasks can be given to.", {
    reply: z.object({
      profiles: z.array(
        z.object({
          name: z.string(),
          boxId: z.string(),
          text: z.string(),
          model: z.string().optional(),
          preset: z.string().optional(),
          isDeclared: z.boolean().meta({ description: "The configuration declares it: it cannot be saved over." }),
        }),
      ),
    }),
  }),
  "profiles.save": put("/profiles/{name}", "Says who an agent is, which model and which preset its tasks use.", {
    params: z.object({ name: id }),
    body: z.object({
      text: z.string().min(1).max(1_000_000),
      model: z.string().min(1).max(300).optional(),
      preset: z.string().min(1).max(200).optional(),
    }),
    reply: z.object({ name: z.string(), boxId: z.string() }),
  }),
  "profiles.delete": del("/profiles/{name}", "Takes a profile away. Tasks that were given to it keep its text.", {
    params: z.object({ name: id }),
    reply: ok,
  }),
} as const;
