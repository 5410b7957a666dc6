import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { daemonProcess, galleyProcess, send, testFolder } from "./daemon.test-support.ts";
import { noteFile, readNote } from "./data-owner.ts";

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

test("two that start at once: one of them serves, the other one says so", async () => {
  const data = join(testFolder(), "data");
  const outcomes = await Promise.allSettled([daemonProcess({ data }), daemonProcess({ data })]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(String(outcomes.find((one) => one.status === "rejected")?.reason)).toContain("DataFolderInUse");
});

test("after a kill -9 the next daemon takes over, with a new token, and everything is there", async () => {
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
  writeFileSync(noteFile(data), JSON.stringify({ ...readNote(other.data), token: "x".repeat(64), pid: 1 }));
  const open = galleyProcess(["open", "--json", "--data", data]);
  expect(await open.exited).toBe(1);
  expect(open.printed()).toContain("DaemonNotRunning");
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
