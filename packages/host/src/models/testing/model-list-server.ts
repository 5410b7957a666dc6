import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ModelListServer {
  /** With its /v1. */
  readonly url: string;
  /** The headers of every request, oldest first. */
  readonly heard: IncomingHttpHeaders[];
}

/** A server that says which models it has, or sends every request on to another address. */
export async function modelListServer(models: readonly string[], elsewhere?: string): Promise<ModelListServer> {
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer(({ headers, url = "" }, response) => {
    heard.push(headers);
    if (elsewhere !== undefined) return response.writeHead(307, { location: elsewhere + url.replace("/v1", "") }).end();
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ data: models.map((id) => ({ id })) }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, heard };
}
