import type { JsonObject, JsonValue } from "@galley/engine";
import type { BoxItem, Card, NewBox } from "./card-store.ts";

/** A turn that is `queued`, `running` or `waiting` is open; the others are how it can end. */
export type TurnStatus = "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "timeout";

export interface TurnError {
  readonly code: string;
  readonly message: string;
}

/** An agent: who runs turns. Its output box grows from turn to turn. */
export interface Agent {
  readonly id: string;
  readonly profileBoxId: string;
  readonly outputBoxId: string;
  /** The caller that started it: an agent, a chat, a session, an MCP client; `null` for the person. */
  readonly parentAgentId: string | null;
  readonly details: JsonObject;
  readonly createdAt: number;
}

export interface NewAgent {
  readonly id: string;
  readonly profileBoxId: string;
  readonly outputBoxId: string;
  readonly parentAgentId?: string | null;
  /** Whatever the caller wants to find again: a display name, the clone source. */
  readonly details?: JsonObject;
}

export interface NewTurn {
  readonly id: string;
  /** An agent that is there or is made with the turn. Turns of one agent run one after the other, oldest first. */
  readonly agentId: string;
  readonly contextBoxId: string;
  /** Place in its batch; 0 without one. */
  readonly taskIndex?: number;
  /** Milliseconds since 1970; `null` for none. */
  readonly deadline?: number | null;
  /** How often it may fail (an error that is retried, a worker that died) before it is `failed`; 3 by default. */
  readonly maxFailures?: number;
  /** Whatever the caller wants to find again: the tool, the call id, a label. */
  readonly details?: JsonObject;
}

export interface Turn {
  readonly projectId: string;
  readonly id: string;
  readonly agentId: string;
  readonly status: TurnStatus;
  /** Rises with every claim. Only the worker that holds the present attempt may write. 0 before the first claim. */
  readonly attempt: number;
  readonly failures: number;
  readonly maxFailures: number;
  readonly parentTurnId: string | null;
  /** The first turn of the tree; its own id for a root. */
  readonly rootTurnId: string;
  /** 0 for a root. */
  readonly depth: number;
  readonly batchId: string | null;
  readonly taskIndex: number;
  readonly profileBoxId: string;
  readonly contextBoxId: string;
  readonly outputBoxId: string;
  /** How many cards the output box held when the turn began; `null` before its first claim [H3]. */
  readonly outputStart: number | null;
  /** How many it held when the turn ended; `null` while it is open. */
  readonly outputEnd: number | null;
  /** The batch that it waits for, or waited for last. */
  readonly waitsFor: string | null;
  readonly worker: string | null;
  readonly leaseUntil: number | null;
  /** Not to be delivered before. */
  readonly notBefore: number;
  readonly deadline: number | null;
  readonly details: JsonObject;
  /** What the turn gave; `null` while it is open or when it gave nothing. */
  readonly result: JsonValue;
  readonly error: TurnError | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

export type BatchStatus = "open" | "success" | "partial" | "failed" | "timeout";

export interface NewBatch {
  readonly id: string;
  /** The first failure cancels the others. */
  readonly failFast?: boolean;
  readonly details?: JsonObject;
}

/** Turns that were started together. The last one to end closes the batch and wakes the turn that waits for it. */
export interface Batch {
  readonly projectId: string;
  readonly id: string;
  readonly parentTurnId: string | null;
  /**
   * `success`: all succeeded; `partial`: some did; `timeout`: none did, and a deadline passed; `failed`: none did.
   */
  readonly status: BatchStatus;
  readonly size: number;
  /** How many have not ended. */
  readonly open: number;
  readonly failFast: boolean;
  readonly details: JsonObject;
  readonly createdAt: number;
  readonly closedAt: number | null;
}

/** The right to write for a turn: the attempt that was claimed. Every write that carries it fails with `TurnLost` when another one has taken over or the turn has ended. */
export interface Hold {
  readonly projectId: string;
  readonly turnId: string;
  readonly attempt: number;
}

/** Cards that go to the end of the turn's output box; items default to the new cards in order, with origin `output`. */
export interface Output {
  readonly cards: readonly Card[];
  readonly items?: readonly BoxItem[];
}

/** Everything that a delegation writes, in one transaction. */
export interface StartTurns {
  readonly projectId: string;
  readonly cards: readonly Card[];
  /** Context boxes, and output boxes of new agents. */
  readonly boxes: readonly NewBox[];
  readonly agents: readonly NewAgent[];
  readonly turns: readonly NewTurn[];
  /** Joins the turns. Without one they stand alone. */
  readonly batch?: NewBatch;
  /** The running turn that delegates: parent of the turns and of the batch. Without one they are roots. */
  readonly parent?: Hold;
  /** The parent stops here and waits for the batch, with this appended to its output first. Needs `parent` and `batch`. */
  readonly suspend?: Output;
  readonly now: number;
}

export interface StartedTurns {
  /** False when the first turn's id was there already: nothing was written, and these are the turns as they stand. */
  readonly created: boolean;
  readonly turns: readonly Turn[];
  readonly batch: Batch | undefined;
}

export interface Claim {
  readonly projectId: string;
  readonly turnId: string;
  readonly worker: string;
  readonly leaseMs: number;
  readonly now: number;
}

export type Outcome =
  | { readonly status: "succeeded"; readonly result: JsonValue; readonly output?: Output }
  | { readonly status: "failed"; readonly error: TurnError; readonly output?: Output };

export interface FinishedTurn {
  readonly turn: Turn;
  /** The batch after this turn has been counted. */
  readonly batch: Batch | undefined;
  /** Turns that were put into the queue by it: a parent whose batch is closed, the agent's next turn. */
  readonly queued: readonly string[];
}

/** What a sweep found and set right. */
export interface Swept {
  /** Turns whose worker died; they are in the queue again. */
  readonly recovered: readonly string[];
  /** Turns whose worker died once too often. */
  readonly failed: readonly string[];
  /** Turns whose deadline has passed. */
  readonly timedOut: readonly string[];
}

export interface TurnFilter {
  readonly rootTurnId?: string;
  /** `null` for roots. */
  readonly parentTurnId?: string | null;
  readonly batchId?: string;
  readonly agentId?: string;
  /** The turns that have this box as their context or their output. */
  readonly boxId?: string;
  readonly status?: readonly TurnStatus[];
  /** Newest first when it is given without a tree or a batch; at most this many. */
  readonly limit?: number;
}

/**
 * The truth about turns [H8]. A queue only says which turn to look at; who may run it, and that its result counts once,
 * is decided here. Times are milliseconds since 1970 and come from the caller.
 */
export interface TurnStore {
  /** Cards, boxes, agents, turns, batch and delivery: all or nothing. Starting the same turns again changes nothing. */
  start(start: StartTurns): Promise<StartedTurns>;
  /**
   * Takes a turn that is due, with a lease. `undefined` when there is nothing to do: someone else holds it, an earlier
   * turn of its agent is open, it has ended, or its deadline has passed.
   */
  claim(claim: Claim): Promise<Turn | undefined>;
  /** The heart-beat. False when the turn is lost (taken over, cancelled, timed out): stop working on it. */
  renew(hold: Hold, lease: { readonly leaseMs: number; readonly now: number }): Promise<boolean>;
  /** Appends to the output box in the middle of a turn, so that a worker that takes over goes on from there. */
  record(hold: Hold, output: Output, now: number): Promise<Turn>;
  /** The turn waits for a batch. If that is closed already, the turn is queued at once. */
  suspend(
    hold: Hold,
    wait: { readonly batchId: string; readonly output?: Output; readonly now: number },
  ): Promise<Turn>;
  /**
   * Cards, output box, result, batch count and the parent's delivery: all or nothing, and once. Repeating it with the
   * same hold and status gives the same answer; a turn that was lost is a `TurnLost`.
   */
  finish(hold: Hold, outcome: Outcome, now: number): Promise<FinishedTurn>;
  /** Gives the turn back to be tried again at `retryAt`, or fails it when it has failed too often. */
  retry(
    hold: Hold,
    failure: { readonly error: TurnError; readonly retryAt: number; readonly now: number },
  ): Promise<FinishedTurn>;
  /** Gives the turn back without counting a failure: the worker is shutting down. */
  release(hold: Hold, now: number): Promise<void>;
  /** Ends a turn and everything below it that is still open. Gives the ids of those that it ended. */
  cancel(turn: {
    readonly projectId: string;
    readonly turnId: string;
    readonly reason?: string;
    readonly now: number;
  }): Promise<readonly string[]>;
  /** Takes back turns of dead workers, ends those whose deadline has passed, and delivers again what got lost. */
  sweep(now: number): Promise<Swept>;
  /** The sweep for whoever looks now and then. It waits after the clock was set or the machine slept: workers renew first. */
  tend(now: number): Promise<void>;
  read(projectId: string, turnIds: readonly string[]): Promise<readonly (Turn | undefined)[]>;
  list(projectId: string, filter?: TurnFilter): Promise<readonly Turn[]>;
  /** The turn, its parent, and so on up to the root. */
  lineage(projectId: string, turnId: string): Promise<readonly Turn[]>;
  /** How many turns a root has below it, with itself. */
  countTree(projectId: string, rootTurnId: string): Promise<number>;
  readBatches(projectId: string, ids: readonly string[]): Promise<readonly (Batch | undefined)[]>;
  readAgents(projectId: string, ids: readonly string[]): Promise<readonly (Agent | undefined)[]>;
}
