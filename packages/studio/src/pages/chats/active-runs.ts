import type { RouteReply, RunEvent } from "galley/api";
import { ApiError, offlineCode } from "galley/api/client";
import { describeError } from "../../api/describe-error.ts";
import { call, stream } from "../../api/call.ts";
import { useConnection } from "../../api/connection.ts";
import { markStale } from "../../api/mark-stale.ts";
import { queryClient } from "../../api/query-client.ts";
import { did } from "../../browser/tour-state.ts";
import { type Said, chatInput, readSaid, returnAttachments, takeAttachments } from "./attachments.ts";
import { editKey, forgetReturned, returnDraft, takeDraft } from "./drafts.ts";
import { showProblem } from "../../kit/notices.tsx";
import { isUnderWay, noRun, takeRunEvent } from "./run-view.ts";
import { type Box, type ShownRun, dismissRun, isDismissed, shownIn, update, useActiveRuns } from "./shown-runs.ts";

type Start = () => AsyncGenerator<RunEvent, void>;

async function follow(chat: string, runId: string, start: Start, shown: Omit<ShownRun, "view">): Promise<void> {
  const present = shownIn(chat);
  if (present && isUnderWay(present.view)) {
    // Another page's run is shown since a moment ago.
    shown.box?.putBack();
    return;
  }
  const run: ShownRun = { ...shown, view: { ...noRun, runId } };
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
  if (run.view.status === "finished") {
    await settle(chat);
    did("send");
  } else if (run.delivery === "taken") await concludeTaken(chat, run, error);
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
  const isHandedBack = status === "aborted" && !shownIn(chat)?.isStopped;
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

/** Says what is written in the box of a chat, with what is attached to it. */
export function sendDraft(chat: string): void {
  const { text, runId } = takeDraft(chat);
  const attachments = takeAttachments(chat);
  if (text.trim() !== "" || attachments.length > 0) startRun(chat, { text, attachments }, runId);
}

function startRun(chat: string, said: Said, runId = newRunId()): void {
  const { text, attachments } = said;
  const input = chatInput(said);
  const start: Start = () => stream("runs.start", { body: { chat, input, runId } });
  const putBack = (): void => {
    returnDraft(chat, { text, runId });
    returnAttachments(chat, attachments);
  };
  const box: Box = { putBack, send: () => sendDraft(chat) };
  void follow(chat, runId, start, {
    delivery: "asked",
    input: shownInput(input),
    again: () => startRun(chat, said),
    box,
  });
}

/** Answers the last message of the user once more. */
export function regenerate(chat: string, replaces: string): void {
  const runId = newRunId();
  const start: Start = () => stream("runs.regenerate", { params: { key: chat }, body: { runId } });
  void follow(chat, runId, start, { delivery: "asked", replaces, again: () => regenerate(chat, replaces) });
}

interface Edited {
  readonly id: string;
  readonly content: unknown;
}

/** Says a message of the user as it is written in its editor, with what went with it, and answers it. */
export async function sendEdit(chat: string, message: Edited): Promise<void> {
  const { attachments } = await readSaid(chat, message.content);
  const { text, runId } = takeDraft(editKey(chat, message.id));
  if (text.trim() !== "") editMessage(chat, message, { text, attachments }, runId);
}

function editMessage(chat: string, message: Edited, said: Said, runId = newRunId()): void {
  const input = chatInput(said);
  const messageId = message.id;
  const start: Start = () => stream("runs.edit", { params: { key: chat }, body: { messageId, input, runId } });
  const again = (): void => editMessage(chat, message, said);
  const box: Box = {
    putBack: () => returnDraft(editKey(chat, messageId), { text: said.text, runId }),
    send: () => void sendEdit(chat, message).catch(showProblem),
  };
  void follow(chat, runId, start, { delivery: "asked", input: shownInput(input), replaces: messageId, again, box });
}

function shownInput(input: ReturnType<typeof chatInput>): unknown {
  return typeof input === "string" ? input : input.content;
}

/** Reads a run that is under way from its beginning, e.g. after a reload. What this page shows of it already says more. */
export function resumeRun(chat: string, runId: string): void {
  if (useActiveRuns.getState().finished[runId]) return;
  const shown = shownIn(chat);
  if (shown?.view.runId === runId && shown.delivery !== "refused") return;
  void follow(chat, runId, () => stream("runs.events", { params: { id: runId } }), { delivery: "taken" });
}

/** Shows how the last run ended, e.g. after a reload: its question waits for somebody to try again. */
export function showFailed(chat: string, { runId, model, error }: RouteReply<"runs.get">, question: unknown): void {
  if (shownIn(chat) || isDismissed(runId)) return;
  const run: ShownRun = {
    view: { ...noRun, runId, model, status: "failed", ...(error && { error }) },
    delivery: "kept",
    input: question,
    again: () => void readSaid(chat, question).then((said) => startRun(chat, said), showProblem),
  };
  useActiveRuns.setState(({ runs }) => ({ runs: { ...runs, [chat]: run } }));
}

/** Stops a run; the events that follow tell how it ended. */
export async function stopRun(chat: string): Promise<void> {
  const id = shownIn(chat)?.view.runId;
  if (id === undefined) return;
  await call("runs.abort", { params: { id } });
  update(chat, (run) => (run.view.runId === id ? { ...run, isStopped: true } : run));
}
