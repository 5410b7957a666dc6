import { tokenSources } from "@galley/engine/proof";
import * as z from "zod";
import { get, post } from "./route.ts";
import { buildStats, ledgerRow, modelMessage, problem, sessionEntry, time, toolSpec } from "./shapes.ts";

const sessionId = z.string().min(1).max(600).meta({ description: "The id of a session; a chat's is chat:<key>." });
const params = z.object({ id: sessionId });
const callParams = z.object({ id: sessionId, n: z.coerce.number().int().min(1) });

const callItem = z.object({
  n: z.number(),
  at: time,
  model: z.string(),
  digest: z.string(),
  inputTokens: z.number(),
  messageCount: z.number(),
  dropped: z.number(),
  bySource: z.record(z.enum(tokenSources), z.number()),
  compacted: z.boolean().meta({ description: "Whether something was summarised or dropped for good in this build." }),
  /** Tokens of the prefix that is the same as in the record before. */
  cachedPrefix: z.number(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedInputTokens: z.number() }).nullable(),
  runId: z.string().nullable(),
});

export const sessionRoutes = {
  "sessions.list": get("/sessions", "Sessions with recorded calls, the one that was used last first.", {
    reply: z.object({
      sessions: z.array(
        z.object({ id: z.string(), calls: z.number(), updatedAt: time, model: z.string(), inputTokens: z.number() }),
      ),
    }),
  }),
  "sessions.get": get("/sessions/{id}", "The calls of a session: one for each call of a model.", {
    params,
    reply: z.object({ id: z.string(), calls: z.array(callItem) }),
  }),
  "sessions.call": get(
    "/sessions/{id}/calls/{n}",
    "One call whole: what was sent, where it came from, and what was not sent and why.",
    {
      params: callParams,
      reply: callItem.extend({
        session: z.string(),
        messages: z.array(modelMessage),
        tools: z.array(toolSpec),
        ledger: z.array(ledgerRow),
        stats: buildStats,
        stablePrefix: z.number(),
        recipe: z.object({ id: z.string(), pattern: z.string(), rule: z.string() }).optional(),
        preset: z.string().optional(),
        budget: z.number(),
        problems: z.array(problem),
        raw: z
          .string()
          .nullable()
          .meta({ description: "The request's bytes as they went out; only the latest are kept." }),
      }),
    },
  ),
  "sessions.entries": get("/sessions/{id}/entries", "The log of a plain session.", {
    params,
    reply: z.object({ entries: z.array(sessionEntry) }),
  }),
  "sessions.import": post(
    "/sessions/{id}/entries",
    "Appends entries to a plain session, e.g. from a log; those that are there already are skipped.",
    {
      params,
      body: z.object({ entries: z.array(sessionEntry).min(1) }),
      largeBody: true,
      reply: z.object({ added: z.number(), tail: z.string().nullable() }),
    },
  ),
} as const;
