import { type GetPromptResult, ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { GalleyError } from "@galley/engine";
import type { Chat } from "../../chat/chat.ts";
import type { Archive } from "../../chat/contexts/archive-file.ts";
import type { ArchiveItem } from "../../chat/contexts/archive-index.ts";
import { isContextId } from "../../chat/lines/chat-line.ts";
import { textOf } from "../../chat/lines/read-window.ts";

/** What a client that is shown a chat's topics can do beside calling tools. */
export const topicCapabilities = { resources: {}, prompts: {}, completions: {} };

const mimeType = "text/markdown";
const maxListed = 200;
const maxCompletions = 100;
const promptName = "resume_topic";
const resumeTopic = {
  name: promptName,
  title: "Go on with a topic",
  description: "Brings back a topic that was put away, and asks to go on with it.",
  arguments: [
    { name: "topic", description: "What it was about, or its id; the newest one if left out.", required: false },
  ],
};

type Redact = <Value>(value: Value) => Value;

/** The archives of a chat as resources, and a prompt that resumes one of them [A7]. Nothing here changes the chat. */
export function serveTopics(server: Server, open: () => Promise<Chat>, redact: Redact): void {
  server.setRequestHandler("resources/list", async () => {
    const chat = await open();
    const { contexts } = await chat.listContexts(maxListed);
    return redact({ resources: contexts.map((item) => listedResource(chat.key, item)) });
  });
  server.setRequestHandler("resources/templates/list", async () => {
    const uriTemplate = `${uriOf((await open()).key, "")}{contextId}`;
    const description = "A topic that was put away: its note and what was said in it.";
    return { resourceTemplates: [{ name: "topic", title: "Topic", uriTemplate, description, mimeType }] };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const chat = await open();
    const start = uriOf(chat.key, "");
    if (!uri.startsWith(start)) throw invalid(`There is no resource ${uri}`);
    const archive = read(chat, uri.slice(start.length));
    return redact({ contents: [{ uri, mimeType, text: topicText(archive) }] });
  });
  server.setRequestHandler("prompts/list", () => ({ prompts: [resumeTopic] }));
  server.setRequestHandler("prompts/get", async ({ params }) => {
    if (params.name !== promptName) throw invalid(`Prompt ${params.name} not found`);
    return redact(resumePrompt(await findTopic(await open(), params.arguments?.["topic"]?.trim() ?? "")));
  });
  server.setRequestHandler("completion/complete", async ({ params: { ref, argument } }) => {
    const isTopic = ref.type === "ref/prompt" && ref.name === promptName && argument.name === "topic";
    const { contexts } = isTopic ? await (await open()).listContexts(maxListed) : { contexts: [] };
    const wanted = argument.value.toLowerCase();
    const titles = new Set(contexts.map(({ title }) => title));
    const values = [...titles].filter((title) => title.toLowerCase().includes(wanted));
    return redact({ completion: { values: values.slice(0, maxCompletions), total: values.length } });
  });
}

function uriOf(chatKey: string, contextId: string): string {
  return `galley://chat/${encodeURIComponent(chatKey)}/${contextId}`;
}

function listedResource(chatKey: string, { contextId, title, summaryPreview, archivedAt }: ArchiveItem) {
  return {
    uri: uriOf(chatKey, contextId),
    name: contextId,
    title,
    ...(summaryPreview === "" ? {} : { description: summaryPreview }),
    mimeType,
    annotations: { lastModified: new Date(archivedAt).toISOString() },
  };
}

async function findTopic(chat: Chat, topic: string): Promise<Archive> {
  if (isContextId(topic)) return read(chat, topic);
  const found = topic === "" ? (await chat.listContexts(1)).contexts : await chat.searchContexts(topic, 1);
  const [first] = found;
  if (!first) throw invalid(topic === "" ? "No topic was put away yet" : `No topic matches ${JSON.stringify(topic)}`);
  return read(chat, first.contextId);
}

/** How much of what was said a prompt brings back, in characters; the end of it. */
const maxPromptLength = 40_000;

function resumePrompt(archive: Archive): GetPromptResult {
  const { contextId, title } = archive;
  const ask = `Go on with the topic “${title}” (${contextId}), which was put away earlier. What follows is for reference. To put it away again, call chat_context_new with this contextId and a note that replaces the present one.`;
  const text = `${ask}\n\n${topicText(archive, maxPromptLength)}`;
  return { description: title, messages: [{ role: "user", content: { type: "text", text } }] };
}

/** An archive for reading: the note first. */
function topicText(
  { title, contextId, archivedAt, note, earlierNotes = [], summary, messages }: Archive,
  limit = Infinity,
) {
  const said: string[] = [];
  let length = 0;
  for (const message of messages.toReversed()) {
    const text = `### ${message.role}\n\n${textOf(message)}`;
    length += text.length;
    if (length > limit && said.length > 0) break;
    said.push(text.slice(0, limit));
  }
  const left = messages.length - said.length;
  const sections = [
    `# ${title}`,
    `- contextId: ${contextId}\n- put away: ${new Date(archivedAt).toISOString()}\n- messages: ${messages.length}`,
    ...(note === undefined ? [] : [`## Note\n\n${note}`]),
    ...(earlierNotes.length === 0 ? [] : [`## Earlier notes\n\n${earlierNotes.join("\n\n")}`]),
    ...(summary === undefined ? [] : [`## Summary\n\n${summary}`]),
    ...(messages.length === 0 ? [] : ["## Messages"]),
    ...(left === 0 ? [] : [`(${left} earlier messages are left out.)`]),
    ...said.toReversed(),
  ];
  return `${sections.join("\n\n")}\n`;
}

function read(chat: Chat, contextId: string): Archive {
  try {
    return chat.readContext(contextId);
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error;
    throw invalid(error.message);
  }
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
