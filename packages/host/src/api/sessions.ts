import { tokenSources } from "@galley/engine/proof";
import * as z from "zod";
import {
  contextChanges,
  inForceQuery,
  settingInForceSchema,
  settingsInForceReply,
  contextSettingsSchema,
} from "./context-settings.ts";
import { del, get, patch, post } from "./route.ts";
import { builtCall, modelMessage, ok, removal, sessionEntry, time } from "./shapes.ts";

const sessionId = z.string().min(1).max(600).meta({ description: "The id of a session; a chat's is chat:<key>." });
const params = z.object({ id: sessionId });
const callParams = z.object({ id: sessionId, n: z.coerce.number().int().min(1) });

const callItem = z.object({
  n: z.number(),
  turn: z.number().meta({ description: "The number of its turn in the session." }),
  callOfTurn: z.number().meta({ description: "Its place among the calls of its turn: call 2 of turn 5." }),
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
  usage: z
    .object({
      inputTokens: z.number(),
      outputTokens: z.number(),
      cachedInputTokens: z.number(),
      ms: z.number().optional().meta({ description: "How long the reply took." }),
    })
    .nullable(),
  runId: z.string().nullable(),
  isLogged: z.boolean().meta({
    description: "The log of an agent tells of it: its system text and tools are often not known, and not counted.",
  }),
});

const callNumber = z.number().nullable().meta({ description: "The call to look at; null where none is recorded." });

const tally = z.object({ count: z.number(), tokens: z.number() });
const standingCompaction = z.object({
  id: z.string(),
  ts: z.union([z.string(), z.number()]),
  summary: z.string().optional(),
  summarisedBy: z.string().optional().meta({ description: "An agent or a compactor." }),
  summarised: tally.optional().meta({ description: "All that the summary stands for." }),
  dropped: tally.optional().meta({ description: "All that is sent no more and that no summary stands for." }),
});

const compactionLoss = z.object({
  entryId: z.string(),
  ts: z.union([z.string(), z.number()]),
  by: z.string().optional().meta({ description: "An agent or a compactor; absent where nothing was summarised." }),
  usedAgain: z.number().meta({ description: "Names from before it that replies used again." }),
  survived: z.number().meta({ description: "How many of these the window still showed." }),
  lost: z
    .array(
      z.object({
        name: z.string(),
        stoodIn: z.string().meta({ description: "The entry in which it stood last." }),
        stoodAt: z.number(),
        stoodInCall: callNumber,
        neededBy: z.string().meta({ description: "The first reply that used it again." }),
        neededAt: z.number(),
        neededByCall: callNumber,
        after: z.number().meta({ description: "How many messages after the compaction." }),
        uses: z.number(),
      }),
    )
    .meta({ description: "First those that were missed soonest and most often." }),
});

const retentionShare = z.object({
  used: z.number(),
  present: z.number(),
  reachable: z.number().meta({ description: "Not present, and a handle in the input leads there (context_recall)." }),
  lost: z.number(),
});

const logRetention = z.object({
  budget: z
    .number()
    .nullable()
    .meta({ description: "What Galley would have fitted it into; null for the inputs that the log tells of." }),
  calls: z.number(),
  refused: z.number().meta({ description: "Calls that nothing of this size could have been sent for." }),
  tokens: z.number().meta({ description: "Of all inputs together." }),
  overBudget: z.number(),
  names: retentionShare,
  farNames: retentionShare.meta({ description: "Last mentioned more than half a budget back." }),
  lines: retentionShare,
});

const { problems, ...built } = builtCall;

export const sessionRoutes = {
  "sessions.list": get("/sessions", "Sessions with a log or with recorded calls, the one that was used last first.", {
    reply: z.object({
      sessions: z.array(
        z.object({
          id: z.string(),
          title: z.string().optional().meta({ description: "Of a plain session: its log's, or what was asked first." }),
          entries: z.number().meta({ description: "Of its log; chats and tasks have theirs elsewhere." }),
          calls: z.number(),
          updatedAt: time,
          model: z.string().optional().meta({ description: "Of the last call." }),
          inputTokens: z.number().optional().meta({ description: "Of the last call." }),
        }),
      ),
    }),
  }),
  "sessions.search": get("/search/sessions", "Plain sessions in which something was said, the best first.", {
    query: z.object({ q: z.string().min(1).max(2000), limit: z.coerce.number().int().min(1).max(100).optional() }),
    reply: z.object({
      matches: z.array(
        z.object({
          id: z.string(),
          title: z.string().optional(),
          folder: z.string().optional(),
          updatedAt: time,
          score: z.number().meta({ description: "From 0.01 to 1; below 0.55 some of the query is missing." }),
          snippet: z.string().meta({ description: "The place that was found, as it was written." }),
          entryId: z.string().meta({ description: "The entry that it stands in." }),
        }),
      ),
    }),
  }),
  "sessions.get": get("/sessions/{id}", "The calls of a session: one for each call of a model.", {
    params,
    reply: z.object({
      id: z.string(),
      calls: z.array(callItem),
      context: contextSettingsSchema.optional().meta({ description: "The session's own context settings." }),
    }),
  }),
  "sessions.settings": patch("/sessions/{id}", "Sets the context settings of a plain session or of an agent's.", {
    params,
    body: z.object(contextChanges),
    reply: ok,
  }),
  "sessions.inForce": get(
    "/sessions/{id}/settings",
    "The context settings that the next turn would have, each with where its value came from.",
    { params, query: inForceQuery, reply: settingsInForceReply },
  ),
  "sessions.delete": del(
    "/sessions/{id}",
    "Deletes a session for good: its log, settings, recorded calls and runs; its id is asked for again.",
    { params, query: z.object({ confirm: z.string() }), reply: removal },
  ),
  "sessions.recall": get(
    "/sessions/{id}/recall",
    "What left the window of a chat, a session, an agent or a task: by handle the text, by query the best places; what is still in the window is given too, and marked.",
    {
      params,
      query: z.object({
        handle: z.string().max(200).optional().meta({ description: "§12, or §3–§18." }),
        query: z.string().max(10_000).optional(),
        maxTokens: z.coerce.number().optional().meta({ description: "Of the answer; 2,000 if absent." }),
        scope: z.enum(["archives"]).optional().meta({ description: "Archives of the same chat too." }),
      }),
      reply: z.object({
        text: z.string(),
        found: z.array(z.object({ handle: z.string(), entryId: z.string() })),
        next: z.string().optional().meta({ description: "The handle with which the text goes on." }),
      }),
    },
  ),
  "sessions.pins": get("/sessions/{id}/pins", "What is pinned in a chat, a session or an agent, the oldest first.", {
    params,
    reply: z.object({
      pins: z.array(
        z.object({
          id: z.string().meta({ description: "The message, or the pin of a sentence: by this it is unpinned." }),
          text: z.string().optional().meta({ description: "The sentence." }),
          message: modelMessage.optional(),
          handle: z.string().optional(),
          by: z.enum(["person", "model"]),
          ts: z.union([z.string(), z.number()]),
        }),
      ),
    }),
  }),
  "sessions.pin": post("/sessions/{id}/pins", "Keeps a message or a sentence in every build until it is unpinned.", {
    params,
    body: z.union([
      z.strictObject({ entryId: z.string().min(1).max(600) }),
      z.strictObject({ handle: z.string().min(1).max(40) }),
      z.strictObject({ text: z.string().min(1).max(4000) }),
    ]),
    reply: z.object({ id: z.string(), isNew: z.boolean() }),
  }),
  "sessions.unpin": del("/sessions/{id}/pins/{pin}", "Takes a pin back: of a message by the message's id.", {
    params: z.object({ id: sessionId, pin: z.string().min(1).max(600) }),
    reply: ok,
  }),
  "sessions.compactions": get(
    "/sessions/{id}/compactions",
    "What was cut in a chat, a session or an agent and has not been undone, the oldest first; the last one is in force.",
    { params, reply: z.object({ compactions: z.array(standingCompaction) }) },
  ),
  "sessions.undoCompaction": post(
    "/sessions/{id}/compactions/undo",
    "Puts back what the newest compaction took out. A next call that is over its budget cuts again.",
    { params, reply: z.object({ undone: z.string().meta({ description: "The id of the compaction." }) }) },
  ),
  "sessions.call": get(
    "/sessions/{id}/calls/{n}",
    "One call whole: what was sent, where it came from, and what was not sent and why.",
    {
      params: callParams,
      reply: callItem.extend({
        session: z.string(),
        ...built,
        preset: z.string().optional(),
        budget: z.number(),
        problems,
        settings: z
          .array(settingInForceSchema)
          .meta({ description: "The context settings in force, each with where its value came from." }),
        reply: modelMessage.optional().meta({ description: "What the model answered, where that is known." }),
        runStatus: z.enum(["running", "finished", "failed", "aborted"]).optional(),
        cost: z.number().optional().meta({ description: "In US dollars, where usage and price are known." }),
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
  "sessions.entryCall": get(
    "/sessions/{id}/entries/{entry}/call",
    "Where to look at an entry of a session: the first call that has read it, or the one whose reply it is.",
    {
      params: z.object({ id: sessionId, entry: z.string().min(1).max(600) }),
      reply: z.object({ n: callNumber }),
    },
  ),
  "sessions.lost": get(
    "/sessions/{id}/lost",
    "What each compaction of a session or chat lost: names that were gone afterwards and used again later.",
    { params, reply: z.object({ compactions: z.array(compactionLoss) }) },
  ),
  "sessions.retention": get(
    "/sessions/{id}/retention",
    "Of the names and lines in each reply of a session or chat that had occurred earlier: how many were in the input of its " +
      "call, as it was and as Galley would have fitted it. No model is asked.",
    {
      params,
      query: z.object({
        budget: z.coerce.number().int().min(100).max(100_000_000).optional().meta({
          description: "What Galley fits it into, in tokens; 32,000 if absent.",
        }),
      }),
      reply: z.object({ rows: z.array(logRetention) }),
    },
  ),
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
