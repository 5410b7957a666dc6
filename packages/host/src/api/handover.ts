import * as z from "zod";
import { route } from "./route.ts";
import { ok, time } from "./shapes.ts";

const id = z.string().min(1).max(200);
const params = z.object({ id });

const card = z.object({
  id: z.string(),
  type: z.string(),
  origin: z.enum(["packed", "inherited", "pointer", "output"]),
  authorId: z.string().nullable(),
  createdAt: time.nullable(),
  text: z.string().nullable().meta({ description: "null where the card has been deleted." }),
  tokens: z.number(),
});
const boxSummary = z.object({
  boxId: z.string(),
  version: z.number(),
  cards: z.number(),
  tokens: z.number(),
  origins: z.partialRecord(z.enum(["packed", "inherited", "pointer", "output"]), z.number()),
  parents: z.array(z.string()).readonly(),
  deleted: z.number(),
});

/** A turn of an agent, what it saw and gave, and the turns that it started. */
export interface TurnTree {
  readonly turnId: string;
  readonly agentId: string;
  readonly profileName: string | null;
  readonly tool: string | null;
  readonly startedBy: string;
  readonly status: string;
  readonly attempt: number;
  readonly failures: number;
  readonly instruction: string;
  readonly context: z.infer<typeof boxSummary>;
  readonly earlier: z.infer<typeof boxSummary>;
  readonly output: z.infer<typeof boxSummary>;
  readonly result: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly deadline: number | null;
  readonly children: readonly TurnTree[];
}
const turnTree = z
  .looseObject({ turnId: z.string(), status: z.string(), context: boxSummary, earlier: boxSummary, output: boxSummary })
  .meta({ title: "TurnTree", description: "A turn with its children." }) as unknown as z.ZodType<TurnTree>;

export const handoverRoutes = {
  "boxes.get": route({
    method: "GET",
    path: "/boxes/{id}",
    summary: "A box as a list of cards with their origin.",
    params,
    query: z.object({ version: z.coerce.number().int().min(1).optional() }),
    reply: z.object({
      id: z.string(),
      version: z.number(),
      createdAt: time,
      parents: z.array(z.string()),
      cards: z.array(card),
      tokens: z.number(),
    }),
  }),
  "delegations.list": route({
    method: "GET",
    path: "/delegations",
    summary: "Turns that started a delegation, newest first.",
    query: z.object({ limit: z.coerce.number().int().min(1).max(500).optional() }),
    reply: z.object({
      delegations: z.array(
        z.object({
          turnId: z.string(),
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
        }),
      ),
    }),
  }),
  "delegations.get": route({
    method: "GET",
    path: "/delegations/{id}",
    summary: "The whole tree of a delegation, from its root.",
    params,
    reply: turnTree,
  }),
  "delegations.start": route({
    method: "POST",
    path: "/delegations",
    summary: "Gives a task to an agent (a profile), as a person does.",
    body: z.object({
      profile: z.string().min(1).max(200),
      instruction: z.string().min(1).max(1_000_000),
      boxes: z.array(id).max(100).optional(),
    }),
    reply: z.object({ turnId: z.string(), agentId: z.string(), contextBoxId: z.string(), outputBoxId: z.string() }),
  }),
  "delegations.cancel": route({
    method: "POST",
    path: "/delegations/{id}/cancel",
    summary: "Cancels a turn and those that it started.",
    params,
    reply: ok,
  }),
  "delegations.saw": route({
    method: "GET",
    path: "/delegations/{id}/build",
    summary: "What the model of this turn reads, with a row for every card.",
    params,
    reply: z.looseObject({ digest: z.string() }),
  }),
  "profiles.list": route({
    method: "GET",
    path: "/profiles",
    summary: "The profiles that tasks can be given to.",
    reply: z.object({ profiles: z.array(z.object({ name: z.string(), boxId: z.string() })) }),
  }),
} as const;
