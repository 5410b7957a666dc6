import type { AssistantMessage, JsonObject, JsonValue, ModelMessage } from "@galley/engine";
import type { SessionRef } from "./session-store.ts";

/** Where a run stands. */
export type RunStatus = "running" | "finished" | "failed" | "aborted";

/** Where a run takes its history from; exactly one is named. */
export interface RunPlace {
  readonly chat?: string;
  readonly agent?: string;
  readonly session?: string;
}

/** Why a run failed. */
export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** A run that begins. */
export interface NewRun extends Pick<
  StoredRun,
  "projectId" | "id" | "place" | "session" | "model" | "request" | "inputTs"
> {
  readonly worker: string;
  readonly leaseMs: number;
  readonly now: number;
}

/** A run as it stands. */
export interface StoredRun {
  readonly projectId: string;
  readonly id: string;
  readonly place: RunPlace;
  /** The session that its builds belong to; any text of 1 to 600 characters. */
  readonly session: string;
  readonly model: string;
  /** Everything that the run was asked for: input, preset, budget, variables, limits. The same id with another one is an error. */
  readonly request: JsonObject;
  /** The time of the user's message, so that a resumed run writes the very same one. The first start's holds. */
  readonly inputTs: number;
  /** The time of the reply; `null` until it was saved. */
  readonly replyTs: number | null;
  /** Replies with calls of tools, and the results so far. */
  readonly steps: readonly ModelMessage[];
  /** The numbers of its builds in the session. */
  readonly calls: readonly number[];
  /** State needed to resume the run; `null` until it was saved. */
  readonly context: JsonValue;
  readonly status: RunStatus;
  /** 1 at the start; rises each time that a worker takes the run over. */
  readonly attempt: number;
  /** Who works on it; `null` when it was handed back or has ended. */
  readonly worker: string | null;
  /** `null` when it has ended. */
  readonly leaseUntil: number | null;
  readonly startedAt: number;
  readonly finishedAt: number | null;
  readonly reply: AssistantMessage | null;
  readonly result: JsonValue;
  readonly error: RunError | null;
}

/** The right to write for a run. Every write that carries it is a `RunLost` when the run has ended or was taken over. */
export interface RunHold {
  readonly projectId: string;
  readonly id: string;
  readonly attempt: number;
}

/** How far a run has come. What is absent stays as it is. */
export interface RunProgress {
  /**
   * All steps so far, not only new ones; those that have not changed are not written again. A message that has grown is a new
   * object: one that was saved must not be changed in place.
   */
  readonly steps?: readonly ModelMessage[];
  readonly calls?: readonly number[];
  readonly replyTs?: number;
  readonly context?: JsonValue;
}

/** How a run ended. */
export type RunOutcome =
  | { readonly status: "finished"; readonly reply: AssistantMessage; readonly result: JsonValue }
  | { readonly status: "failed" | "aborted"; readonly error: RunError };

/** Which runs are listed. */
export interface RunFilter {
  readonly chat?: string;
  readonly session?: string;
  readonly status?: RunStatus;
  /** At most this many, the newest. */
  readonly limit?: number;
}

/** A run in a list: everything but its steps and its context. */
export type RunItem = Omit<StoredRun, "steps" | "context">;

/** When something is written. */
export interface WriteOptions {
  /**
   * With the next write of this process, or a moment later: a commit less. The promise resolves when it is stored; what is read
   * through this store meanwhile has it.
   */
  readonly isLate?: boolean;
}

/** Runs of the agent loop that survive a crash [W11]. Times are milliseconds since 1970 and come from the caller. */
export interface RunStore {
  /**
   * Begins a run, held by `worker` as attempt 1. An id that is there already gives that run as it stands and `started: false`;
   * with another place, session, model or request it is a `DuplicateId`.
   */
  start(run: NewRun, options?: WriteOptions): Promise<{ readonly run: StoredRun; readonly started: boolean }>;
  /** Before each call of the model and after each result of a tool. */
  save(hold: RunHold, progress: RunProgress, options?: WriteOptions): Promise<void>;
  /** The heart-beat. False when the run is lost (taken over, ended): stop working on it. */
  renew(hold: RunHold, leaseUntil: number): Promise<boolean>;
  /** Repeating it with the same hold and status changes nothing. */
  finish(hold: RunHold, outcome: RunOutcome, now: number, options?: WriteOptions): Promise<void>;
  /** Hands the run back at once, without an end: the process is stopping. Does nothing when it is lost. */
  release(hold: RunHold): Promise<void>;
  /** Ends a running run; the worker that holds it learns of it by the next write or heart-beat. False when it was not running. */
  abort(run: {
    readonly projectId: string;
    readonly id: string;
    readonly reason?: string;
    readonly now: number;
  }): Promise<boolean>;
  /**
   * Takes over running runs whose lease has ended, oldest first, each for exactly one caller.
   * A process that is alone on the store need not wait for the leases of the dead, whatever clock they were given by.
   */
  claimAbandoned(
    projectId: string,
    worker: string,
    options: {
      readonly now: number;
      readonly leaseMs: number;
      readonly limit?: number;
      readonly isAlone?: boolean;
      /** Not these, as far as `worker` has them: when the clock was set, their leases look as if they had ended. */
      readonly except?: readonly string[];
    },
  ): Promise<readonly StoredRun[]>;
  get(projectId: string, id: string): Promise<StoredRun | undefined>;
  /** Newest first. */
  list(projectId: string, filter?: RunFilter): Promise<readonly RunItem[]>;
  /** Deletes runs that ended before a time. Gives their number. */
  prune(projectId: string, before: number): Promise<number>;
  /**
   * Deletes a session's runs that have ended, since they hold what was said [M7]; with `running` those under way as well (the
   * session is deleted). Gives their number.
   */
  purge(session: SessionRef, options?: { readonly running?: boolean }): Promise<number>;
}
