import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { serve } from "@hono/node-server";

/** A server that only this machine can reach. */
export interface LocalServer {
  /** Without a path: `http://127.0.0.1:1234`. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves an app on the loopback interface; on a free port unless one is named. */
export async function localServer(
  fetch: (request: Request) => Response | Promise<Response>,
  port = 0,
): Promise<LocalServer> {
  const server = await new Promise<Server>((resolve, reject) => {
    const started = serve({ fetch, hostname: "127.0.0.1", port }, () => resolve(started)) as Server;
    started.once("error", reject);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
