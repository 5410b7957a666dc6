import { setTimeout as sleep } from "node:timers/promises";

/** One server-sent event. With an id, a client that lost the connection can go on behind it. */
export interface StreamEvent<Data> {
  readonly id?: string;
  readonly data: Data;
}

export interface EventStreamOptions {
  /** A comment is sent when nothing else was for so long, or a proxy would take the connection for dead. */
  readonly heartbeatMs: number;
  readonly textOf: (data: unknown) => string;
  /** What is sent, as the last event, when the source throws. */
  readonly problemOf: (error: unknown) => unknown;
  /** Called once, however the stream ends. */
  readonly onEnd: () => void;
}

const encoder = new TextEncoder();

/**
 * Events as they come. The source is asked for the next one only when the client takes it, and is ended when the client
 * is gone; what the events tell of goes on.
 */
export function eventStream(source: AsyncIterable<StreamEvent<unknown>>, options: EventStreamOptions): Response {
  const { heartbeatMs, textOf, problemOf, onEnd } = options;
  const events = source[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<StreamEvent<unknown>>> | undefined;
  let isOver = false;
  const end = (): void => {
    if (!isOver) onEnd();
    isOver = true;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // At once, so that the client sees that it is connected.
      controller.enqueue(encoder.encode(": galley\n\n"));
    },
    async pull(controller) {
      next ??= events.next();
      const heartbeat = new AbortController();
      try {
        const waiting = sleep(heartbeatMs, "quiet" as const, { signal: heartbeat.signal, ref: false });
        waiting.catch(() => undefined);
        const came = await Promise.race([next, waiting]);
        if (isOver) return;
        if (came === "quiet") {
          controller.enqueue(encoder.encode(": still here\n\n"));
          return;
        }
        next = undefined;
        if (came.done !== true) {
          controller.enqueue(encoder.encode(eventText(came.value, textOf)));
          return;
        }
      } catch (error) {
        if (isOver) return;
        controller.enqueue(encoder.encode(`event: problem\ndata: ${JSON.stringify(problemOf(error))}\n\n`));
      } finally {
        heartbeat.abort();
      }
      end();
      controller.close();
    },
    async cancel() {
      end();
      // A source that waits is told by its signal; one that does not listen must not keep the connection.
      next?.catch(() => undefined);
      void events.return?.();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

/** JSON holds no line ends, so that one event is one line of data. */
function eventText({ id, data }: StreamEvent<unknown>, textOf: (data: unknown) => string): string {
  const mark = id === undefined ? "" : `id: ${id.replace(/[\r\n\0]/g, "")}\n`;
  return `${mark}data: ${textOf(data)}\n\n`;
}
