import type { JsonObject, JsonValue } from "@galley/engine";
import type { BoxItem, Card, NewBox } from "./card-store.ts";

/** A task that is `queued`, `running` or `waiting` is open; the others are how it can end. */
export type TaskStatus = "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled" | "timeout";

/** Why a task has no result. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
}

/** An agent: who runs tasks. Its output box grows from task to task. */
export interface Agent {
  readonly id: string;
  readonly profileBoxId: string;
  readonly outputBoxId: string;
  /** The caller that started it: an agent, a chat, a session, an MCP client; `null` for the person. */
  readonly parentAgentId: string | null;
  readonly details: JsonObject;
  readonly createdAt: number;
}

/** An agent that a task makes. */
export interface NewAgent {
  readonly id: string;
  readonly profileBoxId: string;
  readonly outputBoxId: string;
  readonly parentAgentId?: string | null;
  /** Whatever the caller wants to find again: a display name, the clone source. */
  readonly details?: JsonObject;
}

/** Where a task came from, and so where its result returns to [A1]. */
export interface TaskOrigin {
  /** `chat:KEY`, `session:ID`, `agent:NAME`, `task:ID`. */
  readonly place: string;
  /** The run or turn in which it was handed over. */
  readonly turnId?: string | undefined;
  /** The call of the tool. */
  readonly callId?: string | undefined;
  /** The entry or message of the place by which that turn is found again: without it, the call was edited away. */
  readonly anchor?: string | undefined;
}

/** A task that begins. */
export interface NewTask {
  readonly id: string;
  /** An agent that is there or is made with the task. Tasks of one agent run one after the other, oldest first. */
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
  readonly origin?: TaskOrigin | null | undefined;
}

/** A task that was handed to an agent. */
export interface Task {
  readonly projectId: string;
  readonly id: string;
  readonly agentId: string;
  readonly status: TaskStatus;
  /** Rises with every claim. Only the worker that holds the present attempt may write. 0 before the first claim. */
  readonly attempt: number;
  readonly failures: number;
  readonly maxFailures: number;
  readonly parentTaskId: string | null;
  /** The first task of the tree; its own id for a root. */
  readonly rootTaskId: string;
  /** 0 for a root. */
  readonly depth: number;
  readonly batchId: string | null;
  readonly taskIndex: number;
  readonly profileBoxId: string;
  readonly contextBoxId: string;
  readonly outputBoxId: string;
  /** How many cards the output box held when the task began; `null` before its first claim [H3]. */
  readonly outputStart: number | null;
  /** How many it held when the task ended; `null` while it is open. */
  readonly outputEnd: number | null;
  /** The batch or the task that it waits for, or waited for last. */
  readonly waitsFor: string | null;
  readonly worker: string | null;
  readonly leaseUntil: number | null;
  /** Not to be delivered before. */
  readonly notBefore: number;
  readonly deadline: number | null;
  readonly details: JsonObject;
  /** What the task gave; `null` while it is open or when it gave nothing. */
  readonly result: JsonValue;
  readonly error: TaskError | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** `null` for what the person handed over. */
  readonly origin: TaskOrigin | null;
  /** The turn that has got its result; `null` while that waits, or when nobody is to get it any more. */
  readonly returnedTo: string | null;
  /** When that was settled. */
  readonly returnedAt: number | null;
}

/** Where a batch stands. */
export type BatchStatus = "open" | "success" | "partial" | "failed" | "timeout";

/** A batch of tasks that start together. */
export interface NewBatch {
  readonly id: string;
  /** The first failure cancels the others. */
  readonly failFast?: boolean;
  readonly details?: JsonObject;
}

/** Tasks that were started together. The last one to end closes the batch and wakes the task that waits for it. */
export interface Batch {
  readonly projectId: string;
  readonly id: string;
  readonly parentTaskId: string | null;
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

/** The right to write for a task: the attempt that was claimed. Every write that carries it fails with `TaskLost` when another one has taken over or the task has ended. */
export interface Hold {
  readonly projectId: string;
  readonly taskId: string;
  readonly attempt: number;
}

/** Cards that go to the end of the task's output box; items default to the new cards in order, with origin `output`. */
export interface Output {
  readonly cards: readonly Card[];
  readonly items?: readonly BoxItem[];
}

/** Everything that a task writes, in one transaction. */
export interface StartTasks {
  readonly projectId: string;
  readonly cards: readonly Card[];
  /** Context boxes, and output boxes of new agents. */
  readonly boxes: readonly NewBox[];
  readonly agents: readonly NewAgent[];
  readonly tasks: readonly NewTask[];
  /** Joins the tasks. Without one they stand alone. */
  readonly batch?: NewBatch;
  /** The running task that delegates: parent of the tasks and of the batch. Without one they are roots. */
  readonly parent?: Hold;
  /** The parent stops here and waits for the batch, with this appended to its output first. Needs `parent` and `batch`. */
  readonly suspend?: Output;
  readonly now: number;
}

/** The tasks that were started, with their batch. */
export interface StartedTasks {
  /** False when the first task's id was there already: nothing was written, and these are the tasks as they stand. */
  readonly created: boolean;
  readonly tasks: readonly Task[];
  readonly batch: Batch | undefined;
}

/** A worker that asks for a task. */
export interface Claim {
  readonly projectId: string;
  readonly taskId: string;
  readonly worker: string;
  readonly leaseMs: number;
  readonly now: number;
}

/** How an attempt at a task ended. */
export type Outcome =
  | { readonly status: "succeeded"; readonly result: JsonValue; readonly output?: Output }
  | { readonly status: "failed"; readonly error: TaskError; readonly output?: Output };

/** A task that has ended, and what its end has set going. */
export interface FinishedTask {
  readonly task: Task;
  /** The batch after this task has been counted. */
  readonly batch: Batch | undefined;
  /** Tasks that were put into the queue by it: a parent whose batch is closed, the agent's next task. */
  readonly queued: readonly string[];
}

/** What a sweep found and set right. */
export interface Swept {
  /** Tasks whose worker died; they are in the queue again. */
  readonly recovered: readonly string[];
  /** Tasks whose worker died once too often. */
  readonly failed: readonly string[];
  /** Tasks whose deadline has passed. */
  readonly timedOut: readonly string[];
}

/** Which tasks are listed. */
export interface TaskFilter {
  readonly rootTaskId?: string;
  /** `null` for roots. */
  readonly parentTaskId?: string | null;
  readonly batchId?: string;
  readonly agentId?: string;
  /** The tasks that have this box as their context or their output. */
  readonly boxId?: string;
  readonly status?: readonly TaskStatus[];
  /** The tasks that were handed over in this place. */
  readonly place?: string;
  /** Only those that have ended and whose result waits to be returned. */
  readonly isWaitingToReturn?: boolean;
  /** Newest first when it is given without a tree or a batch; at most this many. */
  readonly limit?: number;
}

/**
 * The truth about tasks [H8]. A queue only says which task to look at; who may run it, and that its result counts once,
 * is decided here. Times are milliseconds since 1970 and come from the caller.
 */
export interface TaskStore {
  /** Cards, boxes, agents, tasks, batch and delivery: all or nothing. Starting the same tasks again changes nothing. */
  start(start: StartTasks): Promise<StartedTasks>;
  /**
   * Takes a task that is due, with a lease. `undefined` when there is nothing to do: someone else holds it, an earlier
   * task of its agent is open, it has ended, or its deadline has passed.
   */
  claim(claim: Claim): Promise<Task | undefined>;
  /** The heart-beat. False when the task is lost (taken over, cancelled, timed out): stop working on it. */
  renew(hold: Hold, lease: { readonly leaseMs: number; readonly now: number }): Promise<boolean>;
  /** Appends to the output box in the middle of a task, so that a worker that takes over goes on from there. */
  record(hold: Hold, output: Output, now: number): Promise<Task>;
  /**
   * The task waits for a batch that it has started, or for a task of its own tree. If that has ended already, the task is
   * queued at once. A `BadRequest` where each would wait for the other.
   */
  suspend(
    hold: Hold,
    wait: ({ readonly batchId: string } | { readonly taskId: string }) & {
      readonly output?: Output;
      readonly now: number;
    },
  ): Promise<Task>;
  /**
   * Cards, output box, result, batch count and the parent's delivery: all or nothing, and once. Repeating it with the
   * same hold and status gives the same answer; a task that was lost is a `TaskLost`.
   */
  finish(hold: Hold, outcome: Outcome, now: number): Promise<FinishedTask>;
  /** Gives the task back to be tried again at `retryAt`, or fails it when it has failed too often. */
  retry(
    hold: Hold,
    failure: { readonly error: TaskError; readonly retryAt: number; readonly now: number },
  ): Promise<FinishedTask>;
  /** Gives the task back without counting a failure: the worker is shutting down. */
  release(hold: Hold, now: number): Promise<void>;
  /** Ends a task and everything below it that is still open. Gives the ids of those that it ended. */
  cancel(task: {
    readonly projectId: string;
    readonly taskId: string;
    readonly reason?: string;
    readonly now: number;
  }): Promise<readonly string[]>;
  /** Says which turn has got the results of these tasks, or with `null` that nobody will. What was settled before stays. */
  markReturned(returned: {
    readonly projectId: string;
    readonly taskIds: readonly string[];
    readonly turnId: string | null;
    readonly now: number;
  }): Promise<void>;
  /** The turn has kept nothing of what it got: its results wait again. */
  takeBackReturned(returned: {
    readonly projectId: string;
    readonly place: string;
    readonly turnId: string;
  }): Promise<void>;
  /** Takes back tasks of dead workers, ends those whose deadline has passed, and delivers again what got lost. */
  sweep(now: number): Promise<Swept>;
  /** The sweep for callers that look again and again. It waits after the clock was set or the machine slept: workers renew first. */
  tend(now: number): Promise<void>;
  read(projectId: string, taskIds: readonly string[]): Promise<readonly (Task | undefined)[]>;
  list(projectId: string, filter?: TaskFilter): Promise<readonly Task[]>;
  /** The task, its parent, and so on up to the root. */
  lineage(projectId: string, taskId: string): Promise<readonly Task[]>;
  /** How many tasks a root has below it, with itself. */
  countTree(projectId: string, rootTaskId: string): Promise<number>;
  readBatches(projectId: string, ids: readonly string[]): Promise<readonly (Batch | undefined)[]>;
  readAgents(projectId: string, ids: readonly string[]): Promise<readonly (Agent | undefined)[]>;
}
