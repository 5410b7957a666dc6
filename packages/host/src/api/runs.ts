import * as z from "zod";
import type { RunEvent } from "./run-event.ts";
import { get, post } from "./route.ts";
import { buildStats, ledgerRow, modelMessage, ok, preset, problem, time, toolSpec, userMessage } from "./shapes.ts";

const place = {
  chat: z.string().min(1).max(500).optional(),
  agent: z.string().min(1).max(64).optional(),
  session: z.string().min(1).max(500).optional(),
};
const request = z.object({
  ...place,
  model: z.string().min(1).max(200).optional(),
  input: z.string().or(userMessage),
  preset: z.string().or(preset).optional(),
  budget: z.number().int().min(1).optional(),
  variables: z.record(z.string(), z.string()).optional(),
});
const runRequest = request.extend({
  runId: z.string().min(1).max(100).optional().meta({ description: "Sent twice, it runs once." }),
  limits: z
    .object({
      maxCalls: z.number().int().min(1).max(1000).optional(),
      maxToolCallsPerReply: z.number().int().min(1).max(1000).optional(),
      maxMilliseconds: z.number().int().min(1).max(86_400_000).optional(),
    })
    .optional(),
});
const runParams = z.object({ id: z.string().min(1).max(100) });

const runStatus = z.object({
  runId: z.string(),
  chat: z.string().optional(),
  agent: z.string().optional(),
  session: z.string(),
  model: z.string(),
  status: z.enum(["running", "finished", "failed", "aborted"]),
  startedAt: time,
  finishedAt: time.nullable(),
  calls: z.array(z.number()),
  reply: modelMessage.optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
});

const runEvent = z
  .looseObject({ type: z.string() })
  .meta({ title: "RunEvent", description: "What happens in a run, as it happens; its type tells which." });

export const runRoutes = {
  "runs.start": post(
    "/runs",
    "Runs a turn: the model, its tools, the reply. Answers with events as they come; a run outlives its reader.",
    { body: runRequest, reply: runEvent as unknown as z.ZodType<RunEvent>, stream: true },
  ),
  "runs.regenerate": post(
    "/chats/{key}/regenerate",
    "Regenerates the reply to the last message of the user; the reply before stays in the transcript, as a branch.",
    {
      params: z.object({ key: place.chat.unwrap() }),
      body: runRequest.omit({ chat: true, agent: true, session: true, input: true }),
      reply: runEvent as unknown as z.ZodType<RunEvent>,
      stream: true,
    },
  ),
  "runs.edit": post(
    "/chats/{key}/edit",
    "Says a message of the user differently and answers it; what followed it stays in the transcript, as a branch.",
    {
      params: z.object({ key: place.chat.unwrap() }),
      body: runRequest
        .omit({ chat: true, agent: true, session: true })
        .extend({ messageId: z.string().min(1).max(100) }),
      reply: runEvent as unknown as z.ZodType<RunEvent>,
      stream: true,
    },
  ),
  "runs.list": get("/runs", "Runs, newest first.", {
    query: z.object({
      chat: place.chat,
      status: z.enum(["running", "finished", "failed", "aborted"]).optional(),
      limit: z.coerce.number().int().min(1).max(1000).optional(),
    }),
    reply: z.object({ runs: z.array(runStatus) }),
  }),
  "runs.get": get("/runs/{id}", "How a run stands.", { params: runParams, reply: runStatus }),
  "runs.events": get("/runs/{id}/events", "The events of a run from its beginning, and on as they come.", {
    params: runParams,
    reply: runEvent as unknown as z.ZodType<RunEvent>,
    stream: true,
  }),
  "runs.abort": post("/runs/{id}/abort", "Stops a run; the user's message stays in the transcript.", {
    params: runParams,
    reply: ok,
  }),
  "turns.build": post(
    "/turns",
    "Builds what a model would read, for those who call it themselves; finish with commit or abort.",
    {
      body: request,
      reply: z.object({
        turnId: z.string(),
        session: z.string(),
        n: z.number(),
        messages: z.array(modelMessage),
        tools: z.array(toolSpec),
        ledger: z.array(ledgerRow),
        digest: z.string(),
        stats: buildStats,
        stablePrefix: z.number(),
        recipe: z.object({ id: z.string(), pattern: z.string(), rule: z.string() }).optional(),
        problems: z.array(problem),
      }),
    },
  ),
  "turns.commit": post("/turns/{id}/commit", "Keeps the reply of a turn: transcript, active context and session.", {
    params: runParams,
    body: z.object({ assistant: z.string().or(modelMessage), steps: z.array(modelMessage).optional() }),
    reply: ok,
  }),
  "turns.abort": post("/turns/{id}/abort", "Ends a turn without a reply.", { params: runParams, reply: ok }),
} as const;
