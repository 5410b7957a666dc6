import { GalleyError } from "@galley/engine";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { type Route, type RouteName, routes } from "../../api/index.ts";
import type { SignedInBrowser } from "./browser-sessions.ts";
import { type StreamEvent, eventStream } from "./event-stream.ts";
import { errorAnswer, errorResponse } from "./error-response.ts";
import { pathForLog } from "./path-for-log.ts";
import { readArguments, readBody, readQuery } from "./read-arguments.ts";
import type { Call, RouteHandlers } from "./route-handlers.ts";
import type { StreamCount } from "./stream-count.ts";

export interface BindOptions {
  readonly redact: <Value>(value: Value) => Value;
  readonly streams: StreamCount;
  readonly callerOf: (c: Context) => Caller;
  readonly bodyLimitBytes: number;
  readonly largeBodyLimitBytes: number;
  readonly heartbeatMs: number;
}

/** Who asks. */
interface Caller {
  /** The same for all requests of one visitor, however they are written: its open streams are counted. */
  readonly client: string;
  /** Where it is a browser. */
  readonly browser?: SignedInBrowser;
}

/** Any handler, once its types have been checked against the table. */
type LooseHandler = (args: ReturnType<typeof readArguments>, call: Call) => unknown;

export interface BoundRoutes {
  /** To be mounted at `/api`. */
  readonly app: Hono;
  /** One route by itself, for a second place. */
  serve(name: RouteName, c: Context): Promise<Response>;
  /** Those that are no streams, by name, with all arguments in one object. */
  readonly methods: ReadonlyMap<string, (params: unknown) => Promise<unknown>>;
}

/** Puts handlers behind the routes of the table. */
export function bindRoutes(handlers: RouteHandlers, options: BindOptions): BoundRoutes {
  const app = new Hono();
  const methods = new Map<string, (params: unknown) => Promise<unknown>>();
  const handlerOf = (name: RouteName): LooseHandler => handlers[name] as LooseHandler;
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const maxSize = route.largeBody ? options.largeBodyLimitBytes : options.bodyLimitBytes;
    app.on(
      route.method,
      route.path.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit({ maxSize, onError: () => errorResponse(tooLarge(maxSize), options.redact) }),
      (c) => serveRoute(c, route, handlerOf(name), options),
    );
    if (!route.stream) methods.set(name, (params) => callRoute(route, handlerOf(name), params, options));
  }
  app.all("*", ({ req }) => {
    throw noSuchRoute(req.method, req.path);
  });
  return { app, methods, serve: (name, c) => serveRoute(c, routes[name], handlerOf(name), options) };
}

async function callRoute(
  route: Route,
  handler: LooseHandler,
  given: unknown,
  { redact }: BindOptions,
): Promise<unknown> {
  const params = given ?? {};
  const reply = await handler(readArguments(route, { params, query: params, body: params }), {
    signal: new AbortController().signal,
  });
  return JSON.parse(replyText(reply, redact));
}

async function serveRoute(c: Context, route: Route, handler: LooseHandler, options: BindOptions): Promise<Response> {
  const args = readArguments(route, {
    params: c.req.param(),
    query: readQuery(c.req.url),
    body: route.body ? await readBody(c.req.raw) : undefined,
  });
  if (route.stream) return serveStream(c, args, handler, options);
  const reply = await handler(args, { signal: c.req.raw.signal, browser: options.callerOf(c).browser?.id });
  return new Response(replyText(reply, options.redact), {
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

async function serveStream(
  c: Context,
  args: ReturnType<typeof readArguments>,
  handler: LooseHandler,
  { redact, streams, callerOf, heartbeatMs }: BindOptions,
): Promise<Response> {
  // Nobody would read the events, and nobody would end them.
  if (c.req.method === "HEAD") return c.body(null, 200, { "content-type": "text/event-stream" });
  const { client, browser } = callerOf(c);
  const leave = streams.enter(client);
  const gone = new AbortController();
  try {
    const call = { signal: gone.signal, lastEventId: c.req.header("last-event-id") };
    const source = (await handler(args, call)) as AsyncIterable<StreamEvent<unknown>>;
    return eventStream(source, {
      heartbeatMs,
      textOf: (data) => replyText(data, redact),
      until: browser?.signedOut,
      problemOf: (error) => errorAnswer(error, redact).body,
      onEnd: () => {
        gone.abort();
        leave();
      },
    });
  } catch (error) {
    leave();
    throw error;
  }
}

/** Bytes of pictures and files travel as base64, as they do in the engine's own files. */
function replyText(reply: unknown, redact: BindOptions["redact"]): string {
  return JSON.stringify(redact(reply), (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  );
}

function tooLarge(limit: number): GalleyError {
  return new GalleyError("RequestTooLarge", `The request is larger than ${limit} bytes.`, {
    path: "body",
    hint: "Send it in several pieces.",
  });
}

const patterns = Object.values(routes as Readonly<Record<string, Route>>).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^/api${path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));

function noSuchRoute(method: string, asked: string): GalleyError {
  const path = pathForLog(asked);
  const allowed = patterns.filter(({ pattern }) => pattern.test(asked)).map((one) => one.method);
  if (allowed.length > 0) {
    const hint = `It has ${[...new Set(allowed)].join(", ")}.`;
    return new GalleyError("MethodNotAllowed", `${path} cannot be asked for with ${method}.`, { path, hint });
  }
  return new GalleyError("NotFound", `There is nothing at ${path}.`, { path, hint: "/docs lists what there is." });
}
