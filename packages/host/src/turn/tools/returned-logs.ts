import type { MessageEntry, SessionEntry } from "@galley/engine";
import { answerText } from "../../handover/cards/result-text.ts";
import type { Task } from "../../store/ports/task-store.ts";
import { pathOf } from "../services/session-path.ts";

/** The tasks whose results came back to a place. */
export interface ReturnedTasks {
  /** `chat:KEY`, `session:ID`, `agent:NAME`. */
  readonly place: string;
  readonly read: (taskIds: readonly string[]) => Promise<readonly (Task | undefined)[]>;
}

/** A result that its place shows a part of. */
export interface WholeResult {
  readonly taskId: string;
  readonly text: string;
  readonly ts: number;
}

/** Results can be long, so that only the newest are looked through. */
const maxResults = 20;

/**
 * The whole text of results that a log shows the head and the tail of, or a line [A1a]: of one task, or of the newest. What was
 * redacted in the log, stands on another branch, or was handed over elsewhere is not given.
 */
export async function wholeResults(
  entries: readonly SessionEntry[],
  { place, read }: ReturnedTasks,
  taskId?: string,
): Promise<readonly WholeResult[]> {
  const redacted = new Set(entries.flatMap((entry) => (entry.type === "redact" ? [entry.entryId] : [])));
  const shown = pathOf(entries).filter(
    (entry): entry is MessageEntry & { readonly taskId: string } =>
      entry.type === "result" && typeof entry.taskId === "string" && !redacted.has(entry.id),
  );
  const asked = shown.filter((entry) => taskId === undefined || entry.taskId === taskId).slice(-maxResults);
  if (asked.length === 0) return [];
  const tasks = await read(asked.map((entry) => entry.taskId));
  return asked.flatMap(({ message }, index): WholeResult[] => {
    const task = tasks[index];
    if (task?.origin?.place !== place) return [];
    const text = answerText(task);
    const isWhole = typeof message.content === "string" && message.content.includes(text);
    return isWhole ? [] : [{ taskId: task.id, text, ts: task.finishedAt ?? 0 }];
  });
}
