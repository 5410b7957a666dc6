import { GalleyError } from "@galley/engine";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { type Route, type RouteName, routes } from "../../api/index.ts";
import { type StreamEvent, eventStream } from "./event-stream.ts";
import { errorAnswer } from "./error-answer.ts";
import { readArguments, readBody, readQuery } from "./read-arguments.ts";
import type { Call, RouteHandlers } from "./route-handlers.ts";
import type { StreamCount } from "./stream-count.ts";

export interface BindOptions {
  readonly redact: <Value>(value: Value) => Value;
  readonly streams: StreamCount;
  /** Who asks, for the count of open streams. */
  readonly clientOf: (c: Context) => string;
  readonly bodyLimitBytes: number;
  readonly largeBodyLimitBytes: number;
  readonly heartbeatMs: number;
}

/** Any handler, once its types have been checked against the table. */
type LooseHandler = (args: ReturnType<typeof readArguments>, call: Call) => unknown;

/** The routes of the table as an app, to be mounted at `/api`. */
export function bindRoutes(handlers: RouteHandlers, options: BindOptions): Hono {
  const app = new Hono();
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const handler = handlers[name] as LooseHandler;
    const limit = route.largeBody ? options.largeBodyLimitBytes : options.bodyLimitBytes;
    app.on(
      route.method,
      route.path.replace(/\{(\w+)\}/g, ":$1"),
      bodyLimit({ maxSize: limit, onError: () => tooLarge(limit) }),
      (c) => serve(c, route, handler, options),
    );
  }
  app.all("*", ({ req }) => {
    throw noSuchRoute(req.method, req.path);
  });
  return app;
}

async function serve(c: Context, route: Route, handler: LooseHandler, options: BindOptions): Promise<Response> {
  const { redact, streams, clientOf, heartbeatMs } = options;
  const args = readArguments(route, {
    params: c.req.param(),
    query: readQuery(c.req.url),
    body: route.body ? await readBody(c.req.raw) : undefined,
  });
  if (!route.stream) {
    const reply = await handler(args, { signal: c.req.raw.signal });
    return c.json(redact(reply as object), 200, { "cache-control": "no-store" });
  }
  const leave = streams.enter(clientOf(c));
  const gone = new AbortController();
  try {
    const call = { signal: gone.signal, lastEventId: c.req.header("last-event-id") };
    const source = (await handler(args, call)) as AsyncIterable<StreamEvent<unknown>>;
    return eventStream(source, {
      heartbeatMs,
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

function tooLarge(limit: number): never {
  throw new GalleyError("RequestTooLarge", `The request is larger than ${limit} bytes.`, {
    path: "body",
    hint: "Send it in several pieces.",
  });
}

const patterns = Object.values(routes as Readonly<Record<string, Route>>).map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^/api${path.replace(/\{\w+\}/g, "[^/]+")}$`),
}));

function noSuchRoute(method: string, path: string): GalleyError {
  const allowed = patterns.filter(({ pattern }) => pattern.test(path)).map((one) => one.method);
  if (allowed.length > 0) {
    const hint = `It has ${[...new Set(allowed)].join(", ")}.`;
    return new GalleyError("MethodNotAllowed", `${path} cannot be asked for with ${method}.`, { path, hint });
  }
  return new GalleyError("NotFound", `There is nothing at ${path}.`, { path, hint: "/docs lists what there is." });
}
