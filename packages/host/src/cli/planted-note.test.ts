import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { testDaemon, testFolder } from "../daemon/testing/temp-daemon.ts";
import { type Run, galley } from "./testing/run-command.ts";

/** A server that keeps every byte that it gets, and answers with what `answer` makes of it. */
async function listener(
  answer: (got: string) => string | Promise<string>,
): Promise<{ readonly url: string; readonly got: () => string }> {
  let got = "";
  const server = createServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      got += bytes.toString();
      void Promise.resolve(answer(bytes.toString())).then((body) => {
        const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
        socket.end(`${head}\r\nconnection: close\r\n\r\n${body}`);
      });
    });
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got: () => got };
}

/** As daemon.json is written, by a person who means ill: any live process, a port of this machine. */
function plant(data: string, url: string, token = "planted-token"): void {
  const note = { version: 1, url, token, pid: process.pid, startedAt: Date.now() };
  writeFileSync(join(data, "daemon.json"), JSON.stringify(note), { mode: 0o600 });
}

const typed = "my-own-words";

/** Commands that would send what a person types, or print a link. */
async function everyCommand(data: string, ...flags: readonly string[]): Promise<readonly Run[]> {
  const where = ["--data", data, ...flags];
  return [
    await galley(["run", typed, "--chat", "a", "--model", "demo", ...where]),
    await galley(["chat", "add", "--chat", "a", ...where], `{"role":"user","content":"${typed}"}\n`),
    await galley(["preset", "list", ...where]),
    await galley(["open", ...where]),
    await galley(["down", ...where]),
  ];
}

const pretend = (): string => JSON.stringify({ pid: process.pid, link: "http://evil.example/open", ok: true });

test("[P8] a planted note gets nothing at all, and the commands do their work without it", async () => {
  const data = testFolder();
  const planted = await listener(pretend);
  plant(data, planted.url);
  const [run, add, presets, open, down] = await everyCommand(data);
  expect(planted.got()).toBe("");
  expect([run?.code, add?.code, presets?.code]).toEqual([0, 0, 0]);
  expect(open).toMatchObject({ code: 1, out: "", err: expect.stringContaining("DaemonNotRunning") });
  expect(down).toMatchObject({ code: 1, err: expect.stringContaining("DaemonNotRunning") });
});

test("[P8] a server in the place of the daemon gets the challenge and nothing else, also when it passes it on", async () => {
  const own = await testDaemon();
  // It asks the daemon itself, whose answer holds for the daemon's own address only.
  const relay = await listener(async (got) => {
    const path = /^GET (\S+)/.exec(got)?.[1] ?? "/";
    return (await fetch(`${own.url}${path}`)).text();
  });
  plant(own.data, relay.url, own.token);
  const [, , , open] = await everyCommand(own.data);
  const requests = relay.got().split(/(?=GET |POST )/);
  expect(requests.length).toBeGreaterThanOrEqual(5);
  for (const request of requests) expect(request).toMatch(/^GET \/proof\?nonce=[0-9a-f]{64} HTTP\/1\.1\r\n/);
  expect(relay.got()).not.toMatch(/authorization|cookie/i);
  expect(relay.got()).not.toContain(own.token);
  expect(relay.got()).not.toContain(typed);
  expect(open).toMatchObject({ code: 1, out: "" });
});

test("[P8] where the state folder is not the user's alone, the command asks for --token, which is not sent before the proof", async () => {
  const state = join(testFolder(), "state");
  mkdirSync(state);
  chmodSync(state, 0o777);
  vi.stubEnv("XDG_STATE_HOME", state);
  onTestFinished(() => void vi.unstubAllEnvs());
  const own = await testDaemon();
  expect(own.log()).toContain("Commands need --token");
  const refused = await galley(["open", "--data", own.data]);
  expect(refused).toMatchObject({ code: 1, out: "", err: expect.stringContaining("DaemonUnproven") });
  expect(refused.err).toContain("--token");
  expect((await galley(["open", "--data", own.data, "--token", own.token])).out).toContain(`${own.url}/open?code=`);
  vi.stubEnv("GALLEY_TOKEN", own.token);
  expect((await galley(["open", "--data", own.data])).out).toContain(`${own.url}/open?code=`);
  const planted = await listener(pretend);
  plant(own.data, planted.url);
  await everyCommand(own.data);
  expect(planted.got()).toContain("GET /proof?nonce=");
  expect(planted.got()).not.toContain(own.token);
  expect(planted.got()).not.toContain(typed);
});

test("[P8] a data folder that was copied while its daemon ran leads to no daemon", async () => {
  const own = await testDaemon();
  const copy = testFolder();
  writeFileSync(join(copy, "daemon.json"), readFileSync(join(own.data, "daemon.json")), { mode: 0o600 });
  expect(await galley(["open", "--data", copy])).toMatchObject({ code: 1, out: "" });
  expect((await galley(["open", "--data", own.data])).out).toContain(`${own.url}/open?code=`);
});
