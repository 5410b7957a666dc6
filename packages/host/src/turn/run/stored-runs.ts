import { setTimeout as sleep } from "node:timers/promises";
import { GalleyError, type JsonObject } from "@galley/engine";
import type { RunResult } from "../../api/run-event.ts";
import type { RunStore, StoredRun } from "../../store/ports/run-store.ts";
import { checkNames } from "../services/check-names.ts";
import type { Services } from "../services/services.ts";
import type { RunHandle } from "./run-handle.ts";
import type { RunStart } from "./run-start.ts";
import { requestFromJson, requestToJson, storedRequest } from "./run-request.ts";
import type { PlaceName } from "../places/turn-place.ts";
import { modelIdOf } from "../call/resolve-settings.ts";

/** Stores a run that begins, before anything else; one that is there already is given as it stands. */
export async function storeRun(
  parts: Services,
  worker: string,
  start: RunStart,
  place: PlaceName,
): Promise<{ readonly stored: StoredRun; readonly isNew: boolean }> {
  const { project, store, redactor } = parts;
  // Sent twice, it runs once; what it would be prepared with may be another thing by now.
  const before = await store.runs.get(project, start.runId);
  if (before) {
    const { fingerprint = start.fingerprint } = requestFromJson(before.request);
    if (fingerprint !== start.fingerprint) throw otherRequest(start.runId);
    return { stored: before, isNew: false };
  }
  const { session } = start.place;
  checkNames({ runId: start.runId, ...(session === undefined ? {} : { session }) }, redactor.secrets());
  const model = await modelIdOf(parts, place, start.model);
  const { input, inputTs, branch } = await start.prepare(place);
  const request: JsonObject = requestToJson(storedRequest(redactor.redact(input), start, branch));
  const { run, started } = await store.runs.start({
    projectId: project,
    id: start.runId,
    place: start.place,
    session: place.session,
    model: redactor.redact(model),
    request: redactor.redact(request),
    inputTs,
    worker,
    leaseMs: parts.limits.runLeaseMs,
    now: parts.now(),
  });
  // What is written must not hold a secret, not even as a name; what is called is what was asked for.
  return { stored: started ? { ...run, model } : run, isNew: started };
}

const maxResumed = 10_000;

/**
 * Takes over runs whose workers are gone. Whoever is alone on the data folder knows that nobody is at work on them: the leases
 * of the dead need not run out first.
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
  return new GalleyError("DuplicateId", `The run ${JSON.stringify(runId)} was asked for something else before.`, {
    path: "runId",
    hint: "Leave the id out, or choose another one: it is there for sending the same request twice.",
  });
}

const pauseMs = 250;

/** Tells of a run that somebody else works on, or that has ended before. */
export async function followRun(parts: Services, handle: RunHandle): Promise<void> {
  const { runId, signal } = handle;
  for (let isTold = false; ;) {
    const stored = await parts.store.runs.get(parts.project, runId);
    if (!stored) throw new GalleyError("NotFound", `There is no run ${runId} any more.`, { path: "runId" });
    const { session, model, status } = stored;
    if (!isTold) handle.emit({ type: "run:started", runId, session, model });
    isTold = true;
    if (status === "finished") {
      const result = stored.result as unknown as RunResult;
      handle.emit({ type: "run:finished", runId, result });
      return handle.finish(result);
    }
    if (status !== "running") {
      const { code = "RunFailed", message = `The run ended as ${status}.`, hint } = stored.error ?? {};
      throw new GalleyError(code as GalleyError["code"], message, hint === undefined ? {} : { hint });
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) throw await stopFollowed(parts, runId, signal.reason);
  }
}

/** Whoever aborts a run means the run itself, wherever it is worked on; whoever closes Galley only looks away. */
async function stopFollowed({ store, project, now }: Services, id: string, cause: unknown): Promise<unknown> {
  const isClosing = cause instanceof GalleyError && cause.retryable;
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (!isClosing) await store.runs.abort({ projectId: project, id, reason, now: now() });
  return cause;
}
