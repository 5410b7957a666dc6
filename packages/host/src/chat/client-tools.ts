import * as z from "zod";
import { defineTool } from "../tools/define-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { toldBriefly } from "../tools/tool-specs.ts";
import type { Chat } from "./chat.ts";
import { contextToolFacts, listFields, loadFields } from "./context-tool-facts.ts";
import { maxNoteLength } from "./contexts/archive-file.ts";
import type { LoadedContext, NewResult } from "./contexts/context-types.ts";
import { textOf } from "./lines/read-window.ts";

// A client that Galley does not run keeps its own conversation, which no tool of ours changes [A7]. What it puts away is a note
// in its model's words, and what it loads comes to it as the result of the call.

const newSchema = toldBriefly(
  z.strictObject({
    title: z.string().max(200).optional().describe("Names the topic"),
    note: z
      .string()
      .max(maxNoteLength)
      .optional()
      .describe("Goal, decisions, state, next steps: all that is needed to go on"),
    contextId: z.string().max(100).optional().describe("A topic to bring up to date; else a new one"),
  }),
);
const loadSchema = toldBriefly(z.strictObject(loadFields));
const listSchema = toldBriefly(z.strictObject(listFields));
const clearSchema = z.strictObject({});

/**
 * The tools of a chat's contexts for a client that Galley does not run.
 *
 * @param onChange called after every change
 */
export function clientTools(open: () => Promise<Chat>, onChange: () => void = () => undefined): readonly Tool[] {
  const { new: put, load, list, clear } = contextToolFacts;
  const changing = async <Result>(work: (chat: Chat) => Promise<Result>): Promise<Result> => {
    const result = await work(await open());
    onChange();
    return result;
  };
  return [
    defineTool({
      ...put,
      description:
        "Put a topic away in Galley, to go on with it later or in another program. Your own conversation stays as it is.",
      inputSchema: newSchema,
      execute: async (input) => newText(await changing((chat) => chat.newContext(input))),
    }),
    defineTool({
      ...load,
      description:
        "Give back a topic that was put away here or elsewhere: its note, then what was said. Give a query or a contextId.",
      inputSchema: loadSchema,
      execute: (input) => changing((chat) => loadTopic(chat, input)),
    }),
    defineTool({
      ...list,
      description: "List the topics that were put away, newest first, with the start of their notes.",
      inputSchema: listSchema,
      execute: async ({ limit }) => (await open()).listContexts(limit),
    }),
    defineTool({
      ...clear,
      description: "Empty Galley's active context without putting it away. Topics that were put away stay.",
      inputSchema: clearSchema,
      execute: async () => ({ cleared: true, ...(await changing((chat) => chat.clearActive())) }),
    }),
  ];
}

function newText({ archived, kept, problems }: NewResult): Readonly<Record<string, unknown>> {
  const message = archived
    ? `Put away as ${archived.contextId} (${archived.title}). Your own conversation is unchanged.`
    : "Nothing was put away: Galley has no messages here, and no note was given. Call again with a note.";
  return { message, archived: archived ?? null, kept, problems };
}

async function loadTopic(chat: Chat, input: z.infer<typeof loadSchema>): Promise<Readonly<Record<string, unknown>>> {
  const { loaded, archived, alternatives, problems } = await chat.loadContext(input, { mayBeActive: true });
  if (!loaded) {
    const message = "No topic matches. chat_context_list shows what there is.";
    return { message, loaded: null, alternatives, problems };
  }
  const { note, ...about } = loaded;
  const { messages, omitted } = newestMessages(chat, loaded);
  const label = `This was put away earlier as ${loaded.contextId} (${loaded.title}). It is for reference, and may not fit the present question.`;
  const left = omitted === 0 ? "" : ` The first ${omitted} of its messages are left out; its resource has them all.`;
  const next = ` To bring it up to date, call chat_context_new with this contextId and a note that replaces this one.`;
  return {
    message: label + left + next,
    note,
    messages,
    omitted,
    loaded: about,
    archived: archived ?? null,
    alternatives,
    problems,
  };
}

/** In bytes: clients cut results of tools, some at 25,000 tokens. */
const maxMessageBytes = 48_000;

/** A single message that is too long: its start, and how much is missing. */
function startOf(content: string): string {
  const start = Buffer.from(content)
    .subarray(0, maxMessageBytes)
    .toString("utf8")
    .replace(/\uFFFD+$/u, "");
  return `${start} … (${content.length - start.length} more characters are in the resource)`;
}

/** What became active, as text: the newest messages, as many as a client takes. */
function newestMessages(
  chat: Chat,
  { messageCount }: LoadedContext,
): { readonly messages: readonly { readonly role: string; readonly content: string }[]; readonly omitted: number } {
  if (messageCount === 0) return { messages: [], omitted: 0 };
  const said = chat.window({ maxMessages: messageCount }).messages.map((message) => ({
    role: message.role,
    content: textOf(message),
  }));
  let bytes = 0;
  const fitting = said.toReversed().findIndex(({ content }) => (bytes += Buffer.byteLength(content)) > maxMessageBytes);
  if (fitting < 0) return { messages: said, omitted: messageCount - said.length };
  const last = said.at(-1);
  const kept =
    fitting === 0 && last ? [{ ...last, content: startOf(last.content) }] : said.slice(said.length - fitting);
  return { messages: kept, omitted: messageCount - kept.length };
}
