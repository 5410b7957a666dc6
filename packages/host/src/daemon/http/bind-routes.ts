import { GalleyError } from "@galley/engine";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import * as z from "zod";
import {
  type Route,
  type RouteArguments,
  type RouteName,
  type RouteReply,
  type StreamName,
  routes,
} from "../../api/index.ts";
import { sliceEnd } from "../../limits/in-slices.ts";
import type { Visitor } from "./access.ts";
import { type StreamEvent, eventStream } from "./event-stream.ts";
import { errorAnswer } from "./error-response.ts";
import { pathForLog } from "./daemon-log.ts";
import { limitBody, readArguments, readBody, readPieces, readQuery } from "./read-arguments.ts";

/** The same data, which the one who gave it may go on using. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends (...args: never[]) => unknown
    ? Value
    : Value extends object
      ? { readonly [Key in keyof Value]: Given<Value[Key]> }
      : Value;

/** What a handler knows of the call beside its arguments. */
export interface Call {
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Of a stream that goes on where another one was cut off. */
  readonly lastEventId?: string | undefined;
  /** The id of the browser that asks, where it is one. */
  readonly browser?: string | undefined;
  /** The body of a route that reads it as it comes. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
}

type Answer<Name extends RouteName> = Name extends StreamName
  ? AsyncIterable<StreamEvent<Given<RouteReply<Name>>>>
  : Given<RouteReply<Name>>;

type RouteHandler<Name extends RouteName> = (
  args: RouteArguments<Name>,
  call: Call,
) => Answer<Name> | Promise<Answer<Name>>;

/** One handler for every route of the table; a missing one does not compile. */
export type RouteHandlers<Names extends RouteName = RouteName> = { readonly [Name in Names]: RouteHandler<Name> };

/** In bytes. */
export const maxBodySize = 2 * 1024 * 1024;
const maxLargeBodySize = 64 * 1024 * 1024;
const streamsPerClient = 256;
/** For what is read as it comes: no more than a piece of it is held. */
const unlimited: MiddlewareHandler = (_, next) => next();

export interface BindOptions {
  readonly redact: <Value>(value: Value) => Value;
  readonly visitorOf: (c: Context) => Visitor | undefined;
  readonly heartbeatMs: number;
}

interface BoundOptions extends BindOptions {
  /** Counts a stream of the client; gives the function that says that it is over. */
  readonly streams: (client: string) => () => void;
}

/** Any handler, once its types have been checked against the table. */
type LooseHandler = (args: ReturnType<typeof readArguments>, call: Call) => unknown;

export interface BoundRoutes {
  /** To be mounted at `/api`. */
  readonly app: Hono;
  /** One route by itself, for a second place. */
  serve(name: RouteName, c: Context): Promise<Response>;
  /** Those that neither give nor take a stream, by name, with all arguments in one object. */
  readonly methods: ReadonlyMap<string, (params: unknown) => Promise<unknown>>;
}

/** Puts handlers behind the routes of the table. */
export function bindRoutes(handlers: RouteHandlers, given: BindOptions): BoundRoutes {
  const options = { ...given, streams: streamCount() };
  const app = new Hono();
  const methods = new Map<string, (params: unknown) => Promise<unknown>>();
  const handlerOf = (name: RouteName): LooseHandler => handlers[name] as LooseHandler;
  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    const path = route.path.replace(/\{(\w+)\}/g, ":$1");
    const limit = route.rawBody ? unlimited : limitBody(route.largeBody ? maxLargeBodySize : maxBodySize);
    app.on(route.method, path, limit, (c) => serveRoute(c, route, handlerOf(name), options));
    if (!route.stream && !route.rawBody)
      methods.set(name, (params) => callRoute(route, handlerOf(name), params, options));
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
  const reply = await handler(readArguments(route, { params, query: params, body: bodyIn(params, route) }), {
    signal: new AbortController().signal,
  });
  return JSON.parse(replyText(reply, redact));
}

/** All arguments of a method are in one object: what belongs to the path or the query is not of the body. */
function bodyIn(given: unknown, { params, query, body }: Route): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const own = namesIn(body);
  const others = new Set([...namesIn(params), ...namesIn(query)].filter((name) => !own.includes(name)));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !others.has(name)));
}

function namesIn(schema: z.ZodType | undefined): readonly string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

async function serveRoute(c: Context, route: Route, handler: LooseHandler, options: BoundOptions): Promise<Response> {
  const args = readArguments(route, {
    params: c.req.param(),
    query: readQuery(c.req.url),
    body: route.body ? await readBody(c.req.raw) : undefined,
  });
  if (route.stream) return serveStream(c, args, handler, options);
  const visitor = options.visitorOf(c);
  const browser = visitor?.kind === "browser" ? visitor.browser.id : undefined;
  const body = route.rawBody ? readPieces(c.req.raw) : undefined;
  const reply = await handler(args, { signal: c.req.raw.signal, browser, body });
  return new Response(replyBody(reply, options.redact), {
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

async function serveStream(
  c: Context,
  args: ReturnType<typeof readArguments>,
  handler: LooseHandler,
  { redact, streams, visitorOf, heartbeatMs }: BoundOptions,
): Promise<Response> {
  // The events would be neither read nor ended.
  if (c.req.method === "HEAD") return c.body(null, 200, { "content-type": "text/event-stream" });
  const visitor = visitorOf(c);
  const browser = visitor?.kind === "browser" ? visitor.browser : undefined;
  // The same for all requests of one visitor, however they are written.
  const leave = streams(browser?.id ?? visitor?.kind ?? "");
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

/** In characters: longer replies are written piece by piece, or they would keep every other request waiting. */
const pieceLength = 256 * 1024;

function replyBody(reply: unknown, redact: BindOptions["redact"]): string | ReadableStream<Uint8Array> {
  const isLong = typeof reply === "object" && !Array.isArray(reply) && leftAfter(reply, pieceLength) < 0;
  if (!isLong) return replyText(reply, redact);
  return ReadableStream.from(replyPieces(reply as object, redact)).pipeThrough(new TextEncoderStream());
}

/** What a document leaves of a number of characters, roughly; counted no further than that. */
function leftAfter(value: unknown, characters: number): number {
  if (typeof value === "string") return characters - value.length;
  let left = characters - 8;
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return left;
  for (const key in value) {
    if (left < 0) return left;
    left = leftAfter((value as Readonly<Record<string, unknown>>)[key], left);
  }
  return left;
}

async function* replyPieces(reply: object, redact: BindOptions["redact"]): AsyncGenerator<string> {
  const pause = sliceEnd();
  // As `JSON.stringify` does: what is undefined is left out.
  const fields = Object.entries(reply).filter(([, field]) => field !== undefined);
  let text = "{";
  for (const [at, [key, value]] of fields.entries()) {
    text += `${at === 0 ? "" : ","}${JSON.stringify(key)}:`;
    if (!Array.isArray(value) || value.length === 0) {
      text += replyText(value, redact);
      continue;
    }
    for (const [index, item] of value.entries()) {
      text += `${index === 0 ? "[" : ","}${replyText(item, redact)}`;
      if (text.length < pieceLength) continue;
      yield text;
      text = "";
      await pause();
    }
    text += "]";
  }
  yield `${text}}`;
}

/** Bytes of pictures and files travel as base64, as they do in the engine's own files. */
function replyText(reply: unknown, redact: BindOptions["redact"]): string {
  return JSON.stringify(redact(reply), (_, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  );
}

/** Counts the open streams of each client, so that one that forgets to close them harms no other. */
function streamCount(): BoundOptions["streams"] {
  const open = new Map<string, number>();
  return (client) => {
    const count = open.get(client) ?? 0;
    if (count >= streamsPerClient) {
      throw new GalleyError("TooManyStreams", `${streamsPerClient} streams are open already.`, {
        hint: "Close one first; /events tells of everything in one stream.",
        retryable: true,
      });
    }
    open.set(client, count + 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    };
  };
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
    return new GalleyError("MethodNotAllowed", `${path} does not support ${method}.`, { path, hint });
  }
  return new GalleyError("NotFound", `There is nothing at ${path}.`, { path, hint: "/docs lists what there is." });
}
