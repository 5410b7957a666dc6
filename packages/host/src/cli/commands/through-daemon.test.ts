import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { GalleyError, type Preset } from "@galley/engine";
import { daemonClient } from "../../daemon/client/daemon-client.ts";
import type { DaemonNote } from "../../daemon/client/data-owner.ts";
import { findDaemon } from "../../daemon/client/running-daemon.ts";
import { daemonProcess } from "../../daemon/testing/temp-daemon.ts";
import { openDaemon } from "../../daemon/open-daemon.ts";
import { slowModel } from "../../models/testing/slow-model.ts";
import { example, galley } from "../testing/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-through-"));
const data = join(folder, "data");
const agents = [
  { name: "echo", command: process.execPath, args: [example("agent/echo-agent.ts")], permissions: "deny" },
];
writeFileSync(join(folder, "galley.config.json"), JSON.stringify({ agents }));

let daemon: Awaited<ReturnType<typeof openDaemon>>;
const events: string[] = [];
beforeAll(async () => {
  daemon = await openDaemon({ galley: { data, config: folder, environment: { ...process.env } } });
  daemon.galley.events.on(({ type, subject }) => events.push(`${type} ${subject}`));
});
afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

const inChat = ["--chat", "tea", "--data", data, "--json"];

test("[R6] the daemon pins where one runs, and pages hear of it; the command lists and unpins", async () => {
  const at = ["--chat", "pins", "--data", data];
  await galley(["chat", "add", ...at], '{"role":"user","content":"Port 8471."}\n');
  const { id } = JSON.parse((await galley(["chat", "pin", ...at, "--message", "§1", "--json"])).out) as { id: string };
  expect((await galley(["chat", "pin", ...at, "--text", "Metric units."])).out).toMatch(/^Pinned p_\w+\.\n$/);
  expect((await galley(["chat", "pin", ...at, "--message", id])).out).toBe(`${id} is pinned already.\n`);
  expect((await galley(["chat", "pins", ...at])).out).toMatch(/§1 +m_\w+ +person +Port 8471\.\n– .*Metric units\./);
  expect(events).toContain("chat:changed pins");
  expect((await galley(["chat", "unpin", ...at, "--text", "Metric units."])).out).toMatch(/^Unpinned p_/);
  expect((await galley(["chat", "unpin", ...at, "--message", "§1"])).out).toBe(`Unpinned ${id}.\n`);
  expect((await galley(["chat", "pins", ...at])).out).toBe("Nothing is pinned.\n");
  expect((await galley(["chat", "unpin", ...at, "--message", id])).err).toContain("NotFound");
  expect((await galley(["chat", "pin", ...at, "--message", "m_none"])).err).toContain("no message");
  expect((await galley(["chat", "pin", ...at])).code).toBe(2);
});

test("[W3] a chat is changed by the daemon where one runs, and the command says the same", async () => {
  const lines = '{"role":"user","content":"Which tea?"}\n{"role":"assistant","content":"Green."}\n';
  const added = await galley(["chat", "add", ...inChat], lines);
  expect(added.out.trim().split("\n")).toHaveLength(2);
  const put = JSON.parse((await galley(["chat", "new", ...inChat, "--title", "Tea"])).out) as {
    readonly archived: { readonly contextId: string; readonly messageCount: number };
  };
  expect(put.archived.messageCount).toBe(2);
  const found = JSON.parse((await galley(["chat", "load", ...inChat, "green"])).out) as { readonly loaded: object };
  expect(found.loaded).toMatchObject({ title: "Tea", messageCount: 2 });
  const chat = await daemon.galley.chats.open("tea");
  expect(chat.window().messages.map(({ content }) => content)).toEqual(["Which tea?", "Green."]);
  const gone = await galley([
    "chat",
    "delete",
    "--chat",
    "tea",
    "--data",
    data,
    "--context",
    "c_none",
    "--confirm",
    "c_none",
  ]);
  expect(gone.code).toBe(1);
  expect(gone.err).toContain("ContextInvalidInput");
});

test("[W11] a turn of galley run is a run of the daemon", async () => {
  const { out, code } = await galley(["run", "new topic: lunch", ...inChat, "--model", "demo"]);
  expect(code).toBe(0);
  const types = out
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { readonly type: string }).type);
  expect(types).toEqual(expect.arrayContaining(["run:started", "context:switched", "run:finished"]));
  expect(events.some((event) => event.startsWith("run:ended"))).toBe(true);
  const refused = await galley(["run", "x", ...inChat, "--model", "no-such-model"]);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("ModelUnavailable");
});

test("[I9] agents are those of the daemon: started there, asked there, stopped there", async () => {
  const flags = ["--config", folder, "--data", data];
  const asked = await galley(["agent", "prompt", "echo", "Good morning", ...flags]);
  expect(asked.out).toContain("You said: Good morning");
  expect((await galley(["agent", "start", "echo", ...flags])).out).toContain("runs in the daemon");
  expect((await galley(["agent", "list", ...flags])).out).toContain("running");
  const stopped = await galley(["agent", "stop", "echo", ...flags]);
  expect(stopped).toMatchObject({ code: 0, out: "echo was stopped (1).\n" });
  expect((await galley(["agent", "stop", "echo", ...flags])).out).toBe("echo does not run.\n");
  expect((await galley(["agent", "list", ...flags])).out).toContain("stopped");
});

test("[P3] two calls of a chat can be compared by their numbers", async () => {
  const { out, code } = await galley(["diff", "chat:tea#1", "chat:tea#2", "--data", data, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ prefix: { messages: expect.any(Number) as number } });
  const missing = await galley(["diff", "chat:tea#1", "chat:tea#99", "--data", data]);
  expect(missing.code).toBe(1);
  expect(missing.err).toContain("no call 99 of chat:tea");
});

test("[P1] a call that was made says what its model has read, and why", async () => {
  const inData = ["--data", data];
  const first = await galley(["explain", "chat:tea#1", ...inData]);
  expect(first).toMatchObject({ code: 0, err: "" });
  expect(first.out).toMatch(/^chat:tea#1 \(call 1 of turn 1\), sent to demo at \d{4}-.*; the provider counted \d+\n/);
  expect(first.out).toMatch(/ in \d+ messages and \d+ tools/);
  expect(first.out).toMatch(/\n1 +system .*List order/);
  expect(first.out).toMatch(/ user +m_\w+ .*history /);
  const call = JSON.parse((await galley(["explain", "chat:tea#1", ...inData, "--json"])).out) as Record<
    string,
    unknown
  >;
  expect(call).toMatchObject({ n: 1, model: "demo", ledger: expect.any(Array) as unknown[] });
  expect(first.out).toContain(`digest ${String(call["digest"]).slice(0, 16)}`);
  const { calls } = (await daemon.galley.store.builds.sessions("default")).find(({ id }) => id === "chat:tea") ?? {};
  expect((await galley(["explain", "chat:tea", ...inData])).out).toMatch(new RegExp(`^chat:tea#${calls} \\(call `));
  const missing = await galley(["explain", "chat:nobody", ...inData]);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining("no call of chat:nobody") as string });
  const built = await galley(["explain", "chat:tea", ...inData, "--budget", "100"]);
  expect(built).toMatchObject({ code: 2, err: expect.stringContaining("--budget has no effect on it") as string });
});

test("[W11] a run that the end of the daemon cuts off is not a success, and the error has a hint", async () => {
  const model = await slowModel();
  const own = join(folder, "cut");
  const short = await openDaemon({ galley: { data: own, config: { ...model.config, limits: { stopGraceMs: 1 } } } });
  const run = galley(["run", "Hello", "--chat", "demo", "--data", own]);
  await expect.poll(() => model.requests()).toBe(1);
  await short.close();
  const { code, err } = await run;
  expect(code).toBe(1);
  expect(err).toMatch(/galley up/);
});

test("a program that has the port of a daemon that died is not asked, and learns no token", async () => {
  const asked: string[] = [];
  const stranger = createServer(({ headers }, response) => {
    asked.push(headers.authorization ?? "");
    response.end("{}");
  });
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void stranger.close());
  const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  const { pid } = spawnSync(process.execPath, ["--version"]);
  const own = join(folder, "died");
  mkdirSync(own);
  const note = { version: 1, url, token: "t".repeat(64), pid, startedAt: 0 };
  writeFileSync(join(own, "daemon.json"), JSON.stringify(note), { mode: 0o600 });
  const opened = await galley(["open", "--data", own]);
  expect(opened).toMatchObject({ code: 1, err: expect.stringContaining("DaemonNotRunning") });
  expect(asked).toEqual([]);
  // Nor is one that has the number as well: no daemon of this folder has left a key.
  writeFileSync(join(own, "daemon.json"), JSON.stringify({ ...note, pid: process.pid }));
  expect((await galley(["open", "--data", own])).err).toContain("DaemonNotRunning");
  expect(asked).toEqual([]);
});

test("a start on a port that is taken leaves the demo to the next one", async () => {
  const taken = new URL(daemon.url).port;
  const own = join(folder, "second");
  const refused = await galley(["up", "--port", taken, "--data", own]);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining(`The port ${taken} is taken.`) });
  const next = await daemonProcess({ data: own, hasDemo: true });
  const { presets } = await next.call("presets.list");
  expect(presets.map(({ id }) => id)).toContain("airship");
  await next.end("SIGTERM");
});

test("[E] what the daemon refuses comes back with everything that is wrong", async () => {
  const note = await findDaemon(data);
  const preset = { presetMessages: [{ id: "a", type: "message", role: "nobody", content: 7 }] } as unknown as Preset;
  const body = { preset, expectedVersion: 0 };
  const refusal = await daemonClient(note as DaemonNote)
    .call("presets.save", { params: { id: "wrong" }, body })
    .catch((error: unknown) => error as GalleyError);
  expect(refusal).toBeInstanceOf(GalleyError);
  expect((refusal as GalleyError).problems.map(({ path }) => path)).toEqual([
    "presetMessages[0].role",
    "presetMessages[0].content",
  ]);
});
