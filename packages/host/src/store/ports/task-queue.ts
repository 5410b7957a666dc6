/** A task that is due, as the queue delivers it. */
export interface Delivery {
  readonly projectId: string;
  readonly taskId: string;
}

/** How tasks are taken from the queue. */
export interface ConsumeOptions {
  /** How many deliveries are handled at once; 1 by default. */
  readonly concurrency?: number;
  /** Told of what went wrong outside of `handle`, e.g. a database that is away; delivery goes on by itself. */
  readonly onError?: (error: unknown) => void;
}

/** Takes tasks from the queue until it is stopped. */
export interface Consumer {
  /** Takes no new deliveries and waits for those that are being handled. */
  stop(): Promise<void>;
}

/**
 * Says which tasks to look at, at least once each: a delivery can come twice, late, or for a task that is no longer due.
 * `handle` claims the task first and does nothing if it does not get it. Putting tasks in is part of the store's
 * transactions and is not done here.
 */
export interface TaskQueue {
  consume(handle: (delivery: Delivery) => Promise<void>, options?: ConsumeOptions): Promise<Consumer>;
}
