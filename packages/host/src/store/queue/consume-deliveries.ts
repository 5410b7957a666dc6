import { setTimeout as sleep } from "node:timers/promises";
import type { ConsumeOptions, Consumer, Delivery } from "../ports/task-queue.ts";

export interface DeliverySource {
  /** Gives at most `free` deliveries. `busy` holds the keys of those that are being handled now. */
  take(free: number, busy: ReadonlySet<string>): Promise<readonly TakenDelivery[]>;
  /** Takes back tasks of dead workers and the like. */
  tend(now: number): Promise<void>;
  /** Calls `nudge` when there may be something new. Gives what ends that. */
  listen(nudge: () => void): () => void;
  /** How long in ms to wait for a nudge before looking again. */
  readonly pollMs: number;
}

export interface TakenDelivery extends Delivery {
  /** Says that it has been handled. */
  done(): Promise<unknown>;
}

const tendMs = 1000;
/** After a delivery that could not be handled, or a database that is away. */
const restMs = 500;

export function deliveryKey({ projectId, taskId }: Delivery): string {
  return `${projectId}/${taskId}`;
}

/** Hands deliveries to `handle`, at most `concurrency` at once, until it is stopped. */
export function consumeDeliveries(
  source: DeliverySource,
  handle: (delivery: Delivery) => Promise<void>,
  { concurrency = 1, onError = () => {} }: ConsumeOptions = {},
): Consumer {
  const busy = new Map<string, Promise<void>>();
  const alarm = makeAlarm();
  const stopping = new AbortController();

  const run = async (delivery: TakenDelivery): Promise<void> => {
    const { projectId, taskId } = delivery;
    try {
      await handle({ projectId, taskId });
      await delivery.done();
    } catch (error) {
      onError(error);
      await sleep(restMs);
    }
  };

  const start = (delivery: TakenDelivery): void => {
    const key = deliveryKey(delivery);
    const running = run(delivery).finally(() => {
      busy.delete(key);
      alarm.ring();
    });
    busy.set(key, running);
  };

  const loop = async (): Promise<void> => {
    // Not by the time of day, which may be set back.
    let nextTending = 0;
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() >= nextTending) {
          nextTending = performance.now() + tendMs;
          await source.tend(Date.now());
        }
        const free = concurrency - busy.size;
        if (free > 0) for (const delivery of await source.take(free, new Set(busy.keys()))) start(delivery);
      } catch (error) {
        onError(error);
        await alarm.wait(restMs);
      }
      if (!stopping.signal.aborted) await alarm.wait(source.pollMs);
    }
  };

  const stopListening = source.listen(() => alarm.ring());
  const looping = loop();
  return {
    async stop() {
      stopping.abort();
      alarm.ring();
      await looping;
      stopListening();
      await Promise.all(busy.values());
    },
  };
}

interface Alarm {
  ring(): void;
  /** Waits for a ring, at most this many ms. A ring that came before is not lost. */
  wait(ms: number): Promise<void>;
}

function makeAlarm(): Alarm {
  let hasRung = false;
  let wake = (): void => {};
  return {
    ring() {
      hasRung = true;
      wake();
    },
    async wait(ms) {
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasRung = false;
    },
  };
}
