import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";

/** So many requests of an agent may wait for their answers. */
const mostOpen = 1000;

/**
 * The same stream, which breaks when the other side asks on and on: what it has asked is held until it is answered, and
 * answers are held until it reads them.
 */
export function guardedStream({ readable, writable }: Stream): Stream {
  let open = 0;
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if ("method" in message && "id" in message) open += 1;
      if (open > mostOpen) controller.error(new Error(`it left more than ${mostOpen} answers to its requests unread`));
      else controller.enqueue(message);
    },
  });
  const writer = writable.getWriter();
  return {
    readable: readable.pipeThrough(incoming),
    writable: new WritableStream<AnyMessage>({
      async write(message) {
        await writer.write(message);
        if (!("method" in message)) open -= 1;
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}
