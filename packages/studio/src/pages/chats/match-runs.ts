import { messageText } from "../../message/message-blocks.ts";
import type { RunView } from "./run-view.ts";

/** What is needed of a stored message. */
export interface MatchedMessage {
  readonly id: string;
  readonly ts: number;
  readonly role: "user" | "assistant";
  readonly content: unknown;
  readonly isStopped?: boolean | undefined;
}

/** What is needed of a run. */
export interface MatchedRun {
  readonly runId: string;
  readonly session: string;
  readonly status: string;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly calls: readonly number[];
  readonly reply?: { readonly content: unknown };
}

/** The reply is written before a run counts as finished; two clocks may differ a little. */
const slack = 5000;

/**
 * Which run gave which reply. Stored messages carry no run's id, because chats are files that other programs write as
 * well; a reply is known by its text and by the time of the run.
 */
export function matchRuns<Run extends MatchedRun>(
  messages: readonly MatchedMessage[],
  runs: readonly Run[],
): ReadonlyMap<string, Run> {
  const open = runs.filter(({ calls }) => calls.length > 0);
  const matches = new Map<string, Run>();
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant") continue;
    const at = open.findIndex((run) => isDuring(run, message.ts) && hasSaid(run, message));
    const [run] = at < 0 ? [] : open.splice(at, 1);
    if (run) matches.set(message.id, run);
  }
  return matches;
}

/** Of a run that was stopped only the chat keeps what it had said. */
function hasSaid({ status, reply }: MatchedRun, { content, isStopped }: MatchedMessage): boolean {
  if (isStopped) return status === "aborted";
  return status === "finished" && reply !== undefined && spoken(reply.content) === spoken(content);
}

/**
 * Whether the reply of a run is the newest message already: it is stored before the page is told that the run has ended. Of a run
 * that was stopped, what it had said until then is stored; the page may have heard less of it.
 */
export function isReplyStored({ status, blocks }: RunView, newest: MatchedMessage | undefined): boolean {
  const reply = blocks.findLast(({ kind }) => kind === "text");
  if (status === "failed" || reply?.kind !== "text" || newest?.role !== "assistant") return false;
  const [heard, stored] = [reply.text.trim(), spoken(newest.content)];
  if (status !== "aborted") return stored === heard;
  return newest.isStopped === true && heard !== "" && (stored.startsWith(heard) || heard.startsWith(stored));
}

function isDuring({ startedAt, finishedAt }: MatchedRun, ts: number): boolean {
  return ts >= startedAt - slack && ts <= (finishedAt ?? Infinity) + slack;
}

/** Only what was said: chats keep neither reasoning nor calls [W2]. */
function spoken(content: unknown): string {
  if (!Array.isArray(content)) return messageText(content).trim();
  const parts = content as readonly { readonly type?: unknown }[];
  return messageText(parts.filter(({ type }) => type === "text")).trim();
}
