import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
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
/** In ms. Beside other tests the same work takes up to twice the processor's time; what is promised is held by the long rounds. */
const maxSilence = isThorough ? 200 : 400;

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
      fault: `${count} messages, and texts of ${(texts * longest) / 1e6} million characters, come in one request; then a turn, everything is read, put away, listed and searched; before all of them, the first turn of the process`,
      holds: "the event loop is silent for 200 ms at most, or for 1.5 times the one JSON.parse of the body",
      rounds: 16,
    });
    const file = join(testFolder(), "loop.json");
    const daemon = await daemonProcess({ env: { GALLEY_LOOP_FILE: file, NODE_OPTIONS: `--import=${preload}` } });
    const run = async (body: { readonly chat: string } | { readonly session: string }): Promise<void> => {
      const events = await daemon.events("runs.start", { body: { ...body, input: "and now?", model: "demo" } });
      expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
    };
    const messages = Array.from({ length: count }, (_, index) => ({ role: roleOf(index), content: said(index, 300) }));
    const long = Array.from({ length: texts }, (_, index) => ({ role: "user", content: said(index, longest) }));
    const entries = messages.map((message, index) => ({ id: `e${index}`, ts: index, type: "message", message }));
    const ask = async (name: RouteName, input: object): Promise<void> => {
      expect(await daemon.answer(name, input)).toMatchObject({ status: 200 });
    };
    const archive = (key: string): Readonly<Record<string, () => Promise<void>>> => ({
      [`the context of ${key} is put away`]: () => ask("chats.new", { params: { key }, body: {} }),
      [`the contexts of ${key} are listed`]: () => ask("chats.get", { params: { key } }),
      [`those of ${key} are searched for the first time`]: () =>
        ask("chats.search", { params: { key }, query: { q: "harbour lamp" } }),
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
      ...archive("long"),
      ...archive("many"),
    };
    const found: Record<string, Silence> = {};
    for (const [name, request] of Object.entries(requests)) {
      await measured(daemon, file);
      await request();
      found[name] = await measured(daemon, file);
    }
    const isTooLong = ({ silentMs, parseMs }: Silence): boolean => silentMs > Math.max(maxSilence, 1.5 * parseMs);
    expect(Object.entries(found).filter(([, silence]) => isTooLong(silence))).toEqual([]);
    // The measure itself works: reading a body of megabytes cannot be seen as nothing.
    expect(found["many entries are imported"]?.parseMs).toBeGreaterThan(1);
    expect(found["many entries are imported"]?.silentMs).toBeGreaterThan(5);
  },
);
