import type { UserMessage } from "@galley/engine";
import * as z from "zod";
import { defineTool } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { toldBriefly } from "../tools/tool-specs.ts";
import { contextToolFacts, listFields, loadFields } from "./context-tool-facts.ts";
import type { Chat } from "./chat.ts";
import { maxNoteLength } from "./contexts/archive-file.ts";
import type { LoadResult, NewResult, SwitchOptions, SwitchSettings } from "./contexts/context-types.ts";
import { recallNotice } from "./lines/reference-label.ts";

export interface ContextToolsOptions {
  /** Says that the current user message is not on disk yet [W3]. */
  readonly isInRun?: boolean;
  /** What the user asks in the run: labels are in its language. */
  readonly input?: UserMessage | (() => UserMessage | undefined) | undefined;
  /** What is in force in the run; what the chat says if absent. */
  readonly settings?: SwitchSettings | undefined;
  /** Called after every switch. */
  readonly onSwitch?: () => void;
  /** For an agent whose program cannot be moved in the middle of a prompt [A6]. */
  readonly isDelayed?: boolean;
}

const newSchema = toldBriefly(
  z.object({
    title: z.string().max(200).optional().describe("Names what is put away"),
    reason: z.string().max(1000).optional(),
    note: z.string().max(maxNoteLength).optional().describe("What to remember of it"),
  }),
);
const loadSchema = toldBriefly(z.object(loadFields));
const listSchema = toldBriefly(z.object(listFields));
const clearSchema = z.object({});

/**
 * The tools with which a model changes its working context. Nothing else ever does [W4]. Called again after a crash they do the
 * same: what is put away is put away once.
 */
export function contextTools(
  given: Chat | (() => Promise<Chat>),
  { onSwitch, input: asked, isDelayed = false, isInRun = false, settings }: ContextToolsOptions = {},
): readonly Tool[] {
  const switching = (): SwitchOptions => {
    const input = typeof asked === "function" ? asked() : asked;
    return { isInRun, settings, ...(input ? { input } : {}) };
  };
  const open = async (): Promise<Chat> => (typeof given === "function" ? given() : given);
  return [
    defineTool({
      ...contextToolFacts.new,
      description:
        "Put the present context away and start an empty one, when it is too long, confused or unrelated to what the user asks now.",
      inputSchema: newSchema,
      execute: async (input) => {
        const result = await (await open()).newContext(input, switching());
        onSwitch?.();
        return newText(result, isDelayed);
      },
    }),
    defineTool({
      ...contextToolFacts.load,
      description:
        "Put the present context away and go on in an earlier one, when the user returns to its subject. Give query or contextId.",
      inputSchema: loadSchema,
      execute: async (input, { runId, callId }) => {
        const call = runId === undefined ? undefined : `${runId}/${callId}`;
        const result = await (await open()).loadContext(input, { ...switching(), call });
        if (result.loaded) onSwitch?.();
        return loadText(result, isDelayed);
      },
    }),
    defineTool({
      ...contextToolFacts.list,
      description: "List the contexts that were put away, newest first.",
      inputSchema: listSchema,
      execute: async ({ limit }) => (await open()).listContexts(limit),
    }),
    defineTool({
      ...contextToolFacts.clear,
      description: "Empty the present context without putting it away, when it is wrong.",
      inputSchema: clearSchema,
      execute: async () => {
        const result = await (await open()).clearActive(switching());
        onSwitch?.();
        return { cleared: true, ...result, ...(isDelayed ? { message: delay } : {}) };
      },
    }),
  ];
}

const delay = "This takes effect with the next message; answer this one as you are.";

function newText({ archived, kept, problems }: NewResult, isDelayed: boolean): Readonly<Record<string, unknown>> {
  const begun = isDelayed ? `A new context begins. ${delay}` : "A new context has begun.";
  const message = archived
    ? `${begun} The one before was put away as ${archived.contextId} (${archived.title}).`
    : `${begun} There was nothing to put away.`;
  return { message, archived: archived ?? null, kept, problems };
}

function loadText(
  { loaded, archived, alternatives, problems }: LoadResult,
  isDelayed: boolean,
): Readonly<Record<string, unknown>> {
  if (!loaded) {
    const message = "No archived context matches; nothing was switched. chat_context_list shows what there is.";
    return { message, loaded: null, alternatives, problems };
  }
  // The note is in the context that was loaded, in front of its messages.
  const { note: _, ...about } = loaded;
  const notice = recallNotice({ ...about, from: loaded.contextId }).content;
  const message = isDelayed ? `The context comes back. ${delay}` : notice;
  return { message, loaded: about, archived: archived ?? null, alternatives, problems };
}
