import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claimFault, isThorough } from "./claim-fault.ts";
import {
  type DaemonProcess,
  daemonProcess,
  galleyProcess,
  send,
  testDaemon,
  testFolder,
} from "../src/daemon/testing/temp-daemon.ts";
import { noteFile, readNote } from "../src/daemon/client/data-owner.ts";
import { slowModel } from "../src/models/testing/slow-model.ts";

test("one data folder has one daemon: a second one says who holds it", async () => {
  const first = await daemonProcess();
  const second = galleyProcess(["up", "--json", "--data", first.data]);
  expect(await second.exited).toBe(1);
  const { error } = JSON.parse(second.printed()) as { readonly error: { readonly code: string; message: string } };
  expect(error.code).toBe("DataFolderInUse");
  expect(error.message).toContain(String(first.child.pid));
  expect(error.message).toContain(first.url);
  // The first one has noticed nothing.
  expect((await first.call("info.get")).pid).toBe(first.child.pid);
  expect(readNote(first.data)?.token).toBe(first.token);
});

const startRounds = isThorough ? 20 : 1;

/** Several daemons that start on a folder in the same moment: exactly one of them serves, and the commands find it. */
async function startAtOnce(data: string): Promise<DaemonProcess> {
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => daemonProcess({ data })));
  const [served, ...more] = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(more).toEqual([]);
  if (!served) throw new Error("None of them serves.");
  const refusals = outcomes.flatMap((one) => (one.status === "rejected" ? [String(one.reason)] : []));
  expect(refusals).toEqual([1, 2].map(() => expect.stringContaining("DataFolderInUse")));
  // None of those that had to go took the note or the key of the one that stayed along.
  expect(readNote(data)).toMatchObject({ url: served.url, token: served.token, pid: served.child.pid });
  const open = galleyProcess(["open", "--json", "--data", data]);
  expect([await open.exited, open.printed()]).toEqual([0, expect.stringContaining(`${served.url}/open?code=`)]);
  return served;
}

test(
  "several that start at once, on a new folder and on one whose daemon was killed: one serves, the others say so",
  async ({ task }) => {
    claimFault(task, {
      area: "versions",
      fault: "three daemons start on one data folder at once, also right after a kill -9 of the one before",
      holds: "one serves and is found by commands; the others say who has it, and end",
      rounds: startRounds * 2,
    });
    for (let round = 0; round < startRounds; round += 1) {
      const data = join(testFolder(), "data");
      const first = await startAtOnce(data);
      await first.end("SIGKILL");
      const second = await startAtOnce(data);
      expect(await second.end("SIGTERM")).toBe(0);
      expect(existsSync(noteFile(data))).toBe(false);
    }
  },
  startRounds * 60_000,
);

test("after a kill -9 the next daemon takes over, with a new token, and everything is there", async ({ task }) => {
  claimFault(task, {
    area: "processes that are killed",
    fault: "kill -9 on the daemon, and another one on the same folder",
    holds: "the next one takes over with a new token; the old token is refused; everything is there",
    rounds: 1,
  });
  const first = await daemonProcess();
  await first.call("chats.add", { params: { key: "demo" }, body: { messages: [{ role: "user", content: "hello" }] } });
  expect(await first.end("SIGKILL")).toBeNull();
  expect(existsSync(noteFile(first.data))).toBe(true);
  const second = await daemonProcess({ data: first.data });
  expect(second.token).not.toBe(first.token);
  const { messages } = await second.call("chats.transcript", { params: { key: "demo" } });
  expect(messages.map(({ content }) => content)).toEqual(["hello"]);
  const old = await send(`${second.url}/api/info`, { headers: { authorization: `Bearer ${first.token}` } });
  expect(old.status).toBe(403);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends it in good order", async (signal) => {
  const daemon = await daemonProcess();
  const leaving = new AbortController();
  // A page that follows the events does not keep it.
  const headers = { authorization: `Bearer ${daemon.token}` };
  const events = await fetch(`${daemon.url}/events`, { headers, signal: leaving.signal });
  expect(await daemon.end(signal)).toBe(0);
  await events.text().catch(() => undefined);
  expect(existsSync(noteFile(daemon.data))).toBe(false);
  expect(readFileSync(join(daemon.data, "daemon.log"), "utf8")).toContain('"daemon:stopped"');
});

test("galley open and galley down find the daemon of a folder", async () => {
  const daemon = await daemonProcess();
  const open = galleyProcess(["open", "--json", "--data", daemon.data]);
  expect(await open.exited).toBe(0);
  const { link } = JSON.parse(open.printed()) as { readonly link: string };
  expect(await send(link)).toMatchObject({ status: 303 });
  const down = galleyProcess(["down", "--json", "--data", daemon.data]);
  expect(await down.exited).toBe(0);
  expect(JSON.parse(down.printed())).toEqual({ stopped: daemon.child.pid });
  const again = galleyProcess(["open", "--json", "--data", daemon.data]);
  expect(await again.exited).toBe(1);
  expect(again.printed()).toContain("DaemonNotRunning");
});

test("a note that was left behind and leads to somebody else is not believed", async () => {
  const other = await daemonProcess();
  const data = testFolder();
  const note = { ...readNote(other.data), token: "x".repeat(64), pid: 1 };
  writeFileSync(noteFile(data), JSON.stringify(note), { mode: 0o600 });
  const open = galleyProcess(["open", "--json", "--data", data]);
  expect(await open.exited).toBe(1);
  expect(open.printed()).toContain("DaemonNotRunning");
});

test("a port that was asked for and is taken is said; the usual one is only a wish", async () => {
  const first = await daemonProcess();
  const { port } = new URL(first.url);
  const data = join(testFolder(), "data");
  const second = galleyProcess(["up", "--json", "--data", data, "--port", port]);
  expect(await second.exited).toBe(2);
  expect(second.printed()).toContain(`The port ${port} is taken.`);
  // Nothing of the attempt is left: the folder is free.
  expect(existsSync(noteFile(data))).toBe(false);
  expect((await daemonProcess({ data })).url).not.toBe(first.url);
});

test("galley up --json prints one line and nothing else", async () => {
  const daemon = await daemonProcess();
  await daemon.call("info.get");
  await daemon.end("SIGTERM");
  const lines = daemon.printed().trimEnd().split("\n");
  expect(lines).toHaveLength(1);
  const { url, link, data, pid } = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  expect({ url, data, pid }).toEqual({ url: daemon.url, data: daemon.data, pid: daemon.child.pid });
  expect(String(link)).toMatch(/\/open\?code=[\w-]{32}$/);
});

/** A folder with a configuration, for `--config`. */
function configFolder(config: object): string {
  const folder = testFolder();
  writeFileSync(join(folder, "galley.config.json"), JSON.stringify(config));
  return folder;
}

const isText = ({ type }: { readonly type: string }): boolean => type === "text";

test("[W11] a run that was cut by a kill -9 is resumed by the next daemon, and nothing is there twice", async () => {
  const model = await slowModel();
  const args = ["--config", configFolder(model.config)];
  const first = await daemonProcess({ args });
  const body = { chat: "demo", input: "hello", runId: "cut" };
  await first.events("runs.start", { body }, { isEnough: isText });
  await first.end("SIGKILL");
  model.release();
  const second = await daemonProcess({ data: first.data, args });
  // A client that asks again joins the run that goes on.
  const events = await second.events("runs.start", { body });
  expect(events.at(-1)?.data).toMatchObject({ type: "run:finished", result: { text: "First and last." } });
  const { messages } = await second.call("chats.transcript", { params: { key: "demo" } });
  expect(messages.map(({ content }) => content)).toEqual(["hello", "First and last."]);
  expect((await second.call("runs.list")).runs).toMatchObject([{ runId: "cut", status: "finished" }]);
});

test("[W11] a stop lets a run finish, within its limit", async () => {
  const model = await slowModel();
  const own = await testDaemon({ galley: { config: { ...model.config, limits: { stopGraceMs: 60_000 } } } });
  const body = { chat: "demo", input: "hello", runId: "late" };
  const reading = own.events("runs.start", { body });
  await expect.poll(() => model.requests()).toBe(1);
  const closing = own.daemon.close();
  model.release();
  await closing;
  expect((await reading).at(-1)?.data).toMatchObject({ type: "run:finished" });
});

test("[W11] a run that takes longer than the limit is handed back, and resumed", async () => {
  const model = await slowModel();
  const own = await testDaemon({ galley: { config: { ...model.config, limits: { stopGraceMs: 50 } } } });
  await own.events("runs.start", { body: { chat: "demo", input: "hello", runId: "back" } }, { isEnough: isText });
  await own.daemon.close();
  model.release();
  const next = await testDaemon({ galley: { config: model.config, data: own.data } });
  const params = { id: "back" };
  await expect.poll(async () => (await next.call("runs.get", { params })).status).toBe("finished");
  expect((await next.call("chats.transcript", { params: { key: "demo" } })).messages).toHaveLength(2);
});

test("a second signal ends it at once", async () => {
  const model = await slowModel();
  const daemon = await daemonProcess({ args: ["--config", configFolder(model.config)] });
  const body = { chat: "demo", input: "hello" };
  await daemon.events("runs.start", { body }, { isEnough: isText });
  daemon.child.kill("SIGTERM");
  await expect.poll(() => readFileSync(join(daemon.data, "daemon.log"), "utf8")).toContain('"daemon:stopping"');
  // What comes within half a second may be an echo of the first signal: npm passes on what the terminal sends as well.
  await new Promise((resolve) => setTimeout(resolve, 700));
  // By the signal itself: the run would go on for as long as the model does not answer.
  expect(await daemon.end("SIGTERM")).toBeNull();
});

test("[P6] a key of the environment is in no reply, no log and no file", async () => {
  const key = "sk-planted-0123456789abcdef";
  const daemon = await daemonProcess({ env: { OPENAI_API_KEY: key } });
  const texts: unknown[] = [await daemon.call("info.get"), await daemon.call("models.list")];
  expect(JSON.stringify(texts)).toContain("OPENAI_API_KEY");
  // Said by a person, said back by the model, and asked for by name.
  texts.push(await daemon.events("runs.start", { body: { chat: "demo", input: `my key is ${key}` } }));
  texts.push(
    await daemon.answer("presets.get", { params: { id: key } }),
    await daemon.answer("chats.get", { params: { key } }),
  );
  texts.push(await daemon.call("chats.transcript", { params: { key: "demo" } }), await daemon.call("sessions.list"));
  texts.push(await daemon.call("sessions.call", { params: { id: "chat:demo", n: 1 } }));
  await daemon.end("SIGTERM");
  texts.push(daemon.printed(), readFileSync(join(daemon.data, "daemon.log"), "utf8"));
  expect(JSON.stringify(texts)).toContain("‹secret:OPENAI_API_KEY›");
  expect(JSON.stringify(texts)).not.toContain(key);
  expect(filesBelow(daemon.data).filter((file) => readFileSync(file).includes(key))).toEqual([]);
});

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
