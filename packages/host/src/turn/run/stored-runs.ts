import { setTimeout as sleep } from "node:timers/promises";
import { type AssistantMessage, GalleyError, type JsonObject, type JsonValue, type ModelMessage } from "@galley/engine";
import type { RunResult } from "../../api/run-event.ts";
import type { RunHold, RunProgress, RunStore, StoredRun } from "../../store/ports/run-store.ts";
import { checkNames } from "../services/check-request.ts";
import type { Services } from "../services/services.ts";
import type { RunHandle } from "./run-handle.ts";
import { type RunStart, requestFromJson, requestToJson } from "./run-request.ts";
import type { PlaceName, AnsweredLog, KeptSteps } from "../places/turn-place.ts";
import { modelIdOf } from "../call/resolve-settings.ts";
import * as z from "zod";
import type { Progress, Work } from "./loop.ts";
import { messageOf } from "../../disk/storage-error.ts";

export interface AskedRun {
  readonly stored: StoredRun;
  /** Says whether it is this process that begins it, once it is stored. Absent where the run is there already. */
  readonly begun?: Promise<boolean>;
}

/** Stores a run that begins, in one commit with its first build; one that is there already is given as it stands. */
export async function storeRun(parts: Services, worker: string, start: RunStart, place: PlaceName): Promise<AskedRun> {
  const { project, store, redactor } = parts;
  // Sent twice, it runs once; what it would be prepared with may be another thing by now.
  const before = start.hasNewId ? undefined : await store.runs.get(project, start.runId);
  if (before) {
    const { fingerprint = start.fingerprint } = requestFromJson(before.request);
    if (fingerprint !== start.fingerprint) throw otherRequest(start.runId);
    return { stored: before };
  }
  const { session } = start.place;
  checkNames({ runId: start.runId, session }, redactor.secrets());
  const model = await modelIdOf(parts, place, start.model);
  const { input, inputTs, branch } = await start.prepare(place);
  const given = [
    ...(typeof start.model === "object" ? ["model" as const] : []),
    ...(start.tools ? ["tools" as const] : []),
  ];
  const request = requestToJson({
    ...start,
    input: redactor.redact(input),
    branch,
    given: given.length === 0 ? undefined : given,
  });
  const now = parts.now();
  const run = {
    projectId: project,
    id: start.runId,
    place: start.place,
    session: place.session,
    model: redactor.redact(model),
    request: redactor.redact(request),
    inputTs,
    worker,
  };
  const starting = store.runs.start({ ...run, leaseMs: parts.limits.runLeaseMs, now }, { isLate: true });
  const begun = starting.then(({ started }) => started);
  // Who works on it is told; who does not get as far has an error of its own.
  begun.catch(() => undefined);
  // What is written must not hold a secret, not even as a name; what is called is what was asked for.
  return { stored: { ...newRun, ...run, model, startedAt: now }, begun };
}

const newRun = {
  replyTs: null,
  steps: [],
  calls: [],
  context: null,
  status: "running",
  attempt: 1,
  leaseUntil: null,
  finishedAt: null,
  reply: null,
  result: null,
  error: null,
} as const;

const maxResumed = 10_000;

/**
 * Takes over runs whose workers are gone. A process that is alone on the data folder knows that no other is at work on them:
 * the leases of the dead need not run out first.
 */
export function claimRuns(
  parts: Services,
  worker: string,
  claim: Pick<Parameters<RunStore["claimAbandoned"]>[2], "isAlone" | "except">,
): Promise<readonly StoredRun[]> {
  const options = { ...claim, now: parts.now(), leaseMs: parts.limits.runLeaseMs, limit: maxResumed };
  return parts.store.runs.claimAbandoned(parts.project, worker, options);
}

export function otherRequest(runId: string): GalleyError {
  return new GalleyError("DuplicateId", `The run ${JSON.stringify(runId)} was already used for a different request.`, {
    path: "runId",
    hint: "Leave the id out, or choose another one: it is there for sending the same request twice.",
  });
}

const pauseMs = 250;

/** Follows a run that another process works on, or that has ended before. */
export async function followRun(parts: Services, handle: RunHandle): Promise<void> {
  const { runId, signal } = handle;
  for (let isTold = false; ;) {
    const stored = await parts.store.runs.get(parts.project, runId);
    if (!stored) throw new GalleyError("NotFound", `There is no run ${runId} any more.`, { path: "runId" });
    const { session, model, status } = stored;
    if (!isTold) handle.emit({ type: "run:started", runId, session, model });
    isTold = true;
    if (status === "finished") {
      return handle.finish(stored.result as unknown as RunResult);
    }
    if (status !== "running") {
      const { code = "RunFailed", message = `The run ended as ${status}.`, hint } = stored.error ?? {};
      throw new GalleyError(code as GalleyError["code"], message, { hint });
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw await stopFollowed(parts, runId, signal.reason);
  }
}

/** To abort a run means the run itself, in whichever process; to close Galley only ends the following. */
async function stopFollowed({ store, project, now }: Services, id: string, cause: unknown): Promise<unknown> {
  const isClosing = cause instanceof GalleyError && cause.retryable;
  const reason = messageOf(cause);
  if (!isClosing) await store.runs.abort({ projectId: project, id, reason, now: now() });
  return cause;
}

/** What a run ends with: the model's reply, or a note in its place. */
export interface Answer {
  readonly reply: AssistantMessage;
  readonly finish: RunResult["finish"];
  /** Set when a person stopped it [T17]. */
  readonly isStopped?: boolean | undefined;
  /** What a chat keeps of the steps [T8]. */
  readonly steps?: KeptSteps | undefined;
}

/** A run as the loop saves it. */
export function runWork(
  runs: RunStore,
  hold: RunHold,
  place: AnsweredLog,
  begun: Promise<unknown> = Promise.resolve(),
): Work {
  const { id } = hold;
  const progressOf = (steps: readonly ModelMessage[], progress: Progress): RunProgress => ({
    steps,
    calls: progress.calls,
    context: progressContext(place, progress),
  });
  return {
    id,
    key: id,
    runId: id,
    isRetried: false,
    begun,
    save: (steps, progress) => runs.save(hold, progressOf(steps, progress)),
    saveWithNext: (steps, progress) => runs.save(hold, progressOf(steps, progress), { isLate: true }),
  };
}

/** What a process that resumes the run must know besides its steps. */
export function progressContext(
  place: AnsweredLog,
  { iteration, maxInputTokens, usage, digest }: Progress,
): JsonObject {
  const state = place.state();
  const facts = {
    switches: place.switches(),
    iteration,
    atMost: maxInputTokens ?? null,
    usage: { ...usage },
    digest,
  };
  return state === null ? facts : { ...facts, place: state };
}

const usageSchema = z.object({ inputTokens: z.number(), outputTokens: z.number(), cachedInputTokens: z.number() });
/** As `store.runs` keeps it; stored names stay what they were. */
const contextSchema = z.looseObject({
  switches: z.number().default(0),
  iteration: z.number().default(0),
  atMost: z.number().nullable().default(null),
  usage: usageSchema.default({ inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }),
  digest: z.string().default(""),
  reply: z.custom<AssistantMessage>((value) => typeof value === "object" && value !== null).optional(),
  finish: z.enum(["stop", "length", "limit", "content-filter", "other"]).optional(),
  isStopped: z.boolean().optional(),
  steps: z.object({ isKept: z.boolean(), tokens: z.number() }).optional(),
  place: z.custom<JsonValue>().optional(),
});

export function readProgress(
  stored: StoredRun,
): Progress & { readonly switches: number; readonly state: JsonValue | undefined; readonly end: Answer | undefined } {
  const context = contextSchema.parse(stored.context ?? {});
  const { switches, iteration, atMost, usage, digest, reply, finish = "other", isStopped, steps, place } = context;
  const end = reply && { reply, finish, isStopped, steps };
  return {
    switches,
    iteration,
    maxInputTokens: atMost ?? undefined,
    usage,
    digest,
    calls: stored.calls,
    end,
    state: place,
  };
}
