import { type ErrorCode, GalleyError, errorCatalogue } from "@galley/engine";
import { type RouteInput, type RouteName, type RouteReply, errorBody, routes } from "../../api/index.ts";
import type { DaemonNote } from "./data-owner.ts";
import { bearer } from "./running-daemon.ts";

/** Asks a running daemon, as a program of the same user. What is refused is thrown as it was meant. */
export interface DaemonClient {
  call<Name extends RouteName>(name: Name, input: Partial<RouteInput<Name>>): Promise<RouteReply<Name>>;
  /** For the routes that answer with events. */
  stream<Name extends RouteName>(
    name: Name,
    input: Partial<RouteInput<Name>>,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<RouteReply<Name>, void>;
}

export function daemonClient(daemon: DaemonNote): DaemonClient {
  const send = async <Name extends RouteName>(
    name: Name,
    input: Partial<RouteInput<Name>>,
    signal?: AbortSignal,
  ): Promise<Response> => {
    const { body } = input;
    const response = await fetch(addressOf(daemon.url, name, input), {
      method: routes[name].method,
      // A connection that has been idle may be closed by the daemon in the moment in which it is used again.
      headers: {
        ...bearer(daemon),
        connection: "close",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    }).catch((cause: unknown) => {
      throw brokenOff(daemon, cause, signal);
    });
    if (!response.ok) throw errorOf(await response.text());
    return response;
  };
  return {
    async call<Name extends RouteName>(name: Name, input: Partial<RouteInput<Name>>) {
      return (await (await send(name, input)).json()) as RouteReply<Name>;
    },
    async *stream<Name extends RouteName>(
      name: Name,
      input: Partial<RouteInput<Name>>,
      { signal }: { readonly signal?: AbortSignal } = {},
    ) {
      const response = await send(name, input, signal);
      const events = readEvents(response);
      for (;;) {
        const next = await events.next().catch((cause: unknown) => {
          throw brokenOff(daemon, cause, signal);
        });
        if (next.done === true) return;
        const { event, data } = next.value;
        if (event === "problem") throw errorOf(data);
        yield JSON.parse(data) as RouteReply<Name>;
      }
    },
  };
}

type Values = Readonly<Record<string, string | number | undefined>>;

function addressOf(url: string, name: RouteName, { params, query }: { params?: unknown; query?: unknown }): URL {
  const values = (params ?? {}) as Values;
  const path = routes[name].path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(values[key])));
  const address = new URL(`/api${path}`, url);
  for (const [key, value] of Object.entries((query ?? {}) as Values)) {
    if (value !== undefined) address.searchParams.set(key, String(value));
  }
  return address;
}

/** Server-sent events, one by one; comments and unfinished ones are passed over. */
async function* readEvents(response: Response): AsyncGenerator<{ readonly event: string; readonly data: string }> {
  if (!response.body) return;
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const lines = block.split("\n");
      const field = (name: string): string =>
        lines
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join("\n");
      const data = field("data");
      if (data !== "") yield { event: field("event"), data };
    }
  }
}

/** A connection that ends on its own says nothing of use: what is known is who ended it. */
function brokenOff({ url, pid }: DaemonNote, cause: unknown, signal?: AbortSignal): GalleyError {
  if (signal?.aborted)
    return new GalleyError("RunAborted", "It was stopped before the daemon had answered.", { cause });
  return new GalleyError("DaemonNotRunning", `The daemon at ${url} (process ${pid}) is gone, or answers no more.`, {
    hint: "Start it again with `galley up`: it goes on with the runs that were cut off. daemon.log may say more.",
    cause,
  });
}

function errorOf(text: string): GalleyError {
  try {
    return errorOfBody(JSON.parse(text));
  } catch (cause) {
    return new GalleyError("DaemonNotRunning", `The daemon gave no answer that makes sense: ${text.slice(0, 200)}`, {
      hint: "daemon.log in the data folder may say more.",
      cause,
    });
  }
}

/** An error that came over the wire, as it was thrown on the other side. */
export function errorOfBody(body: unknown): GalleyError {
  const { code, message, path, hint, retryable, problems = [] } = errorBody.parse(body);
  const known = knownCode(code, "DaemonNotRunning");
  return new GalleyError(known, message, {
    ...(path ? { path } : {}),
    ...(hint ? { hint } : {}),
    retryable,
    problems: problems.map((problem) => ({ ...problem, code: knownCode(problem.code, known) })),
  });
}

/** A daemon of another version may have codes that this one has not. */
function knownCode(code: string, otherwise: ErrorCode): ErrorCode {
  return Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : otherwise;
}
