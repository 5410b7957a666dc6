import type { RouteReply, RunEvent } from "galley/api";
import { create } from "zustand";
import { ApiError, describeError, offlineCode } from "../../api/api-error.ts";
import { call, stream } from "../../api/call.ts";
import { markStale } from "../../api/mark-stale.ts";
import { queryClient } from "../../api/query-client.ts";
import { type RunError, type RunView, isUnderWay, noRun, takeRunEvent } from "./run-view.ts";

/** A run that this page shows, as long as it is of interest. */
export interface ShownRun {
  readonly view: RunView;
  /** What was said; unknown for a run that was found under way. */
  readonly input: string | undefined;
  /** The message that it answers anew or says differently: it and what follows it are about to be replaced. */
  readonly replaces: string | undefined;
  /** Does the same once more, where it can be done. */
  readonly again: (() => void) | undefined;
}

interface ActiveRuns {
  /** By the chat's key. They live beside the page, so that a run goes on being read while another page is shown. */
  readonly runs: Readonly<Record<string, ShownRun>>;
  /** What finished runs have shown, by their ids; tools and switches are not stored in a chat. */
  readonly finished: Readonly<Record<string, RunView>>;
}

export const useActiveRuns = create<ActiveRuns>()(() => ({ runs: {}, finished: {} }));

function update(chat: string, change: (run: ShownRun) => ShownRun): void {
  useActiveRuns.setState(({ runs }) => {
    const run = runs[chat];
    return run ? { runs: { ...runs, [chat]: change(run) } } : {};
  });
}

/** Takes a run away from the page; it is not stopped. */
export function dismissRun(chat: string): void {
  useActiveRuns.setState(({ runs }) => {
    const { [chat]: _, ...rest } = runs;
    return { runs: rest };
  });
}

type Start = () => AsyncGenerator<RunEvent, void>;

type Shown = Partial<Omit<ShownRun, "view">>;

async function follow(chat: string, start: Start, { input, replaces, again }: Shown = {}): Promise<void> {
  const present = useActiveRuns.getState().runs[chat];
  if (present && isUnderWay(present.view)) return;
  useActiveRuns.setState(({ runs }) => ({ runs: { ...runs, [chat]: { view: noRun, input, replaces, again } } }));
  let cut: unknown = new ApiError({ code: offlineCode, message: "The reply broke off." }, 0);
  try {
    for await (const event of start()) {
      // A stream that breaks in its middle ends with the error itself.
      if (!("type" in event)) throw Object.assign(new Error((event as Error).message), event);
      update(chat, (run) => ({ ...run, view: takeRunEvent(run.view, event) }));
    }
  } catch (error) {
    if (isCutOff(error)) cut = error;
    else endFailed(chat, error);
  }
  if (await hasEnded(chat, cut)) await settle(chat);
}

/** The connection is gone, and with it only the reader: what the daemon says itself is another matter. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof ApiError && error.code === offlineCode);
}

function endFailed(chat: string, error: unknown): void {
  const details = describeError(error);
  update(chat, (run) => ({ ...run, view: { ...run.view, status: "failed", error: details } }));
}

/** What the run has left behind is read again first, so that the reply does not vanish for a moment. */
async function settle(chat: string): Promise<void> {
  await markStale(queryClient, (route) => /^(?:chats|runs|sessions)\./.test(route));
  const { view } = useActiveRuns.getState().runs[chat] ?? {};
  if (view?.status !== "finished") return;
  const { runId } = view;
  if (runId !== undefined) useActiveRuns.setState(({ finished }) => ({ finished: { ...finished, [runId]: view } }));
  dismissRun(chat);
}

/** How long to wait before each time that the daemon is asked what became of a run, in ms; never at once, again and again. */
const pauses = [1000, 1000, 2000, 4000, 8000];

/**
 * Events may break off before the end, e.g. because the computer slept; the run goes on without its reader. False when it
 * is still under way: then it is read again, from its beginning.
 */
async function hasEnded(chat: string, cut: unknown): Promise<boolean> {
  const run = useActiveRuns.getState().runs[chat];
  if (!run || !isUnderWay(run.view)) return true;
  const { runId } = run.view;
  const found = runId === undefined ? { reason: cut } : await whatBecameOf(runId, cut);
  // Dismissed meanwhile: what is shown now has a reader of its own.
  if (useActiveRuns.getState().runs[chat] !== run) return false;
  if ("reason" in found) {
    endFailed(chat, found.reason);
    return true;
  }
  if (found.status === "running") {
    readAgain(chat, run, found.runId);
    return false;
  }
  const { status, error } = found;
  update(chat, ({ view, ...rest }) => ({
    ...rest,
    view: { ...view, status, ...(error && { error: describeBody(error) }) },
  }));
  return true;
}

/** Asks more than once: whoever was cut off may be so for a while. */
async function whatBecameOf(
  runId: string,
  cut: unknown,
): Promise<RouteReply<"runs.get"> | { readonly reason: unknown }> {
  let reason = cut;
  for (const pause of pauses) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      return await call("runs.get", { params: { id: runId } });
    } catch (error) {
      reason = error;
      if (!isCutOff(error)) break;
    }
  }
  return { reason };
}

/** With what is known of it beside its events. */
function readAgain(chat: string, shown: ShownRun, runId: string): void {
  dismissRun(chat);
  void follow(chat, () => stream("runs.events", { params: { id: runId } }), shown);
}

function describeBody({ code, message, hint }: { code: string; message: string; hint?: string | undefined }): RunError {
  return { code, message, ...(hint !== undefined && { hint }) };
}

/** Says something in a chat. */
export function startRun(chat: string, input: string): void {
  const start: Start = () => stream("runs.start", { body: { chat, input } });
  void follow(chat, start, { input, again: () => startRun(chat, input) });
}

/** Answers the last message of the user anew. */
export function regenerate(chat: string, replaces: string): void {
  const start: Start = () => stream("runs.regenerate", { params: { key: chat }, body: {} });
  void follow(chat, start, { replaces, again: () => regenerate(chat, replaces) });
}

/** Says a message of the user differently and answers it. */
export function editMessage(chat: string, messageId: string, input: string): void {
  const start: Start = () => stream("runs.edit", { params: { key: chat }, body: { messageId, input } });
  void follow(chat, start, { input, replaces: messageId, again: () => editMessage(chat, messageId, input) });
}

/** Reads a run that is under way from its beginning, e.g. after a reload. */
export function resumeRun(chat: string, runId: string): void {
  if (useActiveRuns.getState().finished[runId]) return;
  void follow(chat, () => stream("runs.events", { params: { id: runId } }));
}

/** Stops a run; the events that follow tell how it ended. */
export async function stopRun(chat: string): Promise<void> {
  const runId = useActiveRuns.getState().runs[chat]?.view.runId;
  if (runId !== undefined) await call("runs.abort", { params: { id: runId } });
}
