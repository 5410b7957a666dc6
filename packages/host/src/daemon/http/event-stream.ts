/** One server-sent event. With an id, a client that lost the connection can go on behind it. */
export interface StreamEvent<Data> {
  readonly id?: string;
  readonly data: Data;
}

export interface EventStreamOptions {
  /** A comment is sent when nothing else was for this long, or a proxy would take the connection for dead. */
  readonly heartbeatMs: number;
  readonly textOf: (data: unknown) => string;
  /** What is sent, as the last event, when the source throws. */
  readonly problemOf: (error: unknown) => unknown;
  /** Ends the stream at once when it aborts; its reason is sent as the last event. */
  readonly until?: AbortSignal | undefined;
  /** Called once, however the stream ends. */
  readonly onEnd: () => void;
}

const encoder = new TextEncoder();
const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

/**
 * Events as they come. The source is asked for the next one only when the client takes it, and is ended when the client
 * is gone; what the events tell of goes on.
 */
export function eventStream(source: AsyncIterable<StreamEvent<unknown>>, options: EventStreamOptions): Response {
  const { heartbeatMs, textOf, problemOf, until, onEnd } = options;
  const events = source[Symbol.asyncIterator]();
  let isOver = false;
  let isQuiet = true;
  let heartbeat: NodeJS.Timeout | undefined;
  let cut = (): void => undefined;
  const end = (): void => {
    clearInterval(heartbeat);
    until?.removeEventListener("abort", cut);
    if (!isOver) onEnd();
    isOver = true;
  };
  const problemText = (error: unknown): Uint8Array =>
    encoder.encode(`event: problem\ndata: ${JSON.stringify(problemOf(error))}\n\n`);
  // A source that waits is told by its signal; one that does not listen must not keep the connection.
  const leaveSource = (): void => void events.return?.().catch(() => undefined);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // At once, so that the client sees that it is connected.
      controller.enqueue(encoder.encode(": galley\n\n"));
      heartbeat = setInterval(() => {
        // A client that does not even read what there is needs no sign of life.
        if (isQuiet && (controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": still here\n\n"));
        isQuiet = true;
      }, heartbeatMs).unref();
      cut = () => {
        if (isOver) return;
        controller.enqueue(problemText(until?.reason));
        end();
        controller.close();
        leaveSource();
      };
      until?.addEventListener("abort", cut);
      if (until?.aborted) cut();
    },
    async pull(controller) {
      try {
        const next = await events.next();
        if (isOver) return;
        isQuiet = false;
        if (next.done !== true) {
          controller.enqueue(encoder.encode(eventText(next.value, textOf)));
          return;
        }
      } catch (error) {
        if (isOver) return;
        controller.enqueue(problemText(error));
      }
      end();
      controller.close();
    },
    cancel() {
      end();
      leaveSource();
    },
  });
  return new Response(body, { headers: streamHeaders });
}

/** JSON holds no line ends, so that one event is one line of data. */
function eventText({ id, data }: StreamEvent<unknown>, textOf: (data: unknown) => string): string {
  const mark = id === undefined ? "" : `id: ${id.replace(/[\r\n\0]/g, "")}\n`;
  return `${mark}data: ${textOf(data)}\n\n`;
}
