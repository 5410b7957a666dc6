import type { ToolSpec, UserMessage } from "@galley/engine";
import * as z from "zod";
import type { Chat } from "./chat.ts";
import type { LoadResult, NewResult } from "./contexts/context-types.ts";
import { parseInput } from "./lines/parse-input.ts";
import { recallNotice } from "./lines/reference-label.ts";

/** A tool as data: whatever serves tools to a model mounts it. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  /** Checks its input; gives what can be written as JSON. */
  execute(input: unknown): Promise<Readonly<Record<string, unknown>>>;
}

export interface ChatToolsOptions {
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

/** The tools with which a model changes its working context. Nothing else ever does [W4]. */
export function chatTools(chat: Chat, { onSwitch, ...switching }: ChatToolsOptions = {}): readonly ChatTool[] {
  return [
    tool(
      "chat_context_new",
      "Put the present context away and start an empty one. Use it when the background is too long or confused, or has little to do with what the user asks now. What is put away can be brought back with chat_context_load.",
      newSchema,
      async (input) => {
        const result = await chat.newContext(input, switching);
        onSwitch?.();
        return newText(result);
      },
    ),
    tool(
      "chat_context_load",
      "Bring an earlier context back and go on in it, when the user returns to an earlier subject. The present context is put away first. Give a query, or the contextId if it is known.",
      loadSchema,
      async (input) => {
        const result = await chat.loadContext(input, switching);
        if (result.loaded) onSwitch?.();
        return loadText(result);
      },
    ),
    tool("chat_context_list", "List the contexts that were put away, newest first.", listSchema, async ({ limit }) => ({
      ...(await chat.listContexts(limit)),
    })),
    tool(
      "chat_context_clear_active",
      "Empty the present context without putting it away, when it is wrong or polluted. The transcript of the chat stays.",
      clearSchema,
      async () => {
        const result = await chat.clearActive(switching);
        onSwitch?.();
        return { cleared: true, ...result };
      },
    ),
  ];
}

/** The tools as a model is told of them. */
export function chatToolSpecs(tools: readonly ChatTool[]): readonly ToolSpec[] {
  return tools.map(({ name, description, inputSchema }) => {
    const { $schema: _, ...schema } = z.toJSONSchema(inputSchema, { io: "input" });
    return { name, description, inputSchema: schema as ToolSpec["inputSchema"] };
  });
}

function tool<Schema extends z.ZodObject>(
  name: string,
  description: string,
  inputSchema: Schema,
  run: (input: z.infer<Schema>) => Promise<Readonly<Record<string, unknown>>>,
): ChatTool {
  return {
    name,
    description,
    inputSchema,
    execute: async (input) => run(parseInput(inputSchema, input ?? {}, name)),
  };
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
