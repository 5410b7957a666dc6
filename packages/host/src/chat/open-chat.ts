import type { Problem } from "@galley/engine";
import { archiveEdits, checkConfirmation, removeChat } from "./contexts/archive-edits.ts";
import { archiveIndex } from "./contexts/archive-index.ts";
import type { Chat } from "./chat.ts";
import type { ChatOptions } from "./contexts/context-types.ts";
import { detachFiles } from "./lines/chat-files.ts";
import { formatDecision } from "./lines/chat-line.ts";
import { toChatMessage } from "./lines/chat-message.ts";
import { chatFolder, chatPaths, checkDataFolder, noChatError } from "./lines/chat-paths.ts";
import { type ChatWriter, chatWriter, repairTornLines } from "./lines/chat-writer.ts";
import { contextSearch } from "./contexts/context-search.ts";
import { contextSwitches } from "./contexts/context-switches.ts";
import { commitExchange } from "./lines/commit-exchange.ts";
import { exists } from "../disk/data-files.ts";
import { removeStoreCopies } from "../disk/store-files.ts";
import { mapInOrder } from "../limits/in-slices.ts";
import { readWindow } from "./lines/read-window.ts";
import { redactMessage } from "./contexts/redact-message.ts";
import { redactionReader } from "./lines/redactions.ts";
import { chatContext } from "./lines/session-entries.ts";

/** What reads the ends of a chat's files. */
function chatWindows(
  paths: ReturnType<typeof chatPaths>,
  redactions: ReturnType<typeof redactionReader>,
): Pick<Chat, "window" | "transcript" | "entries" | "context"> {
  const window: Chat["window"] = (limits = {}) => readWindow(paths.active, limits, redactions());
  const transcript: Chat["transcript"] = (limits = {}) => readWindow(paths.transcript, limits, redactions());
  const context: Chat["context"] = (limits, asked) =>
    chatContext(window(limits), () => transcript(limits), paths.files, asked);
  return {
    window,
    transcript,
    context,
    entries: (limits = {}) => context(limits, {}).entries,
  };
}

/** Takes messages in, in the order of the calls; many are converted in slices. */
function appender(writer: ChatWriter, options: ChatOptions, nextTime: () => number): Chat["append"] {
  const convertAll = mapInOrder();
  return async (messages, to = "both") => {
    const times = messages.map(nextTime);
    const converted = convertAll(messages, (message, at) => {
      const path = messages.length === 1 ? "message" : `messages[${at}]`;
      return detachFiles(toChatMessage(message, times[at] ?? nextTime(), options.secrets ?? {}, path));
    });
    // Not awaited where nothing is to wait for: calls of one moment are committed together.
    const kept = converted instanceof Promise ? await converted : converted;
    const stored = kept.map(({ message }) => message);
    const active = to === "both" ? stored : [];
    const files = kept.flatMap((one) => one.files);
    if (stored.length > 0) await writer.append({ transcript: stored, active }, files);
    return stored;
  };
}

/**
 * Opens a chat below a data folder. Nothing is made before the first write, and no archive is read. Several processes may
 * have one chat open.
 */
export async function openChat(dataFolder: string, chatKey: string, options: ChatOptions = {}): Promise<Chat> {
  const { patience = 30_000, now = Date.now } = options;
  const paths = chatPaths(chatFolder(dataFolder, chatKey));
  checkDataFolder(dataFolder, paths);
  const problems: Problem[] = [];
  const writer = chatWriter({ dataFolder, chatKey, paths, patience, report: (problem) => void problems.push(problem) });
  const redactions = redactionReader(paths.redactions);
  const index = archiveIndex(paths, chatKey, redactions);
  const search = contextSearch(paths, chatKey, index, redactions);
  const parts = { dataFolder, paths, chatKey, writer, index, search, redactions, now, options };
  let lastTime = 0;
  /** Never the same twice: what is said twice in a millisecond are two messages. */
  const nextTime = (): number => (lastTime = Math.max(now(), lastTime + 1));

  const close = async (): Promise<void> => {
    await writer.close();
    search.close();
  };
  problems.push(...(await repairTornLines([paths.transcript, paths.active], writer)));
  return {
    key: chatKey,
    folder: paths.folder,
    problems,
    append: appender(writer, options, nextTime),
    nextTime,
    commitExchange: (exchange) => commitExchange({ paths, writer, secrets: options.secrets ?? {} }, exchange),
    ...chatWindows(paths, redactions),
    // One that is made after a redaction says so, also when the clock was set back in between.
    recordDecision: (entry, head) =>
      writer.appendLine("active", formatDecision(entry, Math.max(nextTime(), redactions().latest + 1)), head),
    ...contextSwitches(parts),
    ...archiveEdits(parts),
    async deleteChat(confirmation) {
      checkConfirmation(chatKey, confirmation);
      if (!exists(paths.folder)) throw noChatError(dataFolder, chatKey);
      const removal = removeStoreCopies(dataFolder);
      await writer.hold(async () => removeChat(paths.folder));
      await close();
      return removal;
    },
    redact: (messageId) => redactMessage(parts, messageId, nextTime),
    async closeIdleFiles() {
      await writer.closeIdleFiles();
      search.close();
    },
    close,
  };
}
