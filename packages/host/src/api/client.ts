// The client of the daemon's routes, for the command and for Studio. It runs in browsers as well and loads no schemas: of the
// routes it knows the types, and is given their methods and paths.
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { RouteInput, RouteName, RouteReply } from "./index.ts";

export {
  type PlaceKind,
  agentOfChat,
  chatKeyOf,
  isPlainSession,
  parsePlaceId,
  placeIdOfChat,
  placeKinds,
  sessionIdOf,
} from "./place-id.ts";

/** The body of every reply that is not a success; the fields are those of a GalleyError. */
export interface ErrorDetails {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly path?: string;
  readonly retryable?: boolean;
  /** Everything that was found, where more than one thing is wrong. */
  readonly problems?: readonly ErrorDetails[];
}

/** The code of a call that did not reach the daemon, or whose answer broke off. */
export const offlineCode = "Offline";

/** What the daemon answered when it did not do as asked. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly path: string | undefined;
  readonly retryable: boolean;
  readonly problems: readonly ErrorDetails[] | undefined;
  /** The HTTP status; 0 when there is none: the daemon was not reached, or had already begun to answer. */
  readonly status: number;

  constructor(details: ErrorDetails, status: number, options?: ErrorOptions) {
    super(details.message, options);
    this.name = "ApiError";
    this.code = details.code;
    this.hint = details.hint;
    this.path = details.path;
    this.retryable = details.retryable ?? false;
    this.problems = details.problems;
    this.status = status;
  }
}

type Part = keyof RouteInput<RouteName>;
type PartsOf<Name extends RouteName> = {
  readonly [Key in Part as RouteInput<Name>[Key] extends undefined ? never : Key]: RouteInput<Name>[Key];
};
type OptionalParts<Parts> = { [Key in keyof Parts]-?: object extends Parts[Key] ? Key : never }[keyof Parts];

/** What a route is given; a part whose fields are all optional may be left out. */
export type Input<Name extends RouteName> = Omit<PartsOf<Name>, OptionalParts<PartsOf<Name>>> &
  Partial<Pick<PartsOf<Name>, OptionalParts<PartsOf<Name>>>>;

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The body of a route that reads it as it comes. */
  readonly raw?: Blob | string;
}

/** Asks a daemon. What it refuses is thrown as an ApiError; a call that was aborted throws what `fetch` throws. */
export interface ApiClient {
  /** One answer: `call("presets.get", { params: { id } })`. */
  readonly call: <Name extends RouteName>(
    name: Name,
    input: Input<Name>,
    options?: CallOptions,
  ) => Promise<RouteReply<Name>>;
  /** The events of a route that streams them: `for await (const event of stream("runs.start", …))`. */
  readonly stream: <Name extends RouteName>(
    name: Name,
    input: Input<Name>,
    options?: CallOptions,
  ) => AsyncGenerator<RouteReply<Name>, void>;
  /** The address of a call, for links and frames as well. */
  readonly addressOf: (name: RouteName, input: AddressParts) => string;
}

export interface ApiClientOptions {
  readonly routes: Readonly<Record<RouteName, { readonly method: string; readonly path: string }>>;
  /** Where the daemon is; in a page that it serves, nowhere else than the page. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
}

interface AddressParts {
  readonly params?: unknown;
  readonly query?: unknown;
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

export function apiClient({ routes, url = "", headers = {}, fetch = globalThis.fetch }: ApiClientOptions): ApiClient {
  const addressOf = (name: RouteName, { params, query }: AddressParts): string => {
    const values = (params ?? {}) as Values;
    const path = routes[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
      encodeURIComponent(String(values[key])),
    );
    const given = Object.entries((query ?? {}) as Values).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(Object.fromEntries(given.map(([key, value]) => [key, String(value)])));
    return `${url}/api${path}${search.size > 0 ? `?${String(search)}` : ""}`;
  };
  const send = async (name: RouteName, input: object, accept: string, options: CallOptions): Promise<Response> => {
    const { signal, raw } = options;
    const { body, ...parts } = input as AddressParts & { readonly body?: unknown };
    const type = raw === undefined ? "application/json" : "application/octet-stream";
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(addressOf(name, parts), {
      method: routes[name].method,
      headers: { ...headers, accept, ...(sent !== undefined && { "content-type": type }) },
      ...(sent !== undefined && { body: sent }),
      ...(signal && { signal }),
    }).catch((cause: unknown) => {
      throw brokenOff(cause, signal);
    });
    if (!response.ok) throw errorOf(await textOf(response, signal), response);
    return response;
  };
  return {
    addressOf,
    async call<Name extends RouteName>(name: Name, input: Input<Name>, options: CallOptions = {}) {
      const response = await send(name, input, "application/json", options);
      const text = await textOf(response, options.signal);
      try {
        return JSON.parse(text) as RouteReply<Name>;
      } catch {
        throw errorOf(text, response);
      }
    },
    async *stream<Name extends RouteName>(name: Name, input: Input<Name>, { signal }: CallOptions = {}) {
      const { body } = await send(name, input, "text/event-stream", { ...(signal && { signal }) });
      if (!body) return;
      const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()).getReader();
      try {
        for (;;) {
          const { done, value } = await events.read().catch((cause: unknown) => {
            throw brokenOff(cause, signal);
          });
          if (done) return;
          // What goes wrong after the first byte can no longer be a status.
          if (value.event === "problem") throw new ApiError(JSON.parse(value.data) as ErrorDetails, 0);
          yield JSON.parse(value.data) as RouteReply<Name>;
        }
      } finally {
        // A stream that broke off rejects here once more.
        await events.cancel().catch(() => undefined);
      }
    },
  };
}

const textOf = (response: Response, signal: AbortSignal | undefined): Promise<string> =>
  response.text().catch((cause: unknown) => {
    throw brokenOff(cause, signal);
  });

function brokenOff(cause: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return cause;
  return new ApiError({ code: offlineCode, message: "The daemon does not answer." }, 0, { cause });
}

/** A text that is not the daemon's own answer may be a proxy's. */
function errorOf(text: string, { status, statusText }: Response): ApiError {
  let details: Partial<ErrorDetails> | null = null;
  try {
    details = JSON.parse(text) as Partial<ErrorDetails> | null;
  } catch {
    // Told below.
  }
  const { code, message } = details ?? {};
  if (typeof code === "string" && typeof message === "string")
    return new ApiError({ ...details, code, message }, status);
  return new ApiError({ code: `Http${status}`, message: text.slice(0, 200) || statusText }, status);
}
