import { once } from "node:events";
import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type ApiClient, ApiError, type ErrorDetails, apiClient, offlineCode } from "./client.ts";
import { routes } from "./index.ts";

/** A client of a server that answers as the test says, which need not be as a daemon does. */
async function clientOf(answer: RequestListener): Promise<ApiClient> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return apiClient({ routes, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function clientOfPieces(...pieces: readonly Uint8Array<ArrayBuffer>[]): ApiClient {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  return apiClient({ routes, fetch: () => Promise.resolve(new Response(body)) });
}

async function readAll(client: ApiClient): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const event of client.stream("events.follow", {})) seen.push(event);
  } catch (error) {
    seen.push(error instanceof ApiError ? `${error.code} ${error.message}` : error);
  }
  return seen;
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const refusalOf = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error);

test("events come whole however the bytes were cut", async () => {
  const whole = bytes(
    ': galley\n\nid: 1\ndata: {"a":"飞艇"}\n\ndata:2\r\n\r\nevent: problem\r\ndata: {"code":"x",\r\ndata: "message":"y"}\r\n\r\n',
  );
  const expected = [{ a: "飞艇" }, 2, "x y"];
  expect(await readAll(clientOfPieces(whole))).toEqual(expected);
  for (let cut = 1; cut < whole.length; cut += 1) {
    expect(await readAll(clientOfPieces(whole.slice(0, cut), whole.slice(cut)))).toEqual(expected);
  }
});

test("an event that was cut off is not given", async () => {
  expect(await readAll(clientOfPieces(bytes("data: 1\n\ndata: 2\n")))).toEqual([1]);
});

test("a stream whose connection breaks ends with the code of a daemon that is not there", async () => {
  const client = await clientOf((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n", () => response.destroy());
  });
  expect(await readAll(client)).toEqual([1, `${offlineCode} The daemon does not answer.`]);
});

test("a stream that is aborted, or left early, is closed on the other side too", async () => {
  const closed: Promise<unknown>[] = [];
  const client = await clientOf((_, response) => {
    closed.push(once(response, "close"));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
  });
  for await (const _ of client.stream("events.follow", {})) break;
  const stop = new AbortController();
  const events = client.stream("events.follow", {}, { signal: stop.signal });
  await events.next();
  const next = refusalOf(events.next());
  stop.abort();
  expect(await next).toMatchObject({ name: "AbortError" });
  expect(closed).toHaveLength(2);
  await Promise.all(closed);
});

test("a refusal has all fields of the daemon's error", async () => {
  const body = {
    code: "PresetInvalid",
    message: "no",
    hint: "do",
    path: "/a",
    retryable: true,
    problems: [{ code: "x", message: "y" }],
  } satisfies ErrorDetails;
  const client = await clientOf((_, response) => {
    response.writeHead(409).end(JSON.stringify(body));
  });
  const error = await refusalOf(client.call("presets.get", { params: { id: "a" } }));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ ...body, status: 409 });
});

test.each([
  [502, "<h1>Bad gateway</h1>", { code: "Http502", message: "<h1>Bad gateway</h1>", status: 502 }],
  [500, "null", { code: "Http500", message: "null", status: 500 }],
  [500, "", { code: "Http500", message: "Internal Server Error", status: 500 }],
  [200, "hello", { code: "Http200", message: "hello", status: 200 }],
])("%d with %j is not the daemon's own answer", async (status, text, expected) => {
  const client = await clientOf((_, response) => {
    response.writeHead(status).end(text);
  });
  expect(await refusalOf(client.call("info.get", {}))).toMatchObject(expected);
});

test("a daemon that is not there has a code of its own, and an aborted call has not", async () => {
  const gone = apiClient({ routes, url: "http://127.0.0.1:1" });
  expect(await refusalOf(gone.call("info.get", {}))).toMatchObject({ code: offlineCode, status: 0 });
  const signal = AbortSignal.abort();
  expect(await refusalOf(gone.call("info.get", {}, { signal }))).toMatchObject({ name: "AbortError" });
});

test("an address has its parameters and query encoded; what is undefined is left out", () => {
  const { addressOf } = apiClient({ routes });
  expect(addressOf("presets.get", { params: { id: "a/ä b" } })).toBe("/api/presets/a%2F%C3%A4%20b");
  expect(addressOf("info.get", { query: { a: "1&2", b: undefined, c: 3 } })).toBe("/api/info?a=1%262&c=3");
});
