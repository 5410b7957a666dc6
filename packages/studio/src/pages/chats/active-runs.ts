import type { RouteReply, RunEvent } from "galley/api";
import { create } from "zustand";
import { ApiError, offlineCode } from "galley/api/client";
import { describeError } from "../../api/describe-error.ts";
import { call, stream } from "../../api/call.ts";
import { useConnection } from "../../api/connection.ts";
import { markStale } from "../../api/mark-stale.ts";
import { queryClient } from "../../api/query-client.ts";
import { editKey, forgetReturned, returnDraft, takeDraft } from "./drafts.ts";
import { type RunView, isUnderWay, noRun, takeRunEvent } from "./run-view.ts";

/**
 * Where what was said has come to, as far as the daemon has told: `asked` for and not answered yet; `taken`, the run is
 * stored; `kept`, the run has ended without a reply and the message is in the transcript; `refused`, the daemon does not
 * have it, or does not answer.
 */
type Delivery = "asked" | "taken" | "kept" | "refused";

/** A run that this page shows, as long as it is of interest. */
export interface ShownRun {
  readonly view: RunView;
  readonly delivery: Delivery;
  /** What was said; unknown for a run that was found under way, and gone once it is back in its box. */
  readonly input: string | undefined;
  /** The message that it answers once more or edits: it and what follows it are about to be replaced. */
  readonly replaces: string | undefined;
  /** Does the same once more, where it can be done. */
  readonly again: (() => void) | undefined;
  /** Where it was written, if a person wrote it. */
  readonly box: Box | undefined;
  /** The daemon was asked about a request that got no answer. */
  readonly isAsked: boolean;
  /** A person pressed Stop on this page, and the daemon has heard it. */
  readonly isStopped: boolean;
}

/** Where something is written: the box of a chat, or the editor of a message. */
interface Box {
  readonly putBack: () => void;
  /** Sends what is written there now. */
  readonly send: () => void;
}

interface ActiveRuns {
  /** By the chat's key. They live beside the page, so that a run goes on being read while another page is shown. */
  readonly runs: Readonly<Record<string, ShownRun>>;
  /** What finished runs have shown, by their ids; tools and switches are not stored in a chat. */
  readonly finished: Readonly<Record<string, RunView>>;
}

export const useActiveRuns = create<ActiveRuns>()(() => ({ runs: {}, finished: {} }));

const shownIn = (chat: string): ShownRun | undefined => useActiveRuns.getState().runs[chat];

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

async function follow(
  chat: string,
  runId: string,
  start: Start,
  shown: Partial<Omit<ShownRun, "view">> & Pick<ShownRun, "delivery">,
): Promise<void> {
  const present = shownIn(chat);
  if (present && isUnderWay(present.view)) {
    // Another page's run is shown since a moment ago.
    shown.box?.putBack();
    return;
  }
  const unknown = { input: undefined, replaces: undefined, again: undefined, box: undefined };
  const run: ShownRun = { ...unknown, isAsked: false, isStopped: false, ...shown, view: { ...noRun, runId } };
  useActiveRuns.setState(({ runs }) => ({ runs: { ...runs, [chat]: run } }));
  await conclude(chat, await readEvents(chat, start));
}

/** Takes the events in, and gives what broke them off before they told of an end. */
async function readEvents(chat: string, start: Start): Promise<unknown> {
  try {
    for await (const event of start()) {
      // A stream that breaks in its middle ends with the error itself.
      if (!("type" in event)) throw Object.assign(new Error((event as Error).message), event);
      const isStart = event.type === "run:started";
      if (isStart) forgetReturned(event.runId);
      update(chat, ({ view, ...run }) => ({
        ...run,
        ...(isStart && { delivery: "taken" }),
        view: takeRunEvent(view, event),
      }));
    }
  } catch (error) {
    return error;
  }
  const { view } = shownIn(chat) ?? {};
  return view && isUnderWay(view) ? new ApiError({ code: offlineCode, message: "The reply broke off." }, 0) : undefined;
}

/** The connection is gone, and with it only the reader: what the daemon says itself is another matter. */
function isCutOff(error: unknown): boolean {
  return error instanceof ApiError && error.code === offlineCode;
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How long to wait before each time that the daemon is asked what became of a run, in ms; never at once, again and again. */
const pauses = [1000, 1000, 2000, 4000, 8000] as const;

/** Finds out what became of a run whose events are over, and says only what the daemon has said. */
async function conclude(chat: string, error: unknown): Promise<void> {
  const run = shownIn(chat);
  if (!run) return;
  if (run.view.status === "finished") await settle(chat);
  else if (run.delivery === "taken") await concludeTaken(chat, run, error);
  else if (!isUnderWay(run.view) || !isCutOff(error) || run.isAsked) await refuse(chat, error);
  // The answer may be lost and the request not: the daemon knows.
  else await readAgain(chat, { ...run, isAsked: true });
}

async function concludeTaken(chat: string, run: ShownRun, error: unknown): Promise<void> {
  const { status } = run.view;
  const isTold = !isUnderWay(run.view);
  const found = await whatBecameOf(run.view.runId ?? "", error, isTold ? [0] : pauses);
  // Dismissed meanwhile: what is shown now has a reader of its own.
  if (shownIn(chat)?.view !== run.view) return;
  if ("status" in found && found.status !== "running") return end(chat, found);
  // A daemon that closes hands the run back, and goes on with it when it is there again.
  const isHandedBack = status === "aborted" && shownIn(chat)?.isStopped !== true;
  if (isHandedBack || (!isTold && "status" in found)) return readAgain(chat, run);
  if ("reason" in found && !isTold) {
    endFailed(chat, found.reason);
    update(chat, (failed) => ({ ...failed, again: () => void readAgain(chat, run) }));
  }
  return settle(chat);
}

/** As the daemon has it: in a run that has ended without a reply, the message is in the transcript [W11]. */
function end(chat: string, { status, error }: RouteReply<"runs.get">): Promise<void> {
  update(chat, ({ view, ...run }) => ({
    ...run,
    delivery: status === "finished" ? run.delivery : "kept",
    view: { ...view, status, ...(error && !view.error && { error }) },
  }));
  return settle(chat);
}

function endFailed(chat: string, error: unknown): void {
  const details = describeError(error);
  update(chat, (run) => ({ ...run, view: { error: details, ...run.view, status: "failed" } }));
}

/** The daemon has not said that it has it: what was said goes back to where it was written. */
function refuse(chat: string, error: unknown): Promise<void> {
  shownIn(chat)?.box?.putBack();
  if (error !== undefined) endFailed(chat, error);
  update(chat, (run) => ({
    ...run,
    delivery: "refused",
    ...(run.box && { input: undefined, again: run.box.send }),
  }));
  return settle(chat);
}

/** What the run has left behind is read again first, so that the reply does not vanish for a moment. */
async function settle(chat: string): Promise<void> {
  await markStale(queryClient, (route) => /^(?:chats|runs|sessions)\./.test(route));
  const { view } = shownIn(chat) ?? {};
  if (view?.status !== "finished") return;
  const { runId } = view;
  if (runId !== undefined) useActiveRuns.setState(({ finished }) => ({ finished: { ...finished, [runId]: view } }));
  dismissRun(chat);
}

/** Asks more than once: a page that was cut off may be so for a while. */
async function whatBecameOf(
  runId: string,
  cut: unknown,
  after: readonly number[],
): Promise<RouteReply<"runs.get"> | { readonly reason: unknown }> {
  let reason = cut;
  for (const pause of after) {
    await wait(pause);
    try {
      return await call("runs.get", { params: { id: runId } });
    } catch (error) {
      reason = error;
      if (!isCutOff(error)) break;
    }
  }
  return { reason };
}

/** From its beginning, with what is known of it beside its events. */
async function readAgain(chat: string, run: ShownRun): Promise<void> {
  const shown = shownIn(chat)?.view;
  await wait(pauses[0]);
  if (shownIn(chat)?.view !== shown) return;
  const id = run.view.runId ?? "";
  dismissRun(chat);
  await follow(chat, id, () => stream("runs.events", { params: { id } }), run);
}

// A run that was cut off for longer than the pauses is read on when the daemon answers again.
useConnection.subscribe((now, before) => {
  if (now.isOffline || !before.isOffline) return;
  for (const { view, delivery, again } of Object.values(useActiveRuns.getState().runs)) {
    if (view.status === "failed" && delivery === "taken" && view.error?.code === offlineCode) again?.();
  }
});

/** The page names its runs itself: it can ask about one, and stop it, before the daemon has said a word of it. */
function newRunId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Says what is written in the box of a chat. */
export function sendDraft(chat: string): void {
  const { text, runId } = takeDraft(chat);
  if (text.trim() !== "") startRun(chat, text, runId);
}

function startRun(chat: string, input: string, runId = newRunId()): void {
  const start: Start = () => stream("runs.start", { body: { chat, input, runId } });
  const box: Box = { putBack: () => returnDraft(chat, { text: input, runId }), send: () => sendDraft(chat) };
  void follow(chat, runId, start, { delivery: "asked", input, again: () => startRun(chat, input), box });
}

/** Answers the last message of the user once more. */
export function regenerate(chat: string, replaces: string): void {
  const runId = newRunId();
  const start: Start = () => stream("runs.regenerate", { params: { key: chat }, body: { runId } });
  void follow(chat, runId, start, { delivery: "asked", replaces, again: () => regenerate(chat, replaces) });
}

/** Says a message of the user as it is written in its editor, and answers it. */
export function sendEdit(chat: string, messageId: string): void {
  const { text, runId } = takeDraft(editKey(chat, messageId));
  if (text.trim() !== "") editMessage(chat, messageId, text, runId);
}

function editMessage(chat: string, messageId: string, input: string, runId = newRunId()): void {
  const start: Start = () => stream("runs.edit", { params: { key: chat }, body: { messageId, input, runId } });
  const again = (): void => editMessage(chat, messageId, input);
  const box: Box = {
    putBack: () => returnDraft(editKey(chat, messageId), { text: input, runId }),
    send: () => sendEdit(chat, messageId),
  };
  void follow(chat, runId, start, { delivery: "asked", input, replaces: messageId, again, box });
}

/** Reads a run that is under way from its beginning, e.g. after a reload. What this page shows of it already says more. */
export function resumeRun(chat: string, runId: string): void {
  if (useActiveRuns.getState().finished[runId]) return;
  const shown = shownIn(chat);
  if (shown?.view.runId === runId && shown.delivery !== "refused") return;
  void follow(chat, runId, () => stream("runs.events", { params: { id: runId } }), { delivery: "taken" });
}

/** Stops a run; the events that follow tell how it ended. */
export async function stopRun(chat: string): Promise<void> {
  const id = shownIn(chat)?.view.runId;
  if (id === undefined) return;
  await call("runs.abort", { params: { id } });
  update(chat, (run) => (run.view.runId === id ? { ...run, isStopped: true } : run));
}
