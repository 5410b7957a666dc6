import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";

/** So many messages of an agent may wait for their answers. */
const maxOpen = 1000;

/**
 * The same stream, which breaks when the other side asks on and on: what it has asked is held until it is answered, and
 * answers are held until it reads them. Answers to nobody are not let through: the SDK would print what they say.
 */
export function guardedStream({ readable, writable }: Stream): Stream {
  let open = 0;
  const asked = new Set<unknown>();
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const kind = kindOf(message);
      if (kind === "answer" && !("id" in message && asked.delete(message.id))) return;
      // It answers nonsense too, and with a copy of it.
      if (kind === "request" || kind === "nonsense") open += 1;
      if (open > maxOpen) controller.error(new Error(`it left more than ${maxOpen} answers to its messages unread`));
      else controller.enqueue(message);
    },
  });
  const writer = writable.getWriter();
  return {
    readable: readable.pipeThrough(incoming),
    writable: new WritableStream<AnyMessage>({
      async write(message) {
        if ("method" in message && "id" in message) asked.add(message.id);
        await writer.write(message);
        if (!("method" in message)) open -= 1;
      },
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}

/** As the SDK tells them apart. */
function kindOf(message: object): "request" | "notification" | "answer" | "nonsense" {
  const { jsonrpc, method }: Readonly<Record<string, unknown>> = { ...message };
  if (!("method" in message)) {
    return "id" in message || "result" in message || "error" in message ? "answer" : "nonsense";
  }
  if (jsonrpc !== "2.0" || typeof method !== "string") return "nonsense";
  return "id" in message ? "request" : "notification";
}
