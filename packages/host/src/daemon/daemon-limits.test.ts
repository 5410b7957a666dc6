import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { send, testDaemon, testFolder } from "./testing/temp-daemon.ts";

const json = { "content-type": "application/json" };

test("[P6] a client is one client however it writes its headers: it has no more streams for that", async () => {
  const own = await testDaemon();
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  // A response that is let go of is closed sooner or later.
  const held: Response[] = [];
  const open = async (headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${own.url}/events`, { headers, signal: leaving.signal });
    held.push(response);
    return response.status;
  };
  const openAll = async (headers: Record<string, string>): Promise<void> => {
    const statuses = await Promise.all(Array.from({ length: 256 }, () => open(headers)));
    expect(new Set(statuses)).toEqual(new Set([200]));
  };
  await openAll({ authorization: `Bearer ${own.token}` });
  for (const authorization of [`bearer ${own.token}`, `Bearer   ${own.token}`, `BEARER ${own.token}`]) {
    expect(await open({ authorization, cookie: `a=${Math.random()}` })).toBe(429);
  }
  const cookie = await own.login();
  await openAll({ cookie, "sec-fetch-site": "same-origin" });
  for (const more of ["; a=1", "; b=2"]) {
    expect(await open({ cookie: cookie + more, "sec-fetch-site": "same-origin" })).toBe(429);
  }
});

test("[P6] heads that are too long are refused before anything else", async () => {
  const own = await testDaemon();
  const authorization = `Bearer ${own.token}`;
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`x-${index}`, "y"]));
  const statusOf = (path: string, headers: Record<string, string>): Promise<number | string> =>
    send(own.url + path, { headers: { authorization, ...headers } }).then(
      ({ status }) => status,
      () => "cut",
    );
  // The connection may be cut before the answer has been read.
  for (const answer of [
    await statusOf("/api/info", many),
    await statusOf("/api/info", { "x-long": "y".repeat(60_000) }),
    await statusOf(`/api/info?q=${"y".repeat(60_000)}`, {}),
  ]) {
    expect([431, "cut"]).toContain(answer);
  }
  expect(await statusOf("/api/info", {})).toBe(200);
});

test("[P6] a body is cut off at its limit, whether it says how long it is or not", async () => {
  const own = await testDaemon();
  const piece = new TextEncoder().encode("x".repeat(64 * 1024));
  const endless = async (path: string, method: string): Promise<{ status: number | string; sent: number }> => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += piece.length;
        if (sent > 200 * 1024 * 1024) controller.close();
        else controller.enqueue(piece);
      },
    });
    const headers = { ...json, authorization: `Bearer ${own.token}` };
    const request = { method, headers, body, duplex: "half" } as const;
    const status = await fetch(own.url + path, request).then(
      (answer) => answer.status,
      () => "cut",
    );
    return { status, sent };
  };
  for (const path of ["/api/runs", "/rpc", "/mcp"]) {
    const { status, sent } = await endless(path, "POST");
    expect([path, [413, "cut"].includes(status)]).toEqual([path, true]);
    // What is on its way in sockets and streams comes on top.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  }
});

test("[W8] a search is words and nothing else", async () => {
  const hostile = [
    '"',
    '"harbour',
    "harbour*",
    "NEAR(harbour code, 1)",
    "title : harbour",
    "{title summary} : harbour",
    "harbour OR code NOT light",
    "^harbour",
    "-harbour",
    "harbour) OR (1=1",
    "'; DROP TABLE terms; --",
    "(((((((((((",
    "(".repeat(5000),
    `${'"a" OR '.repeat(280)}x`,
    "\u0000harbour",
    "%_\\",
    "harbour\nMATCH",
  ];
  const own = await testDaemon();
  const params = { key: "a" };
  const messages = [
    { role: "user" as const, content: "Where does the harbour code stand?" },
    { role: "assistant" as const, content: "In the light house." },
  ];
  await own.call("chats.add", { params, body: { messages } });
  await own.call("chats.new", { params, body: { title: "Harbour" } });
  for (const q of hostile) {
    const { status, body } = await own.answer("chats.search", { params, query: { q } });
    expect([q, [200, 400, 422].includes(status)]).toEqual([q, true]);
    expect(Object.keys(body as object)).toContain(status === 200 ? "matches" : "code");
    // The index is as it was.
    const { matches } = await own.call("chats.search", { params, query: { q: "harbour" } });
    expect([q, matches.length]).toEqual([q, 1]);
  }
});

describe("[E] keys that mean something to a program mean nothing here", () => {
  const polluted = '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}';

  test.each([
    ["POST", "/api/chats/a/contexts", `${polluted},"title":"x"}`],
    ["PUT", "/api/presets/p", `{"expectedVersion":0,"preset":${polluted},"presetMessages":[]}}`],
    ["POST", "/api/sessions/s/entries", `{"entries":[${polluted},"id":"1","ts":1,"type":"custom"}]}`],
    ["POST", "/api/runs", `${polluted},"chat":"a","input":"x","variables":${polluted}}}`],
    ["POST", "/rpc", `${polluted},"jsonrpc":"2.0","id":1,"method":"info.get","params":${polluted}}}`],
    ["POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"__proto__"}`],
    ["POST", "/rpc", `{"jsonrpc":"2.0","id":1,"method":"constructor"}`],
    ["GET", "/api/info?__proto__[isAdmin]=1&constructor=1&__proto__=1", ""],
    ["GET", "/docs/__proto__", ""],
    ["GET", "/docs/constructor", ""],
    ["GET", "/api/chats/__proto__", ""],
    ["GET", "/api/presets/constructor", ""],
  ])("%s %s", async (method, path, body) => {
    const own = await testDaemon();
    const headers = { ...json, authorization: `Bearer ${own.token}` };
    const { status } = await send(own.url + path, { method, headers, ...(body === "" ? {} : { body }) });
    expect(status).toBeLessThan(500);
    expect(({} as { readonly isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect((await own.get("/api/info")).status).toBe(200);
  });
});

describe("[W1] no name of a request becomes a path", () => {
  const names = [
    "..",
    "../../outside",
    "..%2f..%2foutside",
    "a/../../outside",
    "/etc/passwd",
    "C:\\outside",
    "con",
    "nul.txt",
  ];
  const more = [
    "a\u0000b",
    ".",
    "~",
    "aux.",
    "x".repeat(5000),
    "%2e%2e",
    "‥／outside",
    "a:b",
    "$(touch outside)",
    "-rf",
  ];

  test("chats, presets, archives and canvases stay below the data folder, whatever they are called", async () => {
    const outside = testFolder();
    const data = join(outside, "inner", "data");
    const own = await testDaemon({ galley: { data } });
    const before = (): readonly string[] => readdirSync(outside, { recursive: true }).map(String).filter(isOutside);
    const isOutside = (file: string): boolean => !file.startsWith(join("inner", "data"));
    const there = before();
    const messages = [{ role: "user" as const, content: "Stay inside." }];
    for (const name of [...names, ...more]) {
      const answers = [
        await own.answer("chats.add", { params: { key: name }, body: { messages } }),
        await own.answer("presets.save", {
          params: { id: name },
          body: { preset: { presetMessages: [] }, expectedVersion: 0 },
        }),
        await own.answer("chats.context", { params: { key: "a", contextId: name } }),
        await own.answer("chats.deleteContext", { params: { key: "a", contextId: name }, query: { confirm: name } }),
        await own.answer("sessions.get", { params: { id: name } }),
        await own.answer("agents.canvas", { params: { name } }),
        await own.answer("boxes.get", { params: { id: name } }),
      ];
      for (const { status } of answers) expect([name.slice(0, 40), status < 500]).toEqual([name.slice(0, 40), true]);
    }
    expect(before()).toEqual(there);
    // Each chat has a folder of its own: none was taken for another.
    const added = (await own.call("chats.list")).chats.map(({ key }) => key);
    expect(readdirSync(join(data, "chat"))).toHaveLength(added.length);
    expect(added.length).toBeGreaterThan(10);
  });

  test("a link in the place of a stored picture is not followed", async () => {
    const own = await testDaemon();
    const image = Buffer.from("a picture");
    const part = { type: "image" as const, image: image.toString("base64"), mediaType: "image/png" };
    await own.call("chats.add", { params: { key: "a" }, body: { messages: [{ role: "user", content: [part] }] } });
    const name = `${createHash("sha256").update(image).digest("hex")}.png`;
    const file = join(own.data, "chat", "a", "files", name);
    expect(readFileSync(file)).toEqual(image);
    const secret = join(testFolder(), "id_rsa");
    writeFileSync(secret, "a private key");
    rmSync(file);
    symlinkSync(secret, file);
    const { messages } = await own.call("turns.build", { body: { chat: "a", input: "What is on it?" } });
    const sent = JSON.stringify(messages);
    expect(sent).not.toContain(Buffer.from("a private key").toString("base64"));
    expect(sent).toContain("is not there any more");
  });
});
