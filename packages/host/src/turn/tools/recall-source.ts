import { type MessageEntry, type RecallOptions, type SessionEntry, isMessageEntry } from "@galley/engine";
import { type PlaceId, chatKeyOf } from "../../api/place-id.ts";
import type { Chat } from "../../chat/chat.ts";
import { type ChatMessage, messageId } from "../../chat/lines/chat-line.ts";
import { chatFolder, noChatError } from "../../chat/lines/chat-paths.ts";
import { interleave } from "../../chat/lines/kept-lines.ts";
import { textOf } from "../../chat/lines/read-window.ts";
import { entriesOfLine } from "../../chat/lines/session-entries.ts";
import { exists } from "../../disk/data-files.ts";
import { notFound } from "../../handover/options/request-errors.ts";
import { readTaskLog } from "../../handover/work/task-log.ts";
import type { Store } from "../../store/ports/ports.ts";
import type { Task } from "../../store/ports/task-store.ts";
import type { Services } from "../services/services.ts";
import { answerText } from "../../handover/cards/result-text.ts";
import { noSession, pathOf } from "../services/session-path.ts";

export interface RecallLog {
  /** Stands in front of its handles: the id of an archive, or of the task whose result it is; nothing for what is active. */
  readonly prefix?: string;
  /** The tag that opened it, where it is an attached agent's. */
  readonly tag?: string;
  readonly entries: readonly SessionEntry[];
  /** The archive that it was loaded from, perhaps in part. */
  readonly loadedFrom?: string | undefined;
  /** Whose window shows something of it; the model's that asks, unless given. */
  readonly window?: RecallOptions["window"];
}

/** Where a place's recall reads: its own log and the archives of its own chat, and nothing else [R2]. */
export interface RecallSource {
  active(): Promise<RecallLog>;
  /** The archives that match, best first; or the one of this id. */
  archives(asked: { readonly query?: string; readonly contextId?: string }): Promise<readonly RecallLog[]>;
  /** Whole results of tasks that the active log shows in part [A1a], or that of one task; absent where none come back. */
  results?(active: RecallLog, taskId?: string): Promise<readonly RecallLog[]>;
  /** The log of an attached agent that a tag opens [L7]; absent where no such log may be read. */
  tagged?(tag: string): Promise<RecallLog | "unknown" | "replaced">;
}

/** The tasks whose results came back to a place. */
export interface ReturnedTasks {
  /** `chat:KEY`, `session:ID`, `agent:NAME`. */
  readonly place: string;
  readonly read: (taskIds: readonly string[]) => Promise<readonly (Task | undefined)[]>;
}

export interface ChatSourceOptions {
  readonly log?: (() => readonly SessionEntry[]) | undefined;
  /** "none" where the window is another program's: all that is here may have left it. */
  readonly window?: RecallOptions["window"];
  /** The data folder whose programs may open logs of attached agents by their tags. */
  readonly tagsBeside?: string;
  readonly returned?: ReturnedTasks | undefined;
}

/** An archive is read whole, so that only the best are. */
const maxArchives = 4;

export function chatSource(
  open: () => Promise<Chat>,
  { log, window, tagsBeside, returned }: ChatSourceOptions = {},
): RecallSource {
  return {
    ...(tagsBeside === undefined ? {} : { tagged: (tag: string) => taggedLog(tag, tagsBeside) }),
    ...resultsOf(returned),
    async active() {
      const { entries, loadedFrom } = await (await open()).whole();
      return { entries: joinLogs(entries, log?.() ?? []), window, loadedFrom };
    },
    async archives({ query, contextId }) {
      const chat = await open();
      if (contextId !== undefined) return [archiveLog(chat, contextId)];
      const found = await chat.searchContexts(query ?? "", maxArchives);
      return found.map((one) => archiveLog(chat, one.contextId));
    },
  };
}

async function taggedLog(tag: string, dataFolder: string): Promise<RecallLog | "unknown" | "replaced"> {
  const { openTagged } = await import("../../logs/attached-logs.ts");
  const found = await openTagged(tag, dataFolder);
  if (!found?.messages) return found ? "replaced" : "unknown";
  // In the order of the log: where a message says what it follows, the log has branches.
  const entries = found.messages.map(({ message, ts }, index): SessionEntry => {
    return { id: `${tag}-${index + 1}`, ts, type: "message", message };
  });
  return { tag, entries, window: "none" };
}

export function returnedTo({ store, project }: Pick<Services, "store" | "project">, place: string): ReturnedTasks {
  return { place, read: (taskIds) => store.tasks.read(project, taskIds) };
}

export function resultsOf(returned: ReturnedTasks | undefined): Pick<RecallSource, "results"> {
  return returned ? { results: ({ entries }, taskId) => wholeResults(entries, returned, taskId) } : {};
}

/** Results can be long, so that only the newest are looked through. */
const maxResults = 20;

/**
 * The whole text of results that a log shows the head and the tail of, or a line [A1a]: of one task, or of the newest. What was
 * redacted in the log, stands on another branch, or was handed over elsewhere is not given.
 */
async function wholeResults(
  entries: readonly SessionEntry[],
  { place, read }: ReturnedTasks,
  taskId?: string,
): Promise<readonly RecallLog[]> {
  const redacted = new Set(entries.flatMap((entry) => (entry.type === "redact" ? [entry.entryId] : [])));
  const shown = pathOf(entries).filter(
    (entry): entry is MessageEntry & { readonly taskId: string } =>
      entry.type === "result" && typeof entry.taskId === "string" && !redacted.has(entry.id),
  );
  const asked = shown.filter((entry) => taskId === undefined || entry.taskId === taskId).slice(-maxResults);
  if (asked.length === 0) return [];
  const tasks = await read(asked.map((entry) => entry.taskId));
  return asked.flatMap(({ message }, index): RecallLog[] => {
    const task = tasks[index];
    if (task?.origin?.place !== place) return [];
    const text = answerText(task);
    if (typeof message.content === "string" && message.content.includes(text)) return [];
    const whole = { role: "user", content: text } as const;
    const [id, ts] = [`result-${task.id}`, task.finishedAt ?? 0];
    const entry = { id, ts, type: "result", taskId: task.id, message: whole } as const;
    return [{ prefix: task.id, entries: [entry], window: "none" }];
  });
}

export function sessionSource(
  services: Pick<Services, "sessions" | "store" | "project">,
  session: string,
  { log, window }: Pick<ChatSourceOptions, "log" | "window"> = {},
): RecallSource {
  const { sessions } = services;
  return {
    ...resultsOf(returnedTo(services, `session:${session}`)),
    active: async () => ({ entries: joinLogs(await sessions.read(session), log?.() ?? []), window }),
    archives: async () => [],
  };
}

/** What a task was given and what it said itself, and nothing else: those are its two boxes [H6]. */
export function taskSource(
  store: Store,
  task: Task,
  { log, window }: Pick<ChatSourceOptions, "log" | "window"> = {},
): RecallSource {
  return {
    active: async () => ({ entries: log?.() ?? (await readTaskLog(store, task)).entries, window }),
    archives: async () => [],
  };
}

export async function taskNamed({ store, project }: Pick<Services, "store" | "project">, id: string): Promise<Task> {
  const [task] = await store.tasks.read(project, [id]);
  if (task) return task;
  throw notFound("place.name", `There is no task ${JSON.stringify(id)}.`);
}

/**
 * Of a place that is asked from outside, and not by its model: what its window still shows is given as well. One that does not
 * exist is `NotFound`.
 */
export async function sourceOf(
  services: Pick<Services, "data" | "chats" | "sessions" | "store" | "project">,
  { kind, name }: PlaceId,
): Promise<RecallSource> {
  const window = "person";
  if (kind === "task") return taskSource(services.store, await taskNamed(services, name), { window });
  if (kind === "session") {
    if ((await services.sessions.read(name)).length === 0) throw noSession(name);
    return sessionSource(services, name, { window });
  }
  const key = chatKeyOf({ kind, name });
  if (!exists(chatFolder(services.data, key))) throw noChatError(services.data, key);
  const returned = returnedTo(services, `${kind}:${name}`);
  return chatSource(() => services.chats.open(key), { returned, window });
}

/** The whole log with what a turn has added to its end: it holds decisions as they are in force, also those not written yet. */
function joinLogs(stored: readonly SessionEntry[], present: readonly SessionEntry[]): readonly SessionEntry[] {
  if (present.length === 0) return stored;
  const newest = new Map(present.map((entry) => [entry.id, entry]));
  const known = new Set(stored.map(({ id }) => id));
  return [...stored.map((entry) => newest.get(entry.id) ?? entry), ...present.filter(({ id }) => !known.has(id))];
}

/** What was said in an archive, and behind it what was noted about it: an archive may consist of a note alone [A7]. */
function archiveLog(chat: Chat, contextId: string): RecallLog {
  const { messages, kept, archivedAt, note, earlierNotes = [] } = chat.readContext(contextId);
  const notes = [note, ...earlierNotes].filter((text) => text !== undefined);
  // Counted as in the context itself: a handle from there is the same here, with the id in front [R1].
  const said = [...interleave(messages, kept)].flatMap((item): readonly SessionEntry[] =>
    "type" in item ? entriesOfLine(item).filter(isCounted) : [wordsOf(item)],
  );
  const noted = notes.map((content, index): SessionEntry => {
    return { id: `${contextId}/${index}`, ts: archivedAt, type: "message", message: { role: "assistant", content } };
  });
  const entries = [...said, ...noted];
  return { prefix: contextId, entries, window: "none" };
}

/** A message, or what says that one was redacted. */
function isCounted(entry: SessionEntry): boolean {
  return isMessageEntry(entry) || entry.type === "redact";
}

function wordsOf(message: ChatMessage): SessionEntry {
  const { ts, role } = message;
  return { id: messageId(message), ts, type: "message", message: { role, content: textOf(message) } };
}
