import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type RequestParts, send, testDaemon } from "./testing/temp-daemon.ts";
import { noteFile } from "./client/data-owner.ts";

const json = { "content-type": "application/json" };

test("[P6] nothing but /health is answered without a token", async () => {
  const { url } = await testDaemon();
  expect(await send(`${url}/health`)).toMatchObject({ status: 200, text: '{"ok":true}' });
  const paths = ["/", "/api/info", "/api/events", "/events", "/openapi.json", "/docs", "/docs/page.js", "/canvas/mara"];
  for (const path of [...paths, "/tools", "/nothing", "/assets/x.js", "/api/nothing"]) {
    expect({ path, ...(await send(url + path)) }).toMatchObject({ path, status: 401 });
  }
  for (const path of ["/rpc", "/mcp", "/control/stop", "/control/link", "/api/runs"]) {
    const answer = await send(url + path, { method: "POST", headers: json, body: "{}" });
    expect({ path, ...answer }).toMatchObject({ path, status: 401 });
  }
});

/** Each rule with a request that passes but for it: the same request with `but` changed is answered. */
const rules: readonly {
  readonly name: string;
  readonly refused: (own: Own) => RequestParts;
  readonly passes: (own: Own) => RequestParts;
  readonly path?: string;
  readonly status: number;
  readonly code: string;
}[] = [
  {
    name: "a token that is not the daemon's",
    refused: () => ({ headers: { authorization: `Bearer ${"0".repeat(64)}` } }),
    passes: ({ token }) => ({ headers: { authorization: `Bearer ${token}` } }),
    status: 403,
    code: "TokenRefused",
  },
  {
    name: "a token in another scheme",
    refused: ({ token }) => ({ headers: { authorization: `Basic ${token}` } }),
    passes: ({ token }) => ({ headers: { authorization: `bearer  ${token}` } }),
    status: 401,
    code: "LoginNeeded",
  },
  {
    name: "a name that was bent to this machine",
    refused: ({ token }) => ({ headers: { authorization: `Bearer ${token}`, host: "evil.example:4417" } }),
    passes: ({ token }) => ({ headers: { authorization: `Bearer ${token}`, host: "localhost:4417" } }),
    status: 403,
    code: "Forbidden",
  },
  {
    name: "a name that only begins like one of this machine",
    refused: ({ token }) => ({ headers: { authorization: `Bearer ${token}`, host: "127.0.0.1.evil.example" } }),
    passes: ({ token }) => ({ headers: { authorization: `Bearer ${token}`, host: "[::1]:80" } }),
    status: 403,
    code: "Forbidden",
  },
  {
    name: "a page of another site",
    refused: ({ token }) => ({ headers: { authorization: `Bearer ${token}`, origin: "https://evil.example" } }),
    passes: ({ token }) => ({ headers: { authorization: `Bearer ${token}`, origin: "http://localhost:5173" } }),
    status: 403,
    code: "Forbidden",
  },
  {
    name: "a page without an origin (a sandboxed frame)",
    refused: ({ token }) => ({ headers: { authorization: `Bearer ${token}`, origin: "null" } }),
    passes: ({ token }) => ({ headers: { authorization: `Bearer ${token}` } }),
    status: 403,
    code: "Forbidden",
  },
  {
    name: "a cookie that was made up",
    refused: ({ cookie }) => ({ headers: { cookie: `${cookie.slice(0, -4)}AAAA` } }),
    passes: ({ cookie }) => ({ headers: { cookie } }),
    status: 401,
    code: "LoginNeeded",
  },
  {
    name: "a change by a page of another port, with the browser's cookie",
    refused: ({ cookie }) => ({ ...change, headers: { ...json, cookie, origin: "http://127.0.0.1:9" } }),
    passes: ({ cookie, url }) => ({ ...change, headers: { ...json, cookie, origin: url } }),
    path: "/api/chats/a/clear",
    status: 403,
    code: "Forbidden",
  },
  {
    name: "a change that does not say where it comes from, with the browser's cookie",
    refused: ({ cookie }) => ({ ...change, headers: { ...json, cookie } }),
    passes: ({ cookie }) => ({ ...change, headers: { ...json, cookie, "sec-fetch-site": "same-origin" } }),
    path: "/api/chats/a/clear",
    status: 403,
    code: "Forbidden",
  },
  {
    name: "a question of another page of this machine, with the browser's cookie",
    refused: ({ cookie }) => ({ headers: { cookie, "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" } }),
    passes: ({ cookie }) => ({ headers: { cookie, "sec-fetch-site": "none", "sec-fetch-mode": "navigate" } }),
    status: 403,
    code: "Forbidden",
  },
  {
    name: "a browser that wants to let others in",
    refused: ({ cookie, url }) => ({ ...change, headers: { cookie, origin: url } }),
    passes: ({ token }) => ({ ...change, headers: { authorization: `Bearer ${token}` } }),
    path: "/control/link",
    status: 403,
    code: "Forbidden",
  },
  {
    name: "a body that is too large",
    refused: ({ token }) => ({ ...body({ title: "x".repeat(2 ** 21) }, token) }),
    passes: ({ token }) => ({ ...body({ title: "x".repeat(200) }, token) }),
    path: "/api/chats/a/contexts",
    status: 413,
    code: "RequestTooLarge",
  },
  {
    name: "a body of another kind",
    refused: ({ token }) => ({ ...body({}, token), headers: { authorization: `Bearer ${token}`, ...form } }),
    passes: ({ token }) => body({}, token),
    path: "/api/chats/a/contexts",
    status: 415,
    code: "MediaTypeUnsupported",
  },
  {
    name: "a body that is not JSON",
    refused: ({ token }) => ({ ...body({}, token), body: '{"title":' }),
    passes: ({ token }) => body({}, token),
    path: "/api/chats/a/contexts",
    status: 400,
    code: "InvalidJson",
  },
  {
    name: "a body that is compressed",
    refused: ({ token }) => ({
      ...body({}, token),
      headers: { ...body({}, token).headers, "content-encoding": "gzip" },
    }),
    passes: ({ token }) => body({}, token),
    path: "/api/chats/a/contexts",
    status: 415,
    code: "MediaTypeUnsupported",
  },
  {
    name: "a body that is nested deeper than anything could walk",
    refused: ({ token }) => ({ ...body({}, token), body: `{"title":${"[".repeat(1e5)}${"]".repeat(1e5)}}` }),
    passes: ({ token }) => body({}, token),
    path: "/api/chats/a/contexts",
    status: 400,
    code: "BadRequest",
  },
  {
    name: "a body of another shape",
    refused: ({ token }) => body({ title: 1 }, token),
    passes: ({ token }) => body({ title: "1" }, token),
    path: "/api/chats/a/contexts",
    status: 400,
    code: "BadRequest",
  },
  {
    name: "a method that the path has not",
    refused: ({ token }) => ({ ...body({}, token), method: "PUT" }),
    passes: ({ token }) => body({}, token),
    path: "/api/chats/a/contexts",
    status: 405,
    code: "MethodNotAllowed",
  },
];

interface Own {
  readonly token: string;
  readonly cookie: string;
  readonly url: string;
}

const change = { method: "POST" } as const;
const form = { "content-type": "application/x-www-form-urlencoded" };

function body(value: object, token: string): RequestParts {
  return { ...change, headers: { ...json, authorization: `Bearer ${token}` }, body: JSON.stringify(value) };
}

describe("[P6] what is refused, and the same request with what was missing", () => {
  test.each(rules)("$name", async ({ refused, passes, path = "/api/info", status, code }) => {
    const daemon = await testDaemon();
    const { url, token } = daemon;
    const own = { url, token, cookie: await daemon.login() };
    const answer = await send(url + path, refused(own));
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ code });
    expect(answer.text).not.toContain("node_modules");
    expect((await send(url + path, passes(own))).status).toBe(200);
  });
});

test("[P6] a one-time link lets one browser in, once", async () => {
  const { daemon, url } = await testDaemon();
  const link = daemon.link();
  // A request that only looks whether it leads somewhere does not use it up.
  expect((await send(link, { method: "HEAD" })).headers["set-cookie"]).toBeUndefined();
  const first = await send(link);
  expect(first).toMatchObject({ status: 303, headers: { location: "/" } });
  const cookie = first.headers["set-cookie"]?.[0] ?? "";
  expect(cookie).toMatch(/; HttpOnly/);
  expect(cookie).toMatch(/; SameSite=Strict/);
  expect((await send(`${url}/api/info`, { headers: { cookie: cookie.split(";")[0] ?? "" } })).status).toBe(200);
  const second = await send(link);
  expect(second.status).toBe(401);
  expect(second.headers["set-cookie"]).toBeUndefined();
  // The browser that is in already is not sent away by its old link.
  expect((await send(link, { headers: { cookie: cookie.split(";")[0] ?? "" } })).status).toBe(303);
});

test("[P6] the token lies in a file of the user alone, and is in no log and no reply", async () => {
  const own = await testDaemon();
  const { mode } = statSync(noteFile(own.data));
  expect(mode & 0o777).toBe(0o600);
  const texts = [(await own.get("/api/info")).text, (await own.get("/openapi.json")).text];
  const echoed = `/api/chats/${own.token}`;
  texts.push((await own.get(echoed)).text, (await own.get(`${echoed}/nothing`)).text);
  texts.push((await send(`${own.url}/nothing/${own.token}`)).text);
  await own.daemon.close();
  texts.push(readFileSync(join(own.data, "daemon.log"), "utf8"));
  for (const text of texts) expect(text).not.toContain(own.token);
  expect(texts.join("")).toContain("‹secret:daemon-token›");
});

test("[P6] errors of JSON-RPC say no secrets either, and deep calls are refused", async () => {
  const { url, token } = await testDaemon();
  const headers = { ...json, authorization: `Bearer ${token}` };
  const call = (params: string): Promise<{ text: string }> =>
    send(`${url}/rpc`, {
      method: "POST",
      headers,
      body: `{"jsonrpc":"2.0","id":1,"method":"runs.get","params":${params}}`,
    });
  const { text } = await call(JSON.stringify({ id: token }));
  expect(JSON.parse(text)).toMatchObject({ error: { data: { code: "NotFound" } } });
  expect(text).not.toContain(token);
  const deep = await call(`{"id":${"[".repeat(1e5)}${"]".repeat(1e5)}}`);
  expect(JSON.parse(deep.text)).toMatchObject({ error: { code: -32_600 } });
});

test.skipIf(process.platform === "win32")(
  "[P6] no other user of the machine can read what lies in the data",
  async () => {
    const own = await testDaemon();
    await own.call("chats.add", { params: { key: "a" }, body: { messages: [{ role: "user", content: "Secret." }] } });
    const modeOf = (file: string): number => statSync(join(own.data, file)).mode & 0o077;
    const modes = [".", "chat", "galley.sqlite", "galley.sqlite-wal", "daemon.json", "daemon.log"].map(modeOf);
    expect(modes).toEqual([0, 0, 0, 0, 0, 0]);
  },
);

test("[P6] every answer says what a browser may do with it, pages above all", async () => {
  const own = await testDaemon();
  const cookie = await own.login();
  const pages = ["/", "/compose/default", "/docs", "/canvas/mara", "/open?code=x", "/api/info", "/health"];
  for (const path of pages) {
    const { headers } = await send(own.url + path, { headers: { cookie, accept: "text/html" } });
    const policy = `${path}: ${String(headers["content-security-policy"])}`;
    expect(policy).toMatch(/default-src 'none'/);
    expect(policy).toMatch(/frame-ancestors '(none|self)'/);
    expect(policy).not.toMatch(/script-src[^;]*'unsafe/);
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
  }
  const canvas = await send(`${own.url}/canvas/mara`, { headers: { cookie, accept: "text/html" } });
  // There is no agent of this name; what a canvas of one looks like is tested with the agents.
  expect(canvas.status).toBe(404);
  const page = await send(own.url, { headers: { cookie, accept: "text/html" } });
  expect(page.text).toContain("npm run studio:build");
});

test("[P6] one client has 256 streams at most, and gets them back", async () => {
  const own = await testDaemon();
  const leaving = Array.from({ length: 256 }, () => new AbortController());
  const headers = { authorization: `Bearer ${own.token}` };
  const held = await Promise.all(leaving.map(({ signal }) => fetch(`${own.url}/events`, { headers, signal })));
  expect(held.map(({ status }) => status)).toEqual(held.map(() => 200));
  expect(await own.answer("events.follow")).toMatchObject({ status: 429, body: { code: "TooManyStreams" } });
  for (const [index, one] of leaving.entries()) {
    one.abort();
    await held[index]?.text().catch(() => undefined);
  }
  await expect
    .poll(async () => {
      const last = new AbortController();
      const { status } = await fetch(`${own.url}/events`, { headers, signal: last.signal });
      last.abort();
      return status;
    })
    .toBe(200);
});
