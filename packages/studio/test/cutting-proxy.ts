import { type ServerResponse, createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";

export interface CuttingProxy {
  readonly url: string;
  /** Breaks every stream off, as a network that is gone does. */
  readonly cut: () => void;
  /** Lets requests to this path through to the daemon and breaks off in the place of an answer, until it is undone. */
  readonly loseAnswers: (path: string) => () => void;
  readonly stop: () => Promise<void>;
}

/** A way to the daemon that can be cut off. */
export async function startCuttingProxy(daemonUrl: string): Promise<CuttingProxy> {
  const { hostname, port, host } = new URL(daemonUrl);
  const streams = new Set<ServerResponse>();
  const lost = new Set<string>();
  const server = createServer((request, response) => {
    const { origin, ...headers } = request.headers;
    const forwarded = ask({
      hostname,
      port,
      path: request.url,
      method: request.method,
      headers: { ...headers, host, ...(origin === undefined ? {} : { origin: daemonUrl }) },
    });
    forwarded.on("response", (answer) => {
      if (lost.has(request.url ?? "")) {
        response.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      if (!answer.headers["content-type"]?.startsWith("text/event-stream")) return;
      response.flushHeaders();
      streams.add(response);
    });
    forwarded.on("error", () => response.destroy());
    response.on("close", () => {
      streams.delete(response);
      forwarded.destroy();
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => streams.forEach((response) => response.destroy()),
    loseAnswers: (path) => {
      lost.add(path);
      return () => lost.delete(path);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
