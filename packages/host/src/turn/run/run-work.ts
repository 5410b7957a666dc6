import type { AssistantMessage, JsonObject, JsonValue } from "@galley/engine";
import * as z from "zod";
import type { RunResult } from "../../api/run-event.ts";
import type { RunHold, RunStore, StoredRun } from "../../store/ports/run-store.ts";
import type { AnsweredLog } from "../places/turn-place.ts";
import type { Progress, Work } from "./loop.ts";

/** What a run ends with: the model's reply, or a note in its place. */
export interface Answer {
  readonly reply: AssistantMessage;
  readonly finish: RunResult["finish"];
}

/** A run as the loop saves it. */
export function runWork(runs: RunStore, hold: RunHold, place: AnsweredLog): Work {
  const { id } = hold;
  return {
    id,
    key: id,
    runId: id,
    isRetried: false,
    save: (steps, progress) =>
      runs.save(hold, { steps, calls: progress.calls, context: progressContext(place, progress) }),
  };
}

/** What a process that resumes the run must know besides its steps. */
function progressContext(place: AnsweredLog, { iteration, atMost, usage, digest }: Progress): JsonObject {
  return { switches: place.switches(), iteration, atMost: atMost ?? null, usage: { ...usage }, digest };
}

/** The reply is saved with its time before it is committed, so that a process that resumes writes this one and no other. */
export async function saveAnswer(
  runs: RunStore,
  hold: RunHold,
  {
    place,
    progress,
    reply,
    finish,
    replyTs,
  }: Answer & {
    readonly place: AnsweredLog;
    readonly progress: Progress;
    readonly replyTs: number;
  },
): Promise<void> {
  const context = { ...progressContext(place, progress), reply: reply as unknown as JsonValue, finish };
  await runs.save(hold, { replyTs, calls: progress.calls, context });
}

const usageSchema = z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedInputTokens: z.number() });
const contextSchema = z.looseObject({
  switches: z.number().default(0),
  iteration: z.number().default(0),
  atMost: z.number().nullable().default(null),
  usage: usageSchema.default({ inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }),
  digest: z.string().default(""),
  reply: z.custom<AssistantMessage>((value) => typeof value === "object" && value !== null).optional(),
  finish: z.enum(["stop", "length", "limit", "content-filter", "other"]).optional(),
});

/** How far a stored run has come. */
export function readProgress(
  stored: StoredRun,
): Progress & { readonly switches: number; readonly end: Answer | undefined } {
  const { switches, iteration, atMost, usage, digest, reply, finish } = contextSchema.parse(stored.context ?? {});
  const end = reply && { reply, finish: finish ?? ("other" satisfies RunResult["finish"]) };
  return { switches, iteration, atMost: atMost ?? undefined, usage, digest, calls: stored.calls, end };
}
