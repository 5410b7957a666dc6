import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { localServer } from "./local-server.ts";

test("[P6] a client that does not come to the point is not waited for", async () => {
  const server = await localServer(() => new Response("x"), 0, {
    headersTimeout: 100,
    connectionsCheckingInterval: 20,
  });
  onTestFinished(() => server.close());
  const socket = connect(server.port, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
});

test("[P6] a body that does not come to its end is not waited for", async () => {
  const server = await localServer(async (request) => new Response(await request.text()), 0, {
    headersTimeout: 100,
    requestTimeout: 100,
    connectionsCheckingInterval: 20,
  });
  onTestFinished(() => server.close());
  const socket = connect(server.port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nx");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
});

test("[P6] the number of connections is limited, and one that ends makes room", async () => {
  const server = await localServer(() => new Response("x"), 0, { maxConnections: 2 });
  onTestFinished(() => server.close());
  const hold = async (): Promise<Socket> => {
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    return socket;
  };
  const held = [await hold(), await hold()];
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
  for (const socket of held) socket.destroy();
  const status = (): Promise<number> =>
    fetch(server.url)
      .then((answer) => answer.status)
      .catch(() => 0);
  await expect.poll(status).toBe(200);
});

test("a server that drains answers what it has begun, and takes nothing new", async () => {
  const begun = Promise.withResolvers<void>();
  const server = await localServer(async () => {
    begun.resolve();
    await sleep(100);
    return new Response("done");
  });
  const asked = fetch(server.url).then((response) => response.text());
  await begun.promise;
  await server.drain(60_000);
  expect(await asked).toBe("done");
  await expect(fetch(server.url)).rejects.toThrow("fetch failed");
  await server.close();
});

test("a server that drains does not wait for ever", async () => {
  const begun = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<Response>();
  const server = await localServer(() => {
    begun.resolve();
    return promise;
  });
  const asked = fetch(server.url).catch(() => "cut");
  await begun.promise;
  await server.drain(50);
  await server.close();
  expect(await asked).toBe("cut");
  resolve(new Response());
});
