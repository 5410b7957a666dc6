import { hash } from "node:crypto";
import type { ModelMessage } from "@galley/engine";
import { type ChatFile, detachFiles, storeFiles } from "../lines/chat-files.ts";
import { type ChatMessage, type KeptLine, messageId } from "../lines/chat-line.ts";
import { toChatMessage } from "../lines/chat-message.ts";
import { type StoredItem, isMessage } from "../lines/kept-lines.ts";
import { dayOf, deriveTitle } from "./archive-file.ts";
import type { TimedMessage } from "./commit-exchange.ts";
import type { ArchivedContext } from "./context-types.ts";
import type { SwitchesInput } from "./context-switches.ts";
import { writeArchive } from "./read-archive.ts";

/**
 * Makes an archive of a conversation that was kept elsewhere, calls of tools included [T8]. The same source gives the same
 * archive, so that an import that was cut short is made again and not twice.
 */
export async function importArchive(
  { paths, writer, index, now, options }: SwitchesInput,
  source: string,
  messages: readonly TimedMessage[],
): Promise<ArchivedContext | undefined> {
  const files: ChatFile[] = [];
  const store = ({ ts, message }: TimedMessage): ChatMessage => {
    const detached = detachFiles(toChatMessage(message, ts, options.secrets ?? {}));
    files.push(...detached.files);
    return detached.message;
  };
  const items = itemsOf(messages, store);
  const said = items.filter(isMessage);
  const [first] = said;
  if (!first) return undefined;
  const id = hash("sha256", JSON.stringify([paths.chatKey, source]), "hex").slice(0, 10);
  const about = {
    contextId: `c_${dayOf(first.ts)}_${id}`,
    title: deriveTitle(said),
    createdAt: first.ts,
    archivedAt: now(),
    archiveReason: source,
    messageCount: said.length,
  };
  await writer.hold(async () => {
    await storeFiles(files, paths.files);
    await writeArchive(paths, { ...about, lines: items });
  });
  await index.list();
  return about;
}

/** What user and assistant said, with calls and results as typed lines before the reply that they led to. */
function itemsOf(messages: readonly TimedMessage[], store: (timed: TimedMessage) => ChatMessage): StoredItem[] {
  const items: StoredItem[] = [];
  let steps: ModelMessage[] = [];
  let question: ChatMessage | undefined;
  for (const timed of messages) {
    const { message } = timed;
    if (message.role === "tool" || hasCalls(message)) steps.push(message);
    if (message.role === "tool" || message.role === "system" || hasCalls(message) || isEmpty(message)) continue;
    const stored = store(timed);
    if (steps.length > 0 && message.role === "assistant") {
      const of = [...(question ? [messageId(question)] : []), messageId(stored)];
      items.push(stepsLine(steps, of, stored.ts));
      steps = [];
    }
    items.push(stored);
    if (message.role === "user") question = stored;
  }
  return items;
}

function stepsLine(messages: readonly ModelMessage[], of: readonly string[], ts: number): KeptLine {
  const tokens = Math.ceil(Buffer.byteLength(JSON.stringify(messages)) / 3);
  return { type: "steps", ts, of: [...of], count: messages.length, tokens, messages: [...messages] };
}

function hasCalls({ role, content }: ModelMessage): boolean {
  return role === "assistant" && typeof content !== "string" && content.some(({ type }) => type === "tool-call");
}

function isEmpty({ content }: ModelMessage): boolean {
  if (typeof content === "string") return content === "";
  return !content.some(({ type }) => type === "text" || type === "image" || type === "file");
}
