import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { smallAgent, testHost } from "../testing/temp-agent-host.ts";
import { type Answer, type TestDaemon, send, testDaemon, testFolder } from "../testing/temp-daemon.ts";

interface RpcAnswer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

interface Session {
  readonly token: string;
  call(method: string, params?: object): Promise<RpcAnswer>;
  ask(path: string, parts?: { readonly method?: string; readonly headers?: Record<string, string> }): Promise<Answer>;
}

/** A running agent, and what a holder of its token can do. */
async function startedAgent(own: TestDaemon, name: string): Promise<Session> {
  await own.call("agents.start", { params: { name } });
  const secrets = Object.entries(own.daemon.galley.redactor.secrets());
  const token = secrets.find(([key]) => key.startsWith(`token:${name}`))?.[1] ?? "";
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return {
    token,
    async call(method, params = {}) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return JSON.parse((await send(`${own.url}/rpc`, { method: "POST", headers, body })).text) as RpcAnswer;
    },
    ask: (path, { headers: more, ...parts } = {}) =>
      send(own.url + path, { ...parts, headers: { authorization: headers.authorization, ...more } }),
  };
}

const secretOf = (name: string): string => `the harbour code of ${name} is 4711-${name}`;

test("[I5, H6] an agent reaches neither the chat, the archives, the canvas nor the tools of another", async () => {
  const skills = testFolder();
  mkdirSync(join(skills, "inner"));
  writeFileSync(
    join(skills, "inner", "SKILL.md"),
    "---\nname: inner\ndescription: for ines\n---\nOnly ines reads this.",
  );
  const ines = { ...smallAgent(), name: "ines", providers: [{ type: "skills" as const, folders: [skills] }] };
  const own = await testDaemon({ galley: { config: { agents: [smallAgent(), ines] } } });
  for (const name of ["mara", "ines"]) {
    const messages = [
      { role: "user" as const, content: secretOf(name) },
      { role: "assistant" as const, content: "Noted." },
    ];
    await own.call("chats.add", { params: { key: `agent:${name}` }, body: { messages } });
  }
  const [one, other] = [await startedAgent(own, "mara"), await startedAgent(own, "ines")];
  await other.call("canvas.update", { html: `<p>${secretOf("ines")}</p>`, title: "of ines" });
  const chat = await own.daemon.galley.chats.open("agent:ines");
  const { archived } = await chat.newContext({});
  if (!archived) throw new Error("Nothing was archived.");

  const heard: string[] = [];
  const hear = async (answer: Promise<unknown>): Promise<void> => void heard.push(JSON.stringify(await answer));
  await hear(one.call("chat.context.list", { limit: 200 }));
  await hear(one.call("chat.context.load", { query: "harbour code of ines 4711" }));
  const paths = [
    archived.contextId,
    `../../../agent%3Aines/contexts/archive/${archived.contextId}`,
    `..\\..\\agent%3Aines\\contexts\\archive\\${archived.contextId}`,
    `/etc/passwd`,
    `${archived.contextId}\u0000`,
  ];
  for (const contextId of paths) await hear(one.call("chat.context.load", { contextId }));
  for (const claim of [{ agent: "ines" }, { agentName: "ines" }, { chat: "agent:ines" }, { key: "agent:ines" }]) {
    await hear(one.call("chat.context.list", claim));
    await hear(one.call("canvas.update", { html: "<p>mine</p>", ...claim }));
  }
  await hear(one.call("skill.read", { name: "inner" }));
  // The methods of the API are the owner's, also by their names in JSON-RPC.
  for (const method of ["chats.list", "chats.context", "runs.start", "presets.save", "agents.prompt", "info.get"]) {
    expect(await one.call(method, { key: "agent:ines", contextId: archived.contextId })).toMatchObject({
      error: { code: -32_601 },
    });
  }
  const cookie = await own.login();
  for (const path of [
    "/api/chats/agent%3Aines/messages",
    "/canvas/ines",
    "/api/agents/ines",
    "/events",
    "/openapi.json",
  ]) {
    expect([path, (await one.ask(path)).status]).toEqual([path, 403]);
    // A token that is not good for it is not helped by a cookie that would be.
    expect([path, (await one.ask(path, { headers: { cookie } })).status]).toEqual([path, 403]);
  }
  for (const path of ["/control/link", "/control/stop"]) {
    expect([path, (await one.ask(path, { method: "POST" })).status]).toEqual([path, 403]);
  }
  for (const text of heard) expect(text).not.toMatch(/4711-ines|Only ines reads|root:/);
  // What was asked for was there to be had, by the one whom it belongs to.
  expect(JSON.stringify(await other.call("skill.read", { name: "inner" }))).toContain("Only ines reads this.");
  const loaded = await chat.loadContext({ contextId: archived.contextId });
  expect(loaded).toMatchObject({ loaded: { contextId: archived.contextId } });
  expect(JSON.stringify(await own.call("agents.canvas", { params: { name: "ines" } }))).toContain("4711-ines");

  await own.call("agents.stop", { params: { name: "mara" } });
  expect((await one.ask("/tools")).status).toBe(403);
  expect((await other.ask("/tools")).status).toBe(200);
});

test("[I9] an agent that asks Galley for files or programs gets none: what it does, it does with rights of its own", async () => {
  const { manager, dataFolder } = await testHost([smallAgent("want-files")]);
  const outside = join(testFolder(), "outside.txt");
  writeFileSync(outside, "as it was");
  symlinkSync(outside, join(dataFolder, "link.txt"));
  await manager.startAgent("mara");
  const asked = [
    "link.txt",
    "../outside.txt",
    outside,
    "/etc/passwd",
    `${outside}\u0000.txt`,
    "C:\\outside.txt",
    "OUTSIDE.TXT",
  ];
  for (const path of asked) {
    expect([path, (await manager.prompt("mara", path)).text]).toEqual([path, "refused refused refused"]);
  }
  expect(readFileSync(outside, "utf8")).toBe("as it was");
});
