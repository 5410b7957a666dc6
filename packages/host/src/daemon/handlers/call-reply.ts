import type { AssistantMessage, ModelMessage, SessionEntry } from "@galley/engine";
import type { Galley } from "../../galley/galley.ts";
import { callOf } from "../../store/logged-builds.ts";
import type { BuildUsage, StoredBuild } from "../../store/ports/build-store.ts";
import type { StoredRun } from "../../store/ports/run-store.ts";
import type { SessionRef } from "../../store/ports/session-store.ts";

/** What became of a call: the model's reply, and how its run stands; what is not known is absent. */
export interface CallReply {
  readonly reply?: AssistantMessage;
  readonly runStatus?: StoredRun["status"];
}

/**
 * The reply to a recorded call: the last one of a run has the run's, one that a log tells of is named after its reply, and any
 * other stands in the call that follows it.
 */
export async function replyOf(
  { store, project }: Pick<Galley, "store" | "project">,
  session: SessionRef,
  { n, runId, messages, key, isLogged }: StoredBuild,
): Promise<CallReply> {
  if (isLogged) {
    const reply = assistantIn(await store.sessions.read(session), key);
    return reply ? { reply } : {};
  }
  const run = runId === undefined ? undefined : await store.runs.get(project, runId);
  const isLast = run !== undefined && !run.calls.some((call) => call > n);
  const reply = isLast ? run.reply : replyBehind(messages, (await callOf(store, session, n + 1))?.messages ?? []);
  return { ...(run ? { runStatus: run.status } : {}), ...(reply ? { reply } : {}) };
}

function assistantIn(entries: readonly SessionEntry[], id: string | null | undefined): AssistantMessage | undefined {
  const entry = entries.findLast((one) => one.id === id);
  return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : undefined;
}

/**
 * What the call after it has read behind the newest words of a call. Injections may stand between them; of words that were said
 * more than once, as many stand before them as there did.
 */
function replyBehind(before: readonly ModelMessage[], after: readonly ModelMessage[]): AssistantMessage | undefined {
  const newest = before.findLast(({ role }) => role === "user" || role === "tool");
  if (!newest) return undefined;
  const said = JSON.stringify(newest);
  const places = (messages: readonly ModelMessage[]): readonly number[] =>
    messages.flatMap((message, index) => (JSON.stringify(message) === said ? [index] : []));
  const at = places(after)[places(before).length - 1];
  const next = at === undefined ? undefined : after.slice(at + 1).find(({ role }) => role !== "system");
  return next?.role === "assistant" ? next : undefined;
}

/** What a call has cost in US dollars, where its provider has counted and the price is known. */
export function costOf(
  { models }: Pick<Galley, "models">,
  model: string,
  usage: BuildUsage | null,
): number | undefined {
  // Also of a model that cannot be asked here: a log tells of it.
  const { price } = models.info(model);
  if (!price || !usage) return undefined;
  const { inputTokens, outputTokens, cachedInputTokens } = usage;
  const { input, output, cachedInput = input } = price;
  const read = (inputTokens - cachedInputTokens) * input + cachedInputTokens * cachedInput;
  return (read + outputTokens * output) / 1_000_000;
}
