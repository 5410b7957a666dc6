import type { RouteInput, RouteName, RouteReply } from "galley/api";
import { routeTable } from "virtual:galley-routes";
import { ApiError, type ErrorDetails, offlineCode } from "./api-error.ts";
import { useConnection } from "./connection.ts";
import { readEvents } from "./read-events.ts";

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
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** The address of a call, for links and frames as well. */
export function addressOf(name: RouteName, input: { readonly params?: unknown; readonly query?: unknown }): string {
  const params = (input.params ?? {}) as Values;
  const path = routeTable[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(params[key])),
  );
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries((input.query ?? {}) as Values)) {
    if (value !== undefined) query.set(key, String(value));
  }
  return `/api${path}${query.size > 0 ? `?${query}` : ""}`;
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const details = JSON.parse(text) as ErrorDetails;
    if (typeof details.code === "string") return new ApiError(details, response.status);
  } catch {
    // Not the daemon's own answer; a proxy, perhaps.
  }
  return new ApiError({ code: `Http${response.status}`, message: text || response.statusText }, response.status);
}

async function send(name: RouteName, input: object, accept: string, options: CallOptions): Promise<Response> {
  const { body, ...rest } = input as { readonly body?: unknown; readonly params?: unknown; readonly query?: unknown };
  const response = await fetch(addressOf(name, rest), {
    method: routeTable[name].method,
    headers: { accept, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(options.signal && { signal: options.signal }),
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    useConnection.setState({ isOffline: true });
    throw new ApiError({ code: offlineCode, message: "The daemon does not answer." }, 0);
  });
  useConnection.setState({ isOffline: false });
  if (response.status === 401) useConnection.setState({ isSignedOut: true });
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** Asks the daemon: `call("presets.get", { params: { id } })`. What is refused is thrown as an ApiError. */
export async function call<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  options: CallOptions = {},
): Promise<RouteReply<Name>> {
  const response = await send(name, input, "application/json", options);
  return (await response.json()) as RouteReply<Name>;
}

/** Reads a route that answers with events, one by one: `for await (const event of stream("runs.start", …))`. */
export async function* stream<Name extends RouteName>(
  name: Name,
  input: Input<Name>,
  options: CallOptions = {},
): AsyncGenerator<RouteReply<Name>, void> {
  const response = await send(name, input, "text/event-stream", options);
  if (!response.body) return;
  for await (const { name: event, data } of readEvents(response.body)) {
    // What goes wrong after the first byte can no longer be a status.
    if (event === "problem") throw new ApiError(JSON.parse(data) as ErrorDetails, 0);
    yield JSON.parse(data) as RouteReply<Name>;
  }
}
