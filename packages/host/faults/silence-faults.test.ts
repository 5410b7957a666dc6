import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { RouteName } from "../src/api/index.ts";
import { type DaemonProcess, daemonProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { claimFault, isThorough } from "./claim-fault.ts";

const preload = fileURLToPath(new URL("measure-loop.ts", import.meta.url));
const count = isThorough ? 100_000 : 25_000;
/** In characters: just below what one text may have. */
const longest = 3_900_000;
const texts = isThorough ? 15 : 6;
const logs = isThorough ? 5000 : 500;
/** In ms of the processor's time. */
const maxSilence = 200;
/** One piece, in which SQLite ranks: beside other tests it takes up to twice as long, for want of caches. */
const inOnePiece = /^those of .* searched for the first time/;

interface Silence {
  /** The longest that the loop was silent, in ms of the processor's time. */
  readonly silentMs: number;
  readonly parseMs: number;
  readonly delayMs: number;
}

async function measured(daemon: DaemonProcess, file: string): Promise<Silence> {
  rmSync(file, { force: true });
  daemon.child.kill("SIGUSR2");
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8").endsWith("}")).toBe(true);
  return JSON.parse(readFileSync(file, "utf8")) as Silence;
}

const words = "the harbour lamp was lit at seven, and the count of the blue boats rose to 41 before winter; ";
const said = (index: number, length: number): string =>
  `${index}: ${words.repeat(length / words.length + 1)}`.slice(0, length);
const roleOf = (index: number): string => (index % 2 === 0 ? "user" : "assistant");

test(
  "[W11] no request within the limits keeps the daemon silent: long texts, and logs with very many messages",
  { timeout: isThorough ? 1_200_000 : 480_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "load",
      fault: `${count} messages, and texts of ${(texts * longest) / 1e6} million characters, come in one request; then a turn, everything is read, put away, listed and searched; before all of them, the first turn of the process; logs are uploaded, listed (${logs}) and opened; all of it is searched, recalled, forked, and asked what compactions lost and how much stays`,
      holds: "the event loop is silent for 200 ms at most, or for 1.5 times the one JSON.parse of the body",
      rounds: 30,
    });
    const file = join(testFolder(), "loop.json");
    const home = testFolder();
    const env = { GALLEY_LOOP_FILE: file, NODE_OPTIONS: `--import=${preload}`, HOME: home, CLAUDE_CONFIG_DIR: "" };
    const daemon = await daemonProcess({ env });
    const run = async (body: { readonly chat: string } | { readonly session: string }): Promise<void> => {
      const events = await daemon.events("runs.start", { body: { ...body, input: "and now?", model: "demo" } });
      expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
    };
    const messages = Array.from({ length: count }, (_, index) => ({ role: roleOf(index), content: said(index, 300) }));
    const long = Array.from({ length: texts }, (_, index) => ({ role: "user", content: said(index, longest) }));
    const entries = messages.map((message, index) => ({ id: `e${index}`, ts: index, type: "message", message }));
    // A log of Claude Code, as it is uploaded and as it lies in the agent's folder.
    const line = (index: number, session: string): string =>
      `${JSON.stringify({ type: roleOf(index), uuid: `u${index}`, sessionId: session, cwd: "/boat", message: { role: roleOf(index), content: said(index, 300) } })}\n`;
    const upload = async (): Promise<void> => {
      const body = Array.from({ length: count }, (_, index) => line(index, "sent")).join("");
      const headers = { authorization: `Bearer ${daemon.token}` };
      const answer = await fetch(`${daemon.url}/api/logs?name=sent`, { method: "POST", headers, body });
      expect(answer.status).toBe(200);
      await answer.text();
    };
    const ask = async (name: RouteName, input: object): Promise<void> => {
      expect(await daemon.answer(name, input)).toMatchObject({ status: 200 });
    };
    const archive = (key: string): Readonly<Record<string, () => Promise<void>>> => ({
      [`the context of ${key} is put away`]: () => ask("chats.new", { params: { key }, body: {} }),
      [`the contexts of ${key} are listed`]: () => ask("chats.get", { params: { key } }),
      [`those of ${key} are searched for the first time`]: () =>
        ask("chats.search", { params: { key }, query: { q: "harbour lamp" } }),
    });
    const ofWhole = (id: string, what: string): Readonly<Record<string, () => Promise<void>>> => ({
      [`what compactions of a ${what} lost`]: () => ask("sessions.lost", { params: { id } }),
      [`a query of what left the window of a ${what}`]: () =>
        ask("sessions.recall", { params: { id }, query: { query: "lamp 41" } }),
      [`compactions of a ${what} are listed`]: () => ask("sessions.compactions", { params: { id } }),
    });
    const requests: Readonly<Record<string, () => Promise<void>>> = {
      "the first turn": () => run({ chat: "first" }),
      "long texts are added": () => ask("chats.add", { params: { key: "long" }, body: { messages: long } }),
      "a turn with long texts": () => run({ chat: "long" }),
      "a chat with long texts": () => ask("chats.get", { params: { key: "long" } }),
      "its messages": () => ask("chats.active", { params: { key: "long" } }),
      "many messages are added": () => ask("chats.add", { params: { key: "many" }, body: { messages } }),
      "a turn after many messages": () => run({ chat: "many" }),
      "many entries are imported": () => ask("sessions.import", { params: { id: "many" }, body: { entries } }),
      "a turn after many entries": () => run({ session: "many" }),
      "all entries are read": () => ask("sessions.entries", { params: { id: "many" } }),
      "a log is uploaded": upload,
      "the logs of this machine are listed": () => ask("logs.list", { query: { read: "all" } }),
      "a log of this machine is opened": () => ask("logs.open", { params: { id: "claude-code:s0" } }),
      "sessions are searched for the first time": () => ask("sessions.search", { query: { q: "harbour lamp" } }),
      "sessions are searched again": () => ask("sessions.search", { query: { q: "blue boats" } }),
      ...ofWhole("many", "session"),
      ...ofWhole("chat:many", "chat"),
      "how much of long texts stays": () => ask("sessions.retention", { params: { id: "chat:long" } }),
      "a chat is forked": () => ask("chats.fork", { params: { key: "many" }, body: {} }),
      "messages of all chats are searched": () => ask("chats.find", { query: { q: "harbour" } }),
      ...archive("long"),
      ...archive("many"),
    };
    for (let log = 0; log < logs; log += 1) {
      const path = join(home, `.claude/projects/p${log % 10}/s${log}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, Array.from({ length: log === 0 ? 5000 : 20 }, (_, index) => line(index, `s${log}`)).join(""));
    }
    const found: Record<string, Silence> = {};
    for (const [name, request] of Object.entries(requests)) {
      await measured(daemon, file);
      await request();
      found[name] = await measured(daemon, file);
    }
    const isTooLong = ([name, { silentMs, parseMs }]: readonly [string, Silence]): boolean =>
      silentMs > Math.max(!isThorough && inOnePiece.test(name) ? 2 * maxSilence : maxSilence, 1.5 * parseMs);
    expect(Object.entries(found).filter(isTooLong)).toEqual([]);
    // The measure itself works: reading a body of megabytes cannot be seen as nothing.
    expect(found["many entries are imported"]?.parseMs).toBeGreaterThan(1);
    expect(found["many entries are imported"]?.silentMs).toBeGreaterThan(5);
  },
);
