export interface Delivery {
  readonly projectId: string;
  readonly turnId: string;
}

export interface ConsumeOptions {
  /** How many deliveries are handled at once; 1 by default. */
  readonly concurrency?: number;
  /** Told of what went wrong outside of `handle`, e.g. a database that is away; delivery goes on by itself. */
  readonly onError?: (error: unknown) => void;
}

export interface Consumer {
  /** Takes no new deliveries and waits for those that are being handled. */
  stop(): Promise<void>;
}

/**
 * Says which turns to look at, at least once each: a delivery can come twice, late, or for a turn that is no longer due.
 * `handle` claims the turn first and does nothing if it does not get it. Putting turns in is part of the store's
 * transactions and is not done here.
 */
export interface TurnQueue {
  consume(handle: (delivery: Delivery) => Promise<void>, options?: ConsumeOptions): Promise<Consumer>;
}
