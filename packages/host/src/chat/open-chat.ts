import type { Problem } from "@galley/engine";
import { archiveEdits, checkConfirmation, removeChat } from "./contexts/archive-edits.ts";
import { archiveSummaries } from "./contexts/archive-summaries.ts";
import { archiveIndex } from "./contexts/archive-index.ts";
import type { Chat } from "./chat.ts";
import type { ChatOptions } from "./contexts/context-types.ts";
import { detachFiles } from "./lines/chat-files.ts";
import { formatDecision, formatLine } from "./lines/chat-line.ts";
import { toChatMessage } from "./lines/chat-message.ts";
import { chatFolder, chatPaths, checkDataFolder, noChatError } from "./lines/chat-paths.ts";
import { type ChatWriter, chatWriter, repairTornLines } from "./lines/chat-writer.ts";
import { isMessage } from "./lines/kept-lines.ts";
import { contextSearch } from "./contexts/context-search.ts";
import { type SwitchesInput, contextSwitches } from "./contexts/context-switches.ts";
import { alternatesIn, chooseAlternate } from "./contexts/alternates.ts";
import { chatPins } from "./contexts/chat-pins.ts";
import { commitExchange, recordedResults } from "./contexts/commit-exchange.ts";
import { importedLines } from "./contexts/import-entries.ts";
import { findMessage } from "./contexts/find-message.ts";
import { type ContextStampReader, contextStampReader } from "./contexts/context-stamp.ts";
import { exists } from "../disk/data-files.ts";
import { keptFolder } from "../disk/data-paths.ts";
import { removeStoreCopies } from "../disk/store-files.ts";
import { mapInOrder, runInSlices } from "../limits/in-slices.ts";
import { everything, nothing, readWindow, windowSteps } from "./lines/read-window.ts";
import { redactInChat } from "./contexts/redact-in-chat.ts";
import { redactionReader } from "./lines/redactions.ts";
import { type ContextMemory, contextMemory } from "./lines/context-memory.ts";
import { type WholeContext, chatContext, contextSteps } from "./lines/session-entries.ts";

/** How many messages of a transcript are given to a context that does not exist yet, and how many alternates are looked for in. */
const maxGiven = 20_000;

/** What reads the ends of a chat's files. */
function chatWindows(
  paths: ReturnType<typeof chatPaths>,
  redactions: ReturnType<typeof redactionReader>,
  stamp: ContextStampReader,
): Pick<Chat, "window" | "transcript" | "entries" | "whole" | "context" | "adopt"> &
  Pick<ContextMemory, "forget" | "wrote"> & { readonly closeFolder: () => void } {
  const folder = keptFolder(paths.contexts);
  const memory = contextMemory({
    ...paths,
    folder,
    transcript: (maxBytes) => transcript({ maxMessages: maxGiven, maxCharacters: maxBytes }),
  });
  const window: Chat["window"] = (limits = {}) => readWindow(paths.active, limits, redactions());
  const transcript: Chat["transcript"] = (limits = {}) => readWindow(paths.transcript, limits, redactions());
  // A branch may go back behind the compaction in force, and is read from nothing.
  const context: Chat["context"] = (limits, asked) =>
    limits.maxBytes === undefined || asked.cutFrom !== undefined
      ? chatContext(window(limits), () => transcript(limits), paths.files, asked)
      : memory.read(limits.maxBytes, redactions(), asked);
  return {
    adopt: (entries) => memory.adopt(entries),
    forget: () => memory.forget(),
    closeFolder: () => folder.release(),
    wrote(appended) {
      memory.wrote(appended);
      stamp.appended(appended.after);
    },
    window,
    transcript,
    context,
    entries: (limits = {}) => context(limits, {}).entries,
    whole: () => runInSlices(wholeSteps(paths, redactions())),
  };
}

function* wholeSteps(
  { active, transcript, files }: ReturnType<typeof chatPaths>,
  redactions: ReturnType<ReturnType<typeof redactionReader>>,
): Generator<unknown, WholeContext> {
  const window = yield* windowSteps(active, everything, redactions);
  const said = window.exists ? nothing : yield* windowSteps(transcript, everything, redactions);
  const { entries, head } = yield* contextSteps(window, () => said, files, {});
  return { messages: window.messages, entries, head, loadedFrom: window.recalled?.from };
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

/** Never the same twice: what is said twice in a millisecond are two messages. */
function differentTimes(now: () => number): () => number {
  let last = 0;
  return () => (last = Math.max(now(), last + 1));
}

/** What takes in messages, and what an import gives, each call in one write. */
function adders(
  writer: ChatWriter,
  options: ChatOptions,
  nextTime: () => number,
): Pick<Chat, "append" | "importEntries"> {
  return {
    append: appender(writer, options, nextTime),
    async importEntries(entries) {
      const { files, effects, left, ...lines } = importedLines(entries, nextTime, options.secrets ?? {});
      if (lines.transcript.length > 0) await writer.append(lines, files);
      if (effects) await writer.appendLine("active", formatDecision(effects, nextTime()));
      return { messages: lines.transcript.filter(isMessage), left };
    },
  };
}

async function deleteChat(
  { dataFolder, paths, writer }: Pick<SwitchesInput, "dataFolder" | "paths" | "writer">,
  confirmation: string,
  close: () => Promise<void>,
): ReturnType<Chat["deleteChat"]> {
  checkConfirmation(paths.chatKey, confirmation);
  if (!exists(paths.folder)) throw noChatError(dataFolder, paths.chatKey);
  const removal = removeStoreCopies(dataFolder);
  await writer.hold(async () => removeChat(paths.folder));
  await close();
  return removal;
}

/**
 * Opens a chat below a data folder. Nothing is made before the first write, and no archive is read. Several processes may
 * have one chat open.
 */
export async function openChat(dataFolder: string, chatKey: string, options: ChatOptions = {}): Promise<Chat> {
  const { patience = 30_000, now = Date.now } = options;
  const paths = { ...chatPaths(chatFolder(dataFolder, chatKey)), chatKey };
  checkDataFolder(dataFolder, paths);
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const redactions = redactionReader(paths.redactions);
  const stamp = contextStampReader(paths);
  const { forget, closeFolder, wrote, ...windows } = chatWindows(paths, redactions, stamp);
  const writer = chatWriter({ paths, patience, report, onAppend: wrote });
  const index = archiveIndex(paths, redactions);
  const search = contextSearch(paths, index, redactions);
  const summaries = archiveSummaries({ paths, writer, redactions, report });
  const nextTime = differentTimes(now);
  const shared = { dataFolder, paths, writer, index, search, summaries, report };
  const parts = { ...shared, redactions, now, options, onSwitch: (archive?: string) => stamp.switched(archive) };
  const close = async (): Promise<void> => {
    await summaries.idle();
    await writer.close();
    search.close();
    closeFolder();
    forget();
  };
  problems.push(...(await repairTornLines([paths.transcript, paths.active], writer)));
  return {
    key: chatKey,
    folder: paths.folder,
    problems,
    ...adders(writer, options, nextTime),
    nextTime,
    commitExchange: (exchange) =>
      commitExchange({ paths, writer, stamp, index, secrets: options.secrets ?? {} }, exchange),
    stamp: () => stamp.open(),
    ...chatPins({ windows, files: paths.files, writer, nextTime, options }),
    alternates: () => alternatesIn(windows.window({ maxMessages: maxGiven, maxCharacters: 2 ** 40 })),
    chooseAlternate: (id) => chooseAlternate(parts, id),
    ...windows,
    findMessage: (id, cutFrom) => findMessage(paths, id, cutFrom),
    recordedResults: () => recordedResults(paths),
    // One that is made after a redaction says so, also when the clock was set back in between.
    recordDecision: (entry, head) =>
      writer.appendLine("active", formatDecision(entry, Math.max(nextTime(), redactions().latest + 1)), head),
    recordRuntimeInit: ({ id, data }, head) =>
      writer.appendLine("active", formatLine({ type: "runtime-init", ts: nextTime(), id, data }), head),
    ...contextSwitches(parts),
    ...archiveEdits(parts),
    deleteChat: (confirmation) => deleteChat(shared, confirmation, close),
    redact: (messageId) => redactInChat(parts, messageId, nextTime),
    async closeIdleFiles() {
      await writer.closeIdleFiles();
      search.close();
      closeFolder();
    },
    close,
  };
}
