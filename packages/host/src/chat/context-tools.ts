import type { UserMessage } from "@galley/engine";
import * as z from "zod";
import { defineTool } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import type { Chat } from "./chat.ts";
import type { LoadResult, NewResult } from "./contexts/context-types.ts";
import { recallNotice } from "./lines/reference-label.ts";

export interface ContextToolsOptions {
  /** Says that the current user message is not on disk yet [W3]. */
  readonly isInRun?: boolean;
  /** What the user asks in the run: labels are in its language. */
  readonly input?: UserMessage;
  /** Called after every switch. */
  readonly onSwitch?: () => void;
}

const newSchema = z.object({
  title: z.string().max(200).optional().describe("Names the context that is put away, so that it can be found again."),
  reason: z.string().max(1000).optional().describe("Why a new context is started."),
});
const loadSchema = z.object({
  query: z.string().max(2000).optional().describe("What the context was about, in the user's words."),
  contextId: z.string().max(100).optional().describe("The id of the context, where it is known."),
  mode: z
    .enum(["full", "recent", "summary"])
    .default("full")
    .describe("full: every message; recent: the last 12; summary: its summary."),
});
const listSchema = z.object({
  limit: z.int().min(1).max(200).default(20).describe("How many, newest first."),
});
const clearSchema = z.object({});

/**
 * The tools with which a model changes its working context. Nothing else ever does [W4]. Called again after a crash they do the
 * same: what is put away is put away once.
 */
export function contextTools(
  given: Chat | (() => Promise<Chat>),
  { onSwitch, ...switching }: ContextToolsOptions = {},
): readonly Tool[] {
  const open = async (): Promise<Chat> => (typeof given === "function" ? given() : given);
  return [
    defineTool({
      name: "chat_context_new",
      rpcMethod: "chat.context.new",
      description:
        "Put the present context away and start an empty one. Use it when the background is too long or confused, or has little to do with what the user asks now. What is put away can be brought back with chat_context_load.",
      inputSchema: newSchema,
      isRepeatable: true,
      execute: async (input) => {
        const result = await (await open()).newContext(input, switching);
        onSwitch?.();
        return newText(result);
      },
    }),
    defineTool({
      name: "chat_context_load",
      rpcMethod: "chat.context.load",
      description:
        "Bring an earlier context back and go on in it, when the user returns to an earlier subject. The present context is put away first. Give a query, or the contextId if it is known.",
      inputSchema: loadSchema,
      isRepeatable: true,
      execute: async (input) => {
        const result = await (await open()).loadContext(input, switching);
        if (result.loaded) onSwitch?.();
        return loadText(result);
      },
    }),
    defineTool({
      name: "chat_context_list",
      rpcMethod: "chat.context.list",
      description: "List the contexts that were put away, newest first.",
      inputSchema: listSchema,
      isRepeatable: true,
      execute: async ({ limit }) => (await open()).listContexts(limit),
    }),
    defineTool({
      name: "chat_context_clear_active",
      rpcMethod: "chat.context.clear",
      description:
        "Empty the present context without putting it away, when it is wrong or polluted. The transcript of the chat stays.",
      inputSchema: clearSchema,
      isRepeatable: true,
      execute: async () => {
        const result = await (await open()).clearActive(switching);
        onSwitch?.();
        return { cleared: true, ...result };
      },
    }),
  ];
}

function newText({ archived, kept, problems }: NewResult): Readonly<Record<string, unknown>> {
  const message = archived
    ? `A new context has begun. The one before was put away as ${archived.contextId} (${archived.title}).`
    : "A new context has begun. There was nothing to put away.";
  return { message, archived: archived ?? null, kept, problems };
}

function loadText({ loaded, archived, alternatives, problems }: LoadResult): Readonly<Record<string, unknown>> {
  if (!loaded) {
    const message = "No archived context matches; nothing was switched. chat_context_list shows what there is.";
    return { message, loaded: null, alternatives, problems };
  }
  const notice = recallNotice({ ...loaded, from: loaded.contextId }).content;
  return { message: notice, loaded, archived: archived ?? null, alternatives, problems };
}
