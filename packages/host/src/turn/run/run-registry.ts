import { GalleyError } from "@galley/engine";
import { type PlaceName, placeOf } from "../places/turn-place.ts";
import type { Services } from "../services/services.ts";
import type { GalleyRun, GalleyRuns } from "../services/turn-types.ts";
import type { StoredRun } from "../../store/ports/run-store.ts";
import { executeRun, holdOf, holdRun } from "./execute-run.ts";
import { publicError } from "./lease.ts";
import { RunHandle } from "./run-handle.ts";
import { type RunStart, requestFromJson, resolveLimits } from "./run-request.ts";
import { claimRuns, followRun, otherRequest, storeRun } from "./stored-runs.ts";

/** The runs of this process: those of one place one after the other, and a known id is followed, not started again. */
export class RunRegistry implements GalleyRuns {
  readonly #parts: Services;
  readonly #worker: string;
  readonly #closing = new AbortController();
  readonly #known = new Map<string, RunHandle>();
  readonly #asked = new WeakMap<RunHandle, string>();
  /** Refused before they were stored: their ids may be used again. */
  readonly #unstored = new WeakSet<RunHandle>();
  readonly #followers = new Set<Promise<void>>();
  readonly #queue = serialQueue();

  constructor(parts: Services, worker: string) {
    this.#parts = parts;
    this.#worker = worker;
  }

  find(runId: string): GalleyRun | undefined {
    return this.#known.get(runId);
  }

  running(): readonly GalleyRun[] {
    return [...this.#known.values()].filter(({ isOver }) => !isOver);
  }

  start(start: RunStart): GalleyRun {
    const present = this.#known.get(start.runId);
    const before = present && this.#unstored.has(present) ? undefined : present;
    const isOther = before !== undefined && (this.#asked.get(before) ?? start.fingerprint) !== start.fingerprint;
    if (before && !isOther) return before;
    const handle = new RunHandle(start.runId, start.signal);
    this.#asked.set(handle, start.fingerprint);
    if (!isOther) evictEndedRuns(this.#known, handle);
    try {
      if (isOther) throw otherRequest(start.runId);
      this.#enqueue(handle, start);
    } catch (error) {
      this.#refuse(handle, error);
    }
    return handle;
  }

  async resume({ isOwner }: { readonly isOwner: boolean }): Promise<readonly GalleyRun[]> {
    const parts = this.#parts;
    const except = this.running().map(({ runId }) => runId);
    const claimed = await claimRuns(parts, this.#worker, { isAlone: isOwner && except.length === 0, except });
    return claimed.map((stored) => {
      const handle = new RunHandle(stored.id);
      const { fingerprint } = requestFromJson(stored.request);
      if (fingerprint !== undefined) this.#asked.set(handle, fingerprint);
      evictEndedRuns(this.#known, handle);
      // It may have to wait for others of its place, and must not be taken for abandoned meanwhile.
      const endLease = holdRun(parts, holdOf(stored), handle);
      this.#queue.add(stored.session, () => this.#goOn(handle, stored).finally(endLease));
      return handle;
    });
  }

  async #goOn(handle: RunHandle, stored: StoredRun): Promise<void> {
    await executeRun(this.#parts, handle, { stored }, this.#closing.signal);
  }

  /** Hands back what is running. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const handle of this.#known.values()) handle.stop(closedError(true));
    await this.#queue.idle();
    await Promise.allSettled(this.#followers);
  }

  #enqueue(handle: RunHandle, start: RunStart): void {
    const { signal } = this.#closing;
    if (signal.aborted) throw closedError(false);
    start.check();
    resolveLimits(start.limits);
    const place = placeOf(start.place);
    let begun: Promise<void> | undefined;
    const begin = (): Promise<void> => (begun ??= this.#begin(handle, start, place));
    this.#queue.add(place.session, begin);
    // A run that is aborted while it waits has only its message to keep [W11], and need not wait for that.
    const onAbort = (): void => {
      if (!signal.aborted) this.#queue.add(`aborted ${start.runId}`, begin);
    };
    handle.signal.addEventListener("abort", onAbort, { once: true });
  }

  /** Never throws: the handle says how it went. */
  async #begin(handle: RunHandle, start: RunStart, place: PlaceName): Promise<void> {
    const { signal } = this.#closing;
    try {
      if (signal.aborted && start.answersLastMessage) throw closedError(false);
      // Also while everything closes: what was said is stored then, and handed back.
      const asked = await storeRun(this.#parts, this.#worker, start, place);
      const model = typeof start.model === "object" ? start.model : undefined;
      const given = { model, tools: start.tools };
      const isOurs = asked.begun !== undefined && (await executeRun(this.#parts, handle, asked, signal, given));
      if (!isOurs) this.#follow(handle);
    } catch (error) {
      this.#refuse(handle, error);
    }
  }

  /** Beside the queue: the run itself may come into it, when it is resumed here. */
  #follow(handle: RunHandle): void {
    const following = followRun(this.#parts, handle)
      .catch((error: unknown) => handle.fail(publicError(error, this.#parts.redactor.redact, "RunFailed")))
      .finally(() => this.#followers.delete(following));
    this.#followers.add(following);
  }

  #refuse(handle: RunHandle, cause: unknown): void {
    this.#unstored.add(handle);
    handle.fail(publicError(cause, this.#parts.redactor.redact, "RunFailed"));
  }
}

export function closedError(isStored: boolean): GalleyError {
  const message = isStored ? "Galley was closed while the run was under way or waiting." : "Galley was closed.";
  return new GalleyError("RunAborted", message, {
    hint: isStored
      ? "It goes on when the data folder is opened again and resume() is called."
      : "Nothing was kept of it: open the data folder again, and ask again.",
    retryable: true,
  });
}

/** Runs that have ended stay for readers who come late. */
const keptRuns = 200;
/** Of all of them together: long replies have an event for each word. */
const keptEvents = 100_000;

/** Takes a run in, and lets go of those that ended long ago; the store knows them. */
export function evictEndedRuns(known: Map<string, RunHandle>, handle: RunHandle): void {
  known.set(handle.runId, handle);
  let [runs, events] = [0, 0];
  for (const ended of [...known.values()].filter(({ isOver }) => isOver).reverse()) {
    runs += 1;
    events += ended.size;
    if (runs > keptRuns || events > keptEvents) known.delete(ended.runId);
  }
}

/** One piece of work at a time in a place: the next waits for the one before; other places do not. No work may throw. */
function serialQueue() {
  const last = new Map<string, Promise<void>>();
  return {
    add(place: string, work: () => Promise<void>): void {
      const turn = (last.get(place) ?? Promise.resolve()).then(work).finally(() => {
        if (last.get(place) === turn) last.delete(place);
      });
      last.set(place, turn);
    },
    /** Resolves when nothing is left. */
    async idle(): Promise<void> {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
}
