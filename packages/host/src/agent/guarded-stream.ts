import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";

/** So many messages of an agent may wait for their answers. */
const mostOpen = 1000;

/**
 * The same stream, which breaks when the other side asks on and on: what it has asked is held until it is answered, and
 * answers are held until it reads them.
 */
export function guardedStream({ readable, writable }: Stream): Stream {
  let open = 0;
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (isAnswered(message)) open += 1;
      if (open > mostOpen) controller.error(new Error(`it left more than ${mostOpen} answers to its messages unread`));
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

/** Whether the SDK answers it. It answers nonsense too, and with a copy of it, but neither answers nor notifications. */
function isAnswered(message: object): boolean {
  const given: Readonly<Record<string, unknown>> = { ...message };
  const has = (...names: readonly string[]): boolean => names.some((name) => name in given);
  const isAnswer = !has("method") && has("id", "result", "error");
  const isNotification = given["jsonrpc"] === "2.0" && !has("id") && typeof given["method"] === "string";
  return !isAnswer && !isNotification;
}
