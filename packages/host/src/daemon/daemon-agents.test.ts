import { expect, test } from "vitest";
import { smallAgent } from "./testing/temp-agent-host.ts";
import { send, testDaemon, testFolder } from "./testing/temp-daemon.ts";
import { galley } from "../cli/testing/run-command.ts";

const { command, args } = smallAgent();

test("[I11b] a page adds known programs; a command of one's own takes the code that the terminal prints", async () => {
  const told: string[] = [];
  const own = await testDaemon({ tell: (line) => told.push(line) });
  const headers = { cookie: await own.login(), "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const put = async (body: object, name = "mara") => {
    const answer = await send(`${own.url}/api/agents/${name}`, { method: "PUT", headers, body: JSON.stringify(body) });
    return { status: answer.status, document: JSON.parse(answer.text) as unknown };
  };
  const refused = { status: 403, document: { code: "Forbidden", path: "code" } };
  expect(await put({ program: "claude-code" }, "known")).toMatchObject({ status: 200, document: { from: "added" } });
  expect(told).toEqual([]);
  for (const part of [
    { args: ["--more"] },
    { env: { NODE_OPTIONS: "--require /tmp/x.js" } },
    { permissions: { allow: ["*"] } },
  ])
    expect(await put(part, "known")).toMatchObject(refused);
  const mine = { command, args };
  expect(await put(mine)).toMatchObject(refused);
  const code = /start .*: (\d{6})$/.exec(told.at(-1) ?? "")?.[1] ?? "";
  // It holds for this command alone.
  expect(await put({ ...mine, args: ["other"], code })).toMatchObject(refused);
  expect(await put({ ...mine, code })).toMatchObject({ status: 200 });
  expect(await put({ archetype: "repo" })).toMatchObject({ status: 200, document: { archetype: "repo" } });
  expect(await put({ args: ["other"], code })).toMatchObject(refused);
  // A code for one value of a variable is none for another.
  const preload = (file: string) => ({ env: { NODE_OPTIONS: `--require ${file}` } });
  expect(await put(preload("a.js"))).toMatchObject(refused);
  const forOne = /a\.js.*: (\d{6})$/.exec(told.at(-1) ?? "")?.[1] ?? "";
  expect(await put({ ...preload("b.js"), code: forOne })).toMatchObject(refused);
  expect(await put({ ...preload("a.js"), code: forOne })).toMatchObject({ status: 200 });
});

test("[I11b] what a program was allowed is not for another program, folder or command", async () => {
  const told: string[] = [];
  const own = await testDaemon({ tell: (line) => told.push(line) });
  const headers = { cookie: await own.login(), "sec-fetch-site": "same-origin", "content-type": "application/json" };
  const put = async (body: object) =>
    (await send(`${own.url}/api/agents/mara`, { method: "PUT", headers, body: JSON.stringify(body) })).status;
  const allowed = { program: "claude-code", permissions: { allow: ["execute"] }, env: { BASE_URL: "http://a" } };
  expect(await put(allowed)).toBe(403);
  expect(told.at(-1)).toContain('be claude-code, set "BASE_URL=http://a", be allowed "execute"');
  const code = /: (\d{6})$/.exec(told.at(-1) ?? "")?.[1] ?? "";
  expect(await put({ ...allowed, code })).toBe(200);
  for (const part of [{ program: "gemini" }, { cwd: "data" }, { env: {} }]) expect(await put(part)).toBe(403);
  expect(await own.call("agents.get", { params: { name: "mara" } })).toMatchObject({
    declared: { program: "claude-code", permissions: { allow: ["execute"] } },
  });
  // What gives nothing away needs no code, and neither does less.
  expect(await put({ archetype: "repo" })).toBe(200);
  expect(await put({ permissions: "ask", env: {} })).toBe(200);
  expect(await put({ program: "gemini" })).toBe(200);
});

test("[I11] an agent that is removed is stopped, in whatever letter case it is named", async () => {
  const own = await testDaemon();
  await own.call("agents.save", { params: { name: "mara" }, body: { command, args } });
  const { pid = 0 } = await own.call("agents.start", { params: { name: "mara" } });
  expect(process.kill(pid, 0)).toBe(true);
  await own.call("agents.delete", { params: { name: "MARA" } });
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("[I11b] a page of another origin adds no agent, not even a known program; neither does a request without a token", async () => {
  const own = await testDaemon();
  const cookie = await own.login();
  const body = JSON.stringify({ program: "claude-code" });
  const json = { "content-type": "application/json" };
  const put = (headers: Record<string, string>) =>
    send(`${own.url}/api/agents/mara`, { method: "PUT", headers: { ...json, ...headers }, body });
  expect((await put({ cookie, "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await put({ cookie, origin: "http://127.0.0.1:1" })).status).toBe(403);
  expect((await put({ cookie, host: "rebound.example" })).status).toBe(403);
  expect((await put({})).status).toBe(401);
  expect(JSON.parse((await galley(["agent", "list", "--json", "--data", own.data])).out)).toMatchObject({ agents: [] });
});

test.each(["through the daemon", "without one"])("[I11] galley agent adds, lists and removes, %s", async (how) => {
  const own = how === "without one" ? undefined : await testDaemon();
  const data = own?.data ?? testFolder();
  const agent = async (...given: readonly string[]) => {
    const { code, out, err } = await galley(["agent", ...given, "--data", data]);
    return { code, said: out + err };
  };
  const added = await agent("add", "mara", "--command", command, ...args.flatMap((one) => ["--arg", one]));
  expect(added).toMatchObject({ code: 0, said: expect.stringContaining("mara is there") });
  expect(await agent("add", "mara", "--archetype", "repo")).toMatchObject({ code: 0 });
  const listed = JSON.parse((await agent("list", "--json")).said) as unknown;
  expect(listed).toMatchObject({ agents: [{ name: "mara", from: "added", archetype: "repo", running: [] }] });
  expect((await agent("programs")).said).toMatch(/claude-code .*Claude Code/);
  expect(await agent("add", "ines")).toMatchObject({ code: 1, said: expect.stringContaining("Say which program") });
  expect(await agent("remove", "mara")).toMatchObject({ code: 0 });
  expect((await agent("list")).said).toContain("There are no agents.");
});
