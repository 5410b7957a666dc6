import { tokenSources } from "@galley/engine/proof";
import * as z from "zod";
import { settingInForceSchema, contextSettingsSchema } from "./context-settings.ts";
import type { RunEvent } from "./run-event.ts";
import { modelOptionsSchema } from "./model-options.ts";
import { get, post } from "./route.ts";
import {
  buildStats,
  jsonObject,
  builtCall,
  modelMessage,
  ok,
  preset,
  problem,
  sessionEntry,
  time,
  toolSpec,
  userMessage,
} from "./shapes.ts";

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
  context: contextSettingsSchema.optional(),
  budget: z.number().int().min(1).optional().meta({ description: "Short for context.maxInputTokens." }),
  system: z.string().optional().meta({ description: "Short for context.systemPrompt." }),
  variables: z.record(z.string(), z.string()).optional().meta({ description: "Short for context.variables." }),
  modelOptions: modelOptionsSchema.optional(),
  limits: z
    .strictObject({
      maxCalls: z.number().int().min(1).max(1000).optional(),
      maxToolCallsPerReply: z.number().int().min(1).max(1000).optional(),
      maxMilliseconds: z.number().int().min(1).max(86_400_000).optional(),
    })
    .optional(),
});
const runRequest = request.extend({
  runId: z.string().min(1).max(100).optional().meta({ description: "Sent twice, it runs once." }),
});
const runParams = z.object({ id: z.string().min(1).max(100) });
const chatParams = z.object({ key: place.chat.unwrap() });
const status = z.enum(["running", "finished", "failed", "aborted"]);

const tokens = z.number().int().min(0).optional();
const usage = z
  .looseObject({ inputTokens: z.number().int().min(0), outputTokens: tokens, cachedInputTokens: tokens })
  .optional()
  .meta({ description: "What the provider counted; the AI SDK's usage as it is." });

const turnCall = z.object({
  session: z.string(),
  n: z.number(),
  turn: z.number(),
  callOfTurn: z.number(),
  ...builtCall,
});

const room = z.object({ window: z.number(), reserve: z.number(), isGuess: z.boolean() });

const runStatus = z.object({
  runId: z.string(),
  chat: z.string().optional(),
  agent: z.string().optional(),
  session: z.string(),
  model: z.string(),
  status,
  startedAt: time,
  finishedAt: time.nullable(),
  calls: z.array(z.number()),
  reply: modelMessage.optional(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }).optional(),
});

const runEvent = z.looseObject({ type: z.string() }).meta({
  title: "RunEvent",
  description: "What happens in a run, as it happens; its type tells which.",
}) as unknown as z.ZodType<RunEvent>;

const contextFill = z.object({
  session: z.string(),
  model: z.string(),
  budget: z.number(),
  target: z.number().meta({ description: "What a cut goes down to." }),
  stats: buildStats,
  digest: z.string(),
  bySource: z.record(z.enum(tokenSources), z.number()),
  tools: z.array(
    z.object({
      name: z.string(),
      tokens: z.number(),
      group: z
        .enum(["chat", "handover", "recall", "pins", "canvas"])
        .optional()
        .meta({ description: "Of Galley's own, which `ownTools` switches; absent for what others bring." }),
      isOffered: z.boolean(),
    }),
  ),
  cachedPrefix: z.number().meta({ description: "Tokens in front that are the same as in the call before." }),
  compacted: z.boolean().meta({ description: "Whether the next call would cut." }),
  isSummaryElsewhere: z.boolean().meta({
    description: "A model or somebody's function would write the summary; here an extract stands for it.",
  }),
  settings: z.array(settingInForceSchema),
  problems: z.array(problem),
});

export const runRoutes = {
  "runs.start": post(
    "/runs",
    "Runs a turn: the model, its tools, the reply. Answers with events as they come; a run outlives its reader.",
    { body: runRequest, reply: runEvent, stream: true },
  ),
  "runs.regenerate": post(
    "/chats/{key}/regenerate",
    "Regenerates the reply to the last message of the user; the reply before stays in the transcript, as a branch.",
    {
      params: chatParams,
      body: runRequest.omit({ chat: true, agent: true, session: true, input: true }),
      reply: runEvent,
      stream: true,
    },
  ),
  "runs.edit": post(
    "/chats/{key}/edit",
    "Says a message of the user differently and answers it; what followed it stays in the transcript, as a branch.",
    {
      params: chatParams,
      body: runRequest
        .omit({ chat: true, agent: true, session: true })
        .extend({ messageId: z.string().min(1).max(100) }),
      reply: runEvent,
      stream: true,
    },
  ),
  "runs.list": get("/runs", "Runs, newest first.", {
    query: z.object({
      chat: place.chat,
      status: status.optional(),
      limit: z.coerce.number().int().min(1).max(1000).optional(),
    }),
    reply: z.object({ runs: z.array(runStatus) }),
  }),
  "runs.get": get("/runs/{id}", "The status of a run.", { params: runParams, reply: runStatus }),
  "runs.events": get("/runs/{id}/events", "The events of a run from its beginning, and on as they come.", {
    params: runParams,
    reply: runEvent,
    stream: true,
  }),
  "runs.abort": post("/runs/{id}/abort", "Stops a run; the user's message stays in the transcript.", {
    params: runParams,
    reply: ok,
  }),
  "turns.preview": get(
    "/preview",
    "What the next call of a chat, session or agent would be made of, by the same account; a page builds it itself.",
    {
      query: z.object({
        ...place,
        model: z.string().min(1).max(200).optional(),
        preset: z.string().min(1).max(200).optional(),
        budget: z.coerce.number().int().min(1).optional(),
      }),
      reply: z.object({
        session: z.string(),
        model: z.string(),
        preset: z.string().optional(),
        tokenizer: z.string(),
        config: z.object({
          maxInputTokens: z.number(),
          maxHistoryMessages: z.number().optional(),
          targetRatio: z.number().optional(),
          recall: z.boolean().optional(),
        }),
        room,
        entries: z.array(sessionEntry),
        tools: z.array(toolSpec),
        input: z.object({
          now: z.string().optional(),
          systemPrompt: z.string().optional(),
          userProfile: z.string().optional(),
          variables: z.record(z.string(), z.string()).optional(),
          runtimeHints: jsonObject.optional(),
          runtimeInitData: jsonObject.optional(),
        }),
        settings: z.array(settingInForceSchema),
        problems: z.array(problem),
      }),
    },
  ),
  "turns.look": post(
    "/preview",
    "What the next call of a place would read, built by the daemon as the call itself would be. Nothing is kept.",
    {
      body: request.partial({ input: true }).extend({ now: z.number().optional() }),
      reply: z.object({
        session: z.string(),
        model: z.string(),
        preset: z.string().optional(),
        room,
        settings: z.array(settingInForceSchema),
        budget: z.number(),
        ...builtCall,
        entriesToAppend: z.array(sessionEntry),
        compacted: z.boolean(),
      }),
    },
  ),
  "turns.fill": post(
    "/preview/fill",
    "How full the window of the next call of a place would be, and of what. Nothing is kept, and no model is asked.",
    {
      body: request
        .pick({ chat: true, agent: true, session: true, model: true })
        .extend({ context: jsonObject.optional().meta({ description: "Settings to try out." }) }),
      reply: z.object({
        fill: contextFill.optional(),
        failure: problem.optional().meta({ description: "Why the next call cannot be built." }),
      }),
    },
  ),
  "turns.build": post(
    "/turns",
    "Builds what a model would read, for those who call it themselves; finish with commit or abort.",
    {
      body: request,
      reply: turnCall.extend({ id: z.string(), modelOptions: modelOptionsSchema.optional() }),
    },
  ),
  "turns.next": post(
    "/turns/{id}/next",
    "Builds the next call of the turn from all steps so far; `usage` is of the call before it.",
    { params: runParams, body: z.strictObject({ steps: z.array(modelMessage), usage }), reply: turnCall },
  ),
  "turns.call": post("/turns/{id}/call", "Runs one of the turn's tools. The same call again gives the same result.", {
    params: runParams,
    body: z.strictObject({ toolCallId: z.string(), toolName: z.string(), input: z.json().optional() }),
    reply: z.looseObject({
      type: z.literal("tool-result"),
      toolCallId: z.string(),
      toolName: z.string(),
      output: z.looseObject({ type: z.string() }),
    }),
  }),
  "turns.overflow": post(
    "/turns/{id}/overflow",
    "Builds the call again, smaller, after a provider has called it too long; `message` is what the provider said.",
    { params: runParams, body: z.strictObject({ message: z.string().max(100_000).optional() }), reply: turnCall },
  ),
  "turns.commit": post(
    "/turns/{id}/commit",
    "Keeps the reply of a turn: transcript, active context and session. The same commit again answers the same, for 24 hours.",
    {
      params: runParams,
      body: z.strictObject({
        assistant: z.string().or(modelMessage),
        steps: z.array(modelMessage).optional(),
        usage,
        onConflict: z.enum(["fail", "append"]).optional().meta({
          description: "What to do when a message or a switch came meanwhile; `SessionConflict` if absent.",
        }),
      }),
      reply: ok,
    },
  ),
  "turns.abort": post("/turns/{id}/abort", "Ends a turn without a reply.", { params: runParams, reply: ok }),
} as const;
