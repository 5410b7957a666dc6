import * as z from "zod";
import { contextChanges, inForceQuery, settingsInForceReply, contextSettingsSchema } from "./context-settings.ts";
import { del, get, patch, post } from "./route.ts";
import { chatKey, chatParams, modelMessage, ok, problem, removal, time, titleSchema } from "./shapes.ts";

const contextId = z.string().min(1).max(100);
const contextParams = z.object({ key: chatKey, contextId });
const note = z.string().max(20_000);
const limit = z.coerce.number().int().min(1).max(1000);

const forkOrigin = z.object({ chat: z.string(), message: z.string() });
const chatMessage = z.object({
  id: z.string(),
  ts: time,
  role: z.enum(["user", "assistant"]),
  content: modelMessage.or(z.string()).or(z.array(z.unknown())).meta({ description: "Text, or parts." }),
  summaryOf: z.string().optional(),
  said: z
    .object({ by: z.string().optional() })
    .optional()
    .meta({ description: "Who said it, where an import knew their name." }),
  isStopped: z.boolean().optional().meta({ description: "A person stopped its run before it was whole." }),
});
const archiveItem = z.object({
  contextId: z.string(),
  title: z.string(),
  createdAt: time,
  archivedAt: time,
  messageCount: z.number(),
  summaryPreview: z.string(),
  copies: z.array(z.string()).readonly().optional().meta({ description: "Older archives of the same topic." }),
});
const archivedContext = z.object({ contextId: z.string(), title: z.string(), messageCount: z.number() });
const page = z.object({
  messages: z.array(chatMessage),
  hasMore: z.boolean(),
  hasLater: z.boolean().optional().meta({ description: "Of a page around a message: whether more was said after it." }),
  total: z.number().optional(),
});
const pageQuery = z.object({
  limit: limit.optional(),
  before: z.string().optional().meta({ description: "Only what stands before the message with this id." }),
  around: z
    .string()
    .optional()
    .meta({ description: "The message with this id, with what was said before and after it." }),
});

export const chatRoutes = {
  "chats.list": get("/chats", "The chats of this data folder, the one that was used last first.", {
    reply: z.object({
      chats: z.array(
        z.object({
          key: z.string(),
          updatedAt: time,
          contexts: z.number(),
          preview: z.string(),
          title: z.string().meta({ description: "As it was named, else its first question." }),
          forkedFrom: forkOrigin.optional(),
        }),
      ),
      problems: z.array(problem),
    }),
  }),
  "chats.find": get("/search/messages", "Messages of all chats that have every word, active contexts and archives.", {
    query: z.object({ q: z.string().min(1).max(2000), limit: limit.optional() }),
    reply: z.object({
      found: z.array(
        z.object({
          chat: z.string(),
          title: z.string(),
          contextId: z.string().optional(),
          messageId: z.string().optional(),
          snippet: z.string(),
        }),
      ),
    }),
  }),
  "chats.fork": post(
    "/chats/{key}/fork",
    "Begins another chat with the active context of this one, up to a message, and with its settings.",
    {
      params: chatParams,
      body: z.object({
        message: z.string().min(1).max(100).optional().meta({ description: "The last one; default: the newest." }),
        to: chatKey.optional(),
      }),
      reply: z.object({ key: z.string(), messageCount: z.number() }),
    },
  ),
  "chats.get": get(
    "/chats/{key}",
    "A chat: its active context, its archived ones, its settings. One that does not exist yet is empty.",
    {
      params: chatParams,
      reply: z.object({
        key: z.string(),
        exists: z.boolean(),
        session: z.string(),
        title: z.string().optional(),
        forkedFrom: forkOrigin.optional(),
        model: z.string().optional(),
        preset: z.string().optional(),
        context: contextSettingsSchema.optional().meta({ description: "The chat's own context settings." }),
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
    "Sets a chat's title, and what it uses unless a turn says otherwise: model, preset and context settings.",
    {
      params: chatParams,
      body: z.object({
        title: titleSchema.nullable().optional().meta({ description: "What lists call it; null takes it away." }),
        model: z.string().nullable().optional().meta({ description: "null takes it away." }),
        preset: z.string().nullable().optional().meta({ description: "null takes it away." }),
        ...contextChanges,
      }),
      reply: ok,
    },
  ),
  "chats.inForce": get(
    "/chats/{key}/settings",
    "The context settings that the next turn would have, each with where its value came from.",
    { params: chatParams, query: inForceQuery, reply: settingsInForceReply },
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
  "chats.import": post(
    "/chats/{key}/entries",
    "Takes in the entries of an import: messages with their speakers, other versions of answers, narrators and hidden lines.",
    {
      params: chatParams,
      body: z.object({
        entries: z
          .array(z.looseObject({ type: z.string() }))
          .min(1)
          .max(100_000),
      }),
      largeBody: true,
      reply: z.object({
        added: z.number(),
        left: z.number().meta({ description: "Entries that a chat does not keep." }),
        messages: z.array(chatMessage),
      }),
    },
  ),
  "chats.redact": del("/chats/{key}/messages/{id}", "Takes a message out of every later build, export and search.", {
    params: z.object({ key: chatKey, id: z.string().min(1).max(100) }),
    reply: removal,
  }),
  "chats.alternates": get(
    "/chats/{key}/alternates",
    "Answers of the active context that were regenerated and not chosen; `of` is the id of the question.",
    {
      params: chatParams,
      reply: z.object({
        alternates: z.array(chatMessage.extend({ of: z.string() })),
      }),
    },
  ),
  "chats.file": get(
    "/chats/{key}/files/{name}",
    "The bytes of a picture or file of a message, by the name that the message refers to it with.",
    {
      params: z.object({ key: chatKey, name: z.string().min(1).max(100) }),
      reply: z.object({ data: z.string().meta({ description: "In base64." }) }),
    },
  ),
  "chats.choose": post(
    "/chats/{key}/alternates/{id}/choose",
    "Makes an alternate the answer to the last question; the answer of before becomes an alternate.",
    { params: z.object({ key: chatKey, id: z.string().min(1).max(100) }), reply: ok },
  ),
  "chats.new": post("/chats/{key}/contexts", "Puts the active context away and starts an empty one.", {
    params: chatParams,
    body: z.object({
      title: z.string().max(200).optional(),
      reason: z.string().max(1000).optional(),
      note: note.optional().meta({ description: "What to remember of it; it comes first when it is loaded." }),
      contextId: contextId
        .optional()
        .meta({ description: "The archive that the note is about, if not the active one." }),
    }),
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
          note: z.string().optional(),
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
    reply: archiveItem.extend({
      summary: z.string().optional(),
      note: z.string().optional(),
      earlierNotes: z.array(z.string()).optional(),
      messages: z.array(chatMessage),
    }),
  }),
  "chats.rename": patch("/chats/{key}/contexts/{contextId}", "Gives an archived context another title.", {
    params: contextParams,
    body: z.object({ title: titleSchema }),
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
