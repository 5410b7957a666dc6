import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Answer, type RequestParts, type TestDaemon, send, testDaemon } from "./testing/temp-daemon.ts";

interface Door {
  readonly method: string;
  readonly path: string;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Everything that the OpenAPI document names, and what is beside it. */
async function everyDoor(own: TestDaemon): Promise<readonly Door[]> {
  const { paths } = JSON.parse((await own.get("/openapi.json")).text) as OpenApi;
  const named = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((name) => ["get", "post", "put", "patch", "delete"].includes(name))
      .map((name) => ({ method: name.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, "x") })),
  );
  const more = ["/", "/index.html", "/compose/x", "/assets/x.js", "/events", "/openapi.json", "/docs", "/docs/page.js"];
  const posts = ["/rpc", "/mcp", "/control/link", "/control/stop"];
  return [
    ...named.filter(({ path }) => path !== "/health" && path !== "/open"),
    ...[...more, "/canvas/x", "/tools", "/mcp"].map((path) => ({ method: "GET", path })),
    ...posts.map((path) => ({ method: "POST", path })),
    { method: "DELETE", path: "/mcp" },
  ];
}

/** What a stranger could know or guess: the token, and how a cookie looks. */
interface Known {
  readonly token: string;
  readonly cookie: string;
}

/** Ways to come without a right to. */
const strangers: Readonly<Record<string, (own: Known) => RequestParts & { readonly query?: string }>> = {
  "with nothing": () => ({}),
  "with a token that is not ours": () => ({ headers: { authorization: `Bearer ${"0".repeat(64)}` } }),
  "with the beginning of the token": ({ token }) => ({ headers: { authorization: `Bearer ${token.slice(0, 63)}` } }),
  "with more than the token": ({ token }) => ({ headers: { authorization: `Bearer ${token}0` } }),
  "with the token in capitals": ({ token }) => ({ headers: { authorization: `Bearer ${token.toUpperCase()}` } }),
  "with the token as a password": ({ token }) => ({
    headers: { authorization: `Basic ${Buffer.from(`galley:${token}`).toString("base64")}` },
  }),
  "with the token in the address": ({ token }) => ({ query: `?token=${token}&access_token=${token}&code=${token}` }),
  "with the token as a cookie": ({ token, cookie }) => ({ headers: { cookie: cookie.replace(/=.*/, `=${token}`) } }),
  "with the token in another header": ({ token }) => ({ headers: { "x-api-key": token, "x-auth-token": token } }),
};

test("[P6] no door of the daemon opens to a stranger, however the stranger comes", async () => {
  const own = await testDaemon();
  const doors = await everyDoor(own);
  const known = { token: own.token, cookie: await own.login() };
  expect(doors.length).toBeGreaterThan(50);
  const opened: string[] = [];
  for (const [how, partsOf] of Object.entries(strangers)) {
    const { query = "", headers = {} } = partsOf(known);
    const answers = doors.map(async ({ method, path }) => {
      const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
      const sent = { "content-type": "application/json", "sec-fetch-site": "same-origin", ...headers };
      const { status, text } = await send(own.url + path + query, { method, headers: sent, ...body });
      if ((status !== 401 && status !== 403) || text.includes(own.data))
        opened.push(`${how}: ${method} ${path} ${status}`);
    });
    await Promise.all(answers);
  }
  expect(opened).toEqual([]);
  // None of them has ended it, or left anything behind.
  expect((await own.get("/api/info")).status).toBe(200);
  expect(await own.call("chats.list")).toMatchObject({ chats: [] });
});

/** What the daemon answers to these very bytes; nothing when it closes without a word. */
function speak(url: string, text: string): Promise<string> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
    socket.on("data", (piece) => {
      answer += String(piece);
      // The head is enough, and the body may never be read to its end.
      if (answer.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(answer));
  });
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);

describe("[P6] names under which the daemon is reached", () => {
  const asked = (own: TestDaemon, head: string): Promise<string> =>
    speak(own.url, `GET /api/info HTTP/1.1\r\n${head}Authorization: Bearer ${own.token}\r\nConnection: close\r\n\r\n`);

  test("those of this machine, with any port, in either letter case", async () => {
    const own = await testDaemon();
    for (const host of ["127.0.0.1", "localhost:4417", "LocalHost", "[::1]", "[::1]:4417"]) {
      expect([host, statusOf(await asked(own, `Host: ${host}\r\n`))]).toEqual([host, 200]);
    }
  });

  test("and no others: other forms of the address, names that look like ours, none, two", async () => {
    const own = await testDaemon();
    const names = ["localhost.", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "127.0.0.2", "[::]", "[::ffff:127.0.0.1]"];
    const evil = [
      "evil.example",
      "localhost.evil.example",
      "evil.example:4417",
      "127.0.0.1@evil.example",
      "evil@127.0.0.1",
    ];
    const odd = ["127.0.0.1:1:2", "127.0.0.1:99999999", "localhost%00", "localhost/", "[::1", ""];
    const heads = [...names, ...evil, ...odd].map((host) => `Host: ${host}\r\n`);
    for (const head of [...heads, "Host: evil.example\r\nHost: localhost\r\n", ""]) {
      expect([head, [400, 403].includes(statusOf(await asked(own, head)))]).toEqual([head, true]);
    }
  });

  test.each([
    "null",
    "https://evil.example",
    "http://localhost.evil.example",
    "http://localhost.:4417",
    "http://127.0.0.1.evil.example",
    "http://evil.example#127.0.0.1",
    "file://",
    "chrome-extension://abcdefgh",
    "moz-extension://localhost.evil",
    "not an origin",
  ])("a page of %s asks in vain, also with the token", async (origin) => {
    const own = await testDaemon();
    for (const path of ["/api/info", "/tools", "/events", "/health"]) {
      const { status, headers } = await send(own.url + path, {
        headers: { authorization: `Bearer ${own.token}`, origin },
      });
      expect([path, status, headers["access-control-allow-origin"]]).toEqual([path, 403, undefined]);
    }
  });
});

test("[P6] no method, header or kind of request goes around the checks", async () => {
  const own = await testDaemon();
  const head = `Host: localhost\r\nAuthorization: Bearer ${own.token}\r\nConnection: close\r\n`;
  const status = async (line: string, more = "", body = ""): Promise<number> =>
    statusOf(await speak(own.url, `${line} HTTP/1.1\r\n${head}${more}\r\n${body}`));
  await own.call("chats.add", { params: { key: "a" }, body: { messages: [{ role: "user", content: "Stay." }] } });
  expect(await status("TRACE /api/info")).toBe(405);
  expect(await status("OPTIONS /api/info")).toBe(405);
  expect(await status("CONNECT evil.example:80")).toBe(0);
  expect(await status("HEAD /api/info")).toBe(200);
  for (const name of ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]) {
    expect(await status("POST /api/chats/a?confirm=a&_method=DELETE", `${name}: DELETE\r\nContent-Length: 0\r\n`)).toBe(
      405,
    );
  }
  // A proxy in front could take the two for two requests.
  const twice = "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n";
  expect(await status("POST /api/chats/a/clear", twice, "0\r\n\r\n")).toBe(400);
  // There are no web sockets, which know no CORS: the request is an ordinary one.
  const upgrade = `Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n`;
  expect(statusOf(await speak(own.url, `GET /api/info HTTP/1.1\r\n${upgrade}\r\n`))).toBe(401);
  expect((await own.call("chats.active", { params: { key: "a" } })).messages).toHaveLength(1);
});

test("[P6] no page of another origin is told that it may ask: a preflight says no, and no answer allows any", async () => {
  const own = await testDaemon();
  const headers = { origin: "http://localhost:5173", "access-control-request-method": "POST" };
  const paths = ["/api/runs", "/rpc", "/mcp", "/events", "/health", "/open?code=x", "/docs"];
  for (const path of paths) {
    const answers: Answer[] = [await send(own.url + path, { method: "OPTIONS", headers })];
    if (path !== "/events") answers.push(await send(own.url + path, { headers }));
    for (const answer of answers) {
      const allowing = Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"));
      expect([path, allowing]).toEqual([path, []]);
    }
    expect([path, (answers[0]?.status ?? 0) >= 400]).toEqual([path, true]);
  }
});

test("[P6] the cookie is for this daemon's pages alone, and only its digest is written", async () => {
  const own = await testDaemon();
  const link = own.daemon.link();
  const cookie = (await send(link)).headers["set-cookie"]?.[0] ?? "";
  const [, value = ""] = /^galley_[0-9a-f]{12}=([\w-]{32}); /.exec(cookie) ?? [];
  expect(cookie.split("; ").slice(1).sort()).toEqual(["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Strict"]);
  expect(value).not.toBe("");
  const code = new URL(link).searchParams.get("code") ?? "";
  for (const path of ["/api/info", `/api/chats/x`, `/nothing/x`]) {
    await send(own.url + path, { headers: { cookie: cookie.split(";")[0] ?? "" } });
  }
  await send(`${link}&again`);
  await own.daemon.close();
  // The data folder, and the one in which browsers are kept.
  const folders = [own.data, process.env["XDG_STATE_HOME"] ?? ""];
  const files = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile());
  const written = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1")).join("\n");
  expect(written).toContain("/nothing/x");
  expect(written).toContain(createHash("sha256").update(value).digest("hex"));
  for (const secret of [value, code]) expect(written).not.toContain(secret);
});

test("[P6] a stranger's body is not waited for", async () => {
  const own = await testDaemon();
  for (const path of ["/rpc", "/mcp", "/api/runs", "/api/presets/x", "/control/stop"]) {
    const method = path.startsWith("/api/presets") ? "PUT" : "POST";
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n`;
    // It says that 255 bytes come, and they never do.
    expect([path, statusOf(await speak(own.url, `${head}\r\nff\r\n`))]).toEqual([path, 401]);
    const wrong = statusOf(await speak(own.url, `${head}Authorization: Bearer ${"0".repeat(64)}\r\n\r\nff\r\n`));
    expect([path, wrong]).toEqual([path, 403]);
  }
});
