import * as z from "zod";
import type { Tool } from "../tools/tool.ts";

/** What a client is told of a tool beside its description: how to name it, what it may change, and what it gives. */
type ToolFacts = Pick<Tool, "name" | "rpcMethod" | "title" | "annotations" | "outputSchema" | "isRepeatable">;

const problems = z.array(z.looseObject({ severity: z.string(), code: z.string(), message: z.string() }));
const archived = z.object({ contextId: z.string(), title: z.string(), messageCount: z.number() });
const match = z.object({
  contextId: z.string(),
  title: z.string(),
  archivedAt: z.string(),
  score: z.number(),
  snippet: z.string(),
});
const item = z.looseObject({
  contextId: z.string(),
  title: z.string(),
  createdAt: z.number(),
  archivedAt: z.number(),
  messageCount: z.number(),
  summaryPreview: z.string(),
});

/** What the tools that load and list take, in chats and for MCP clients. */
export const loadFields = {
  query: z.string().max(2000).optional().describe("What it was about"),
  contextId: z.string().max(100).optional(),
  mode: z.enum(["full", "recent", "summary"]).default("full").describe("recent: the last 12 messages"),
};
export const listFields = { limit: z.int().min(1).max(200).default(20) };

/** Contexts lie in the data folder, and what is put away is put away once. */
const own = { openWorldHint: false, idempotentHint: true };

/** The facts of the four tools that work on the contexts of a chat, the same in chats and for MCP clients. */
export const contextToolFacts = {
  new: {
    name: "chat_context_new",
    rpcMethod: "chat.context.new",
    title: "Put a context away",
    annotations: { ...own, readOnlyHint: false, destructiveHint: false },
    outputSchema: z.object({ message: z.string(), archived: archived.nullable(), kept: z.number(), problems }),
    isRepeatable: true,
  },
  load: {
    name: "chat_context_load",
    rpcMethod: "chat.context.load",
    title: "Load a context",
    annotations: { ...own, readOnlyHint: false, destructiveHint: false },
    outputSchema: z.object({
      message: z.string(),
      loaded: z
        .looseObject({ contextId: z.string(), title: z.string(), mode: z.string(), messageCount: z.number() })
        .nullable(),
      note: z.string().optional(),
      messages: z.array(z.object({ role: z.string(), content: z.string() })).optional(),
      omitted: z.number().optional(),
      archived: archived.nullable().optional(),
      alternatives: z.array(match),
      problems,
    }),
    isRepeatable: true,
  },
  list: {
    name: "chat_context_list",
    rpcMethod: "chat.context.list",
    title: "List contexts",
    annotations: { ...own, readOnlyHint: true },
    outputSchema: z.looseObject({ contexts: z.array(item), total: z.number(), problems }),
    isRepeatable: true,
  },
  clear: {
    name: "chat_context_clear_active",
    rpcMethod: "chat.context.clear",
    title: "Empty the active context",
    annotations: { ...own, readOnlyHint: false, destructiveHint: true },
    outputSchema: z.object({ cleared: z.boolean(), removed: z.number(), kept: z.number() }),
    isRepeatable: true,
  },
} as const satisfies Readonly<Record<string, ToolFacts>>;
