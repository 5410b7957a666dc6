import { AsyncLocalStorage } from "node:async_hooks";
import { type WireProvider, exportFor } from "@galley/engine";
import type { WireInput } from "@galley/engine/wire";
import { limitedBody } from "../../limits/limited-body.ts";

/** One call of a model on its way out. */
interface WireCall {
  /** The parts of the request that our own exporter made, by the fields of the provider's body. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly onSent: (body: string) => void;
  /** How many requests it has taken so far. */
  requests: number;
}

const calls = new AsyncLocalStorage<WireCall>();

/** The fields of a request's body that say what the model reads; the rest is the provider package's affair. */
const contentFields: Readonly<Record<Exclude<WireProvider, "ai-sdk">, readonly string[]>> = {
  "openai-chat": ["messages", "tools"],
  "openai-responses": ["instructions", "input", "tools"],
  anthropic: ["system", "messages", "tools"],
  gemini: ["systemInstruction", "contents", "tools"],
};

/**
 * A fetch that sends what our own exporters made: of every request that belongs to a call, the fields with content are
 * replaced, and the caller is told the body as it goes out. So what a preview shows is what is sent.
 */
export function wireFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const call = calls.getStore();
    if (!call || typeof init?.body !== "string") return readable(await fetch(input, init));
    call.requests += 1;
    if (call.requests > maxRequests)
      throw new Error(`The server wanted to be asked more than ${maxRequests} times for one reply.`);
    const body = JSON.stringify({ ...(JSON.parse(init.body) as object), ...call.fields });
    call.onSent(body);
    return readable(await fetch(input, { ...init, body }));
  };
}

/** Some servers give a reply in several requests, and the SDK tries a failed one twice more. */
const maxRequests = 30;

const mebibyte = 1024 * 1024;

/**
 * A stream says each word in some hundred bytes; the longest reply that a model can give is half of this. A line is one
 * event, at most a picture. Of an error the beginning says enough.
 */
function readable(response: Response): Response {
  if (response.status >= 400) return limitedBody(response, { max: mebibyte, isCut: true });
  return limitedBody(response, { max: 128 * mebibyte, maxLineLength: 32 * mebibyte });
}

/** Runs a call of a model whose request is made by us. Throws `WireInvalid` before anything is sent. */
export function withWire<Result>(
  wire: WireProvider,
  input: WireInput,
  onSent: (body: string) => void,
  work: () => Result,
): Result {
  // The model that is built in is reached by no request: there are no bytes to tell of.
  if (wire === "ai-sdk") return work();
  const request = exportFor(wire, input).request as unknown as Readonly<Record<string, unknown>>;
  // What we do not send must not stay from what the provider's package would have sent.
  const fields = Object.fromEntries(contentFields[wire].map((name) => [name, request[name]]));
  return calls.run({ fields, onSent, requests: 0 }, work);
}
