import * as z from "zod";
import { del, get, patch, post } from "./route.ts";
import { chatKey, chatParams, modelMessage, ok, problem, sessionEntry, time } from "./shapes.ts";

const contextId = z.string().min(1).max(100);
const contextParams = z.object({ key: chatKey, contextId });
const limit = z.coerce.number().int().min(1).max(1000);

const chatMessage = z.object({
  id: z.string(),
  ts: time,
  role: z.enum(["user", "assistant"]),
  content: modelMessage.or(z.string()).or(z.array(z.unknown())).meta({ description: "Text, or parts." }),
  summaryOf: z.string().optional(),
});
const archiveItem = z.object({
  contextId: z.string(),
  title: z.string(),
  createdAt: time,
  archivedAt: time,
  messageCount: z.number(),
  summaryPreview: z.string(),
});
const archivedContext = z.object({ contextId: z.string(), title: z.string(), messageCount: z.number() });
const page = z.object({
  messages: z.array(chatMessage),
  hasMore: z.boolean(),
  total: z.number().optional(),
});
const pageQuery = z.object({
  limit: limit.optional(),
  before: z.string().optional().meta({ description: "Only what stands before the message with this id." }),
});

const removal = ok.extend({
  removedCopies: z
    .array(z.string())
    .meta({ description: "Copies of the store from before a migration, which are removed because they may hold it." }),
});

export const chatRoutes = {
  "chats.list": get("/chats", "The chats of this data folder, the one that was used last first.", {
    reply: z.object({
      chats: z.array(z.object({ key: z.string(), updatedAt: time, contexts: z.number(), preview: z.string() })),
      problems: z.array(problem),
    }),
  }),
  "chats.get": get(
    "/chats/{key}",
    "A chat: its active context, its archived ones, its settings. One that does not exist yet is empty.",
    {
      params: chatParams,
      reply: z.object({
        key: z.string(),
        exists: z.boolean(),
        session: z.string(),
        model: z.string().optional(),
        preset: z.string().optional(),
        active: z.object({
          exists: z.boolean(),
          messageCount: z.number(),
          recalledFrom: z.string().optional(),
          compactions: z.number(),
        }),
        contexts: z.array(archiveItem),
        problems: z.array(problem),
      }),
    },
  ),
  "chats.settings": patch(
    "/chats/{key}",
    "Sets the model and the preset that a chat uses unless a turn names others; null takes one away.",
    {
      params: chatParams,
      body: z.object({ model: z.string().nullable().optional(), preset: z.string().nullable().optional() }),
      reply: ok,
    },
  ),
  "chats.active": get("/chats/{key}/active", "The end of the active context.", {
    params: chatParams,
    query: pageQuery,
    reply: page,
  }),
  "chats.transcript": get(
    "/chats/{key}/transcript",
    "The end of the transcript, which keeps everything that was said.",
    { params: chatParams, query: pageQuery, reply: page },
  ),
  "chats.entries": get("/chats/{key}/entries", "What a build reads of this chat now: for a preview in the page.", {
    params: chatParams,
    reply: z.object({ entries: z.array(sessionEntry) }),
  }),
  "chats.add": post(
    "/chats/{key}/messages",
    "Appends messages to transcript and active context, e.g. from an imported chat.",
    {
      params: chatParams,
      body: z.object({ messages: z.array(modelMessage).min(1).max(100_000) }),
      largeBody: true,
      reply: z.object({ added: z.number(), ids: z.array(z.string()), messages: z.array(chatMessage) }),
    },
  ),
  "chats.redact": del("/chats/{key}/messages/{id}", "Takes a message out of every later build, export and search.", {
    params: z.object({ key: chatKey, id: z.string().min(1).max(100) }),
    reply: removal,
  }),
  "chats.new": post("/chats/{key}/contexts", "Puts the active context away and starts an empty one.", {
    params: chatParams,
    body: z.object({ title: z.string().max(200).optional(), reason: z.string().max(1000).optional() }),
    reply: z.object({ archived: archivedContext.optional(), kept: z.number(), problems: z.array(problem) }),
  }),
  "chats.load": post("/chats/{key}/load", "Brings an archived context back, by id or by what it was about.", {
    params: chatParams,
    body: z.object({
      contextId: contextId.optional(),
      query: z.string().max(2000).optional(),
      mode: z.enum(["full", "recent", "summary"]).optional(),
    }),
    reply: z.object({
      loaded: z
        .object({
          contextId: z.string(),
          title: z.string(),
          mode: z.string(),
          messageCount: z.number(),
          language: z.enum(["en", "zh"]).describe("The language of the label before them."),
        })
        .optional(),
      archived: archivedContext.optional(),
      alternatives: z.array(z.unknown()),
      problems: z.array(problem),
    }),
  }),
  "chats.clear": post(
    "/chats/{key}/clear",
    "Empties the active context without putting it away; the transcript stays.",
    { params: chatParams, reply: z.object({ removed: z.number(), kept: z.number() }) },
  ),
  "chats.search": get("/chats/{key}/search", "Archived contexts that match, best first.", {
    params: chatParams,
    query: z.object({ q: z.string().min(1).max(2000), limit: limit.optional() }),
    reply: z.object({ matches: z.array(archiveItem.extend({ snippet: z.string(), score: z.number() })) }),
  }),
  "chats.context": get("/chats/{key}/contexts/{contextId}", "An archived context whole.", {
    params: contextParams,
    reply: archiveItem.extend({ summary: z.string().optional(), messages: z.array(chatMessage) }),
  }),
  "chats.rename": patch("/chats/{key}/contexts/{contextId}", "Gives an archived context another title.", {
    params: contextParams,
    body: z.object({ title: z.string().min(1).max(200) }),
    reply: ok,
  }),
  "chats.deleteContext": del(
    "/chats/{key}/contexts/{contextId}",
    "Deletes an archived context for good; its id is asked for again.",
    { params: contextParams, query: z.object({ confirm: z.string() }), reply: removal },
  ),
  "chats.delete": del("/chats/{key}", "Deletes a chat for good; its key is asked for again.", {
    params: chatParams,
    query: z.object({ confirm: z.string() }),
    reply: removal,
  }),
} as const;
