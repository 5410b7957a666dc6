import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";

type Delta = Extract<LanguageModelV4StreamPart, { readonly delta: string }>;

/** In characters: what is longer is passed on, so that a reply without end is noticed. */
const maxJoined = 2000;

/**
 * The same stream, where pieces of a text that come in one moment are one piece: each goes through all stages of the AI SDK, which
 * costs more than the rest of the call. Nothing is held back for longer than that moment.
 */
export function joinDeltas(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  let reading: ReturnType<typeof reader.read> | undefined;
  const pull = async (controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>): Promise<void> => {
    const first = await (reading ?? reader.read());
    reading = undefined;
    if (first.done) return controller.close();
    const part = first.value;
    if (!isDelta(part)) return controller.enqueue(part);
    let { delta } = part;
    const moment = Promise.withResolvers<void>();
    let isOver = false;
    const end = (): void => {
      isOver = true;
      moment.resolve();
    };
    // Without a promise for each piece: there are as many as words.
    const readMore = (): void => {
      reading = reader.read();
      reading.then(({ value: next }) => {
        if (isOver) return;
        if (!next || !isDelta(next) || next.type !== part.type || next.id !== part.id) return end();
        delta += next.delta;
        reading = undefined;
        if (delta.length < maxJoined) readMore();
        else end();
        // What fails is told to the next one to ask.
      }, end);
    };
    const timer = setImmediate(end);
    readMore();
    await moment.promise;
    clearImmediate(timer);
    controller.enqueue({ ...part, delta });
  };
  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) }, { highWaterMark: 0 });
}

/** What a provider notes beside a piece belongs to that piece. */
function isDelta(part: LanguageModelV4StreamPart): part is Delta {
  return "delta" in part && !("providerMetadata" in part && part.providerMetadata !== undefined);
}
