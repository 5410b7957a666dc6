import type { AddressInfo } from "node:net";
import type { Server, ServerOptions } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { errorCode } from "../../disk/storage-error.ts";

/** A server that only this machine can reach. */
export interface LocalServer {
  /** Without a path: `http://127.0.0.1:1234`. */
  readonly url: string;
  readonly port: number;
  /** Takes no new connections, and waits until those that there are have been answered, or the time is over. */
  drain(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Limits of a server on the loopback interface. */
export interface LocalServerOptions extends ServerOptions {
  readonly maxConnections?: number;
}

/**
 * A client that takes longer to say what it wants, in ms, is not waited for. Node counts from the connection to the moment in
 * which it reads the headers: with less, requests that came while a hundred others were begun on a busy machine got a 408.
 */
const limits: ServerOptions = {
  headersTimeout: 60_000,
  // A log of an agent may take minutes to come in: it is read no faster than it can be stored.
  requestTimeout: 1_200_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 5000,
};

/** More than all streams of a busy day; a client that opens more, with a token or without, must not take the last file handle. */
const defaultMaxConnections = 2000;

const sweepMs = 20;

/** Serves an app on the first of these ports that can be had, or on any that is free. */
export async function firstFreeServer(
  fetch: Parameters<typeof localServer>[0],
  ports: readonly (number | undefined)[],
): Promise<LocalServer> {
  for (const port of ports) {
    try {
      if (port !== undefined) return await localServer(fetch, port);
    } catch (error) {
      if (!["EADDRINUSE", "EACCES"].includes(errorCode(error) ?? "")) throw error;
    }
  }
  return localServer(fetch);
}

/** Serves an app on the loopback interface; on a free port unless one is named. */
export async function localServer(
  fetch: (request: Request) => Response | Promise<Response>,
  port = 0,
  { maxConnections = defaultMaxConnections, ...serverOptions }: LocalServerOptions = {},
): Promise<LocalServer> {
  const server = await new Promise<Server>((resolve, reject) => {
    const started = serve({ fetch, hostname: "127.0.0.1", port, serverOptions: { ...limits, ...serverOptions } }, () =>
      resolve(started),
    ) as Server;
    started.once("error", reject);
  });
  server.maxConnections = maxConnections;
  const own = (server.address() as AddressInfo).port;
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= new Promise((resolve) => server.close(() => resolve())));
  return {
    url: `http://127.0.0.1:${own}`,
    port: own,
    async drain(milliseconds) {
      const limit = new AbortController();
      const over = sleep(milliseconds, undefined, { signal: limit.signal }).catch(() => undefined);
      // A connection that has been answered stays open for another request, which must not come any more.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
      await Promise.race([end(), over]);
      clearInterval(sweep);
      limit.abort();
    },
    close: () => {
      const closed = end();
      server.closeAllConnections();
      return closed;
    },
  };
}
