import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { daemonProcess, galleyProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { databaseFile } from "../src/disk/store-files.ts";
import { checkStore } from "../src/store/check-store.ts";
import { openStore } from "../src/store/open-store.ts";
import type { Store } from "../src/store/ports/ports.ts";
import { buildOf, said } from "../src/store/testing/build-samples.ts";
import { cardOf, itemsOf, runningRoot } from "../src/store/testing/store-samples.ts";
import { claimFault } from "./claim-fault.ts";

const session = (id: string) => ({ projectId: "p", sessionId: id });
const entry = (id: string) => ({
  id,
  ts: 1,
  type: "message" as const,
  message: { role: "user" as const, content: `said ${id} ${"with many words ".repeat(20)}` },
});

/** A store whose tables and indexes have many pages each, with pages that deletions have left free. */
async function filled(): Promise<string> {
  const data = testFolder();
  const store = await openStore({ data });
  const ids = Array.from({ length: 200 }, (_, index) => `n${index}`);
  for (const name of ["a", "b"])
    await store.sessions.append(
      session(name),
      ids.map((id) => entry(`${name}-${id}`)),
    );
  const cards = ids.map((id) => cardOf(id, "a card ".repeat(100)));
  await store.cards.pack({ projectId: "p", cards, boxes: [{ id: "box", items: itemsOf(...ids) }], now: 1 });
  for (const id of ids) await store.builds.record(session("a"), buildOf([said(`build ${id} ${"x".repeat(300)}`)]));
  await runningRoot(store, "default", { id: "root" });
  await store.cards.deleteCards("p", ids.slice(0, 100));
  await store.close();
  return data;
}

/** What can be read, by what it is read from. */
const reads: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  session_entries: (store) => store.sessions.read(session("a")),
  sessions: (store) => store.sessions.list("p"),
  cards: (store) => store.cards.openBox("p", "box"),
  builds: (store) => store.builds.list(session("a")),
  // All of them: which messages lie on a page is a matter of their hashes.
  build_items: (store) => Promise.all(Array.from({ length: 200 }, (_, n) => store.builds.read(session("a"), n + 1))),
  tasks: (store) => store.tasks.list("default"),
  runs: (store) => store.runs.list("p"),
};

/** As the file itself says. */
const pageSizeOf = (bytes: Buffer): number => bytes.readUInt16BE(16);

/** A page of a table or an index that holds rows, somewhere in the middle of it. */
function leafOf(bytes: Buffer, root: number): number {
  for (let page = root; ;) {
    const at = (page - 1) * pageSizeOf(bytes);
    const isInner = bytes[at] === 5 || bytes[at] === 2;
    if (!isInner) return page;
    const cells = bytes.readUInt16BE(at + 3);
    page = bytes.readUInt32BE(at + bytes.readUInt16BE(at + 12 + 2 * Math.floor(cells / 2)));
  }
}

function rootOf(file: string, name: string): number {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.["rootpage"]);
  } finally {
    db.close();
  }
}

/** Ways in which a disk gives back a page that is not what was written. */
const spoils: Readonly<Record<string, (page: Buffer) => void>> = {
  zeros: (page) => void page.fill(0),
  noise: (page) => page.forEach((_, index) => (page[index] = (index * 167 + 13) & 0xff)),
  "cells that lie outside of it": (page) => void page.fill(0xff, 8, 100),
};

function damage(data: string, pageOf: (bytes: Buffer, file: string) => number, spoil: (page: Buffer) => void): string {
  const copy = testFolder();
  cpSync(data, copy, { recursive: true });
  const file = join(copy, databaseFile);
  const bytes = readFileSync(file);
  const page = pageOf(bytes, file);
  expect(page).toBeGreaterThan(1);
  const size = pageSizeOf(bytes);
  spoil(bytes.subarray((page - 1) * size, page * size));
  writeFileSync(file, bytes);
  return copy;
}

async function answers(data: string): Promise<Readonly<Record<string, unknown>>> {
  const store = await openStore({ data });
  const found: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(reads)) {
    found[name] = await read(store).catch((error: unknown) => error);
  }
  await store.close();
  return found;
}

const refused = expect.objectContaining({
  code: "StoreDamaged",
  hint: expect.stringContaining("galley doctor") as string,
}) as unknown;

const places: readonly (readonly [string, string, (bytes: Buffer, file: string) => number])[] = [
  ["entries of sessions", "session_entries", (bytes, file) => leafOf(bytes, rootOf(file, "session_entries"))],
  ["cards", "cards", (bytes, file) => leafOf(bytes, rootOf(file, "cards"))],
  ["messages of builds", "build_items", (bytes, file) => leafOf(bytes, rootOf(file, "build_items"))],
  [
    "the index of the entries of sessions",
    "session_entries",
    (bytes, file) => leafOf(bytes, rootOf(file, "sqlite_autoindex_session_entries_1")),
  ],
  ["the list of free pages", "", (bytes) => bytes.readUInt32BE(32)],
];

test(
  "[E] a damaged page that is really read is StoreDamaged and names doctor; everything else stays readable",
  { timeout: 300_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "disks that fail",
      fault:
        "a page of a table, of an index, or of the free list of the store holds zeros, noise, or cells that lie outside of it",
      holds:
        "what lies on it is StoreDamaged and names doctor, which finds it; whatever else is read is what was written",
      rounds: places.length * Object.keys(spoils).length,
    });
    const data = await filled();
    const whole = await answers(data);
    for (const [what, owner, pageOf] of places) {
      for (const [how, spoil] of Object.entries(spoils)) {
        const copy = damage(data, pageOf, spoil);
        const found = await answers(copy);
        const where = `${how} in ${what}`;
        const isRefused = found[owner] instanceof Error;
        const expected = isRefused ? { ...whole, [owner]: refused } : whole;
        expect({ where, found }).toEqual({ where, found: expected });
        // Not each way through a table uses its index, and only a write asks for free pages.
        expect([where, isRefused || what.startsWith("the ")]).toEqual([where, true]);
        expect(await checkStore({ data: copy })).toContainEqual(expect.objectContaining({ code: "StoreDamaged" }));
      }
    }
  },
);

test("[E] a daemon on a store with a damaged page answers and goes on", { timeout: 180_000 }, async ({ task }) => {
  claimFault(task, {
    area: "disks that fail",
    fault: "a daemon works on a store in which a page of the table of tasks is damaged",
    holds: "tasks are StoreDamaged over HTTP, chats and runs work, doctor names it, the log stays small",
    rounds: 1,
  });
  const data = damage(
    await filled(),
    (bytes, file) => leafOf(bytes, rootOf(file, "tasks")),
    spoils["zeros"] as () => void,
  );
  const daemon = await daemonProcess({ data });
  expect(await daemon.answer("tasks.list")).toMatchObject({ status: 500, body: { code: "StoreDamaged" } });
  const events = await daemon.events("runs.start", { body: { chat: "demo", input: "hi" } });
  expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
  expect(await daemon.end("SIGTERM")).toBe(0);
  const doctor = galleyProcess(["doctor", "--json", "--data", data]);
  expect(await doctor.exited).toBe(1);
  expect(doctor.printed()).toContain("StoreDamaged");
  expect(readFileSync(join(data, "daemon.log"), "utf8").length).toBeLessThan(50_000);
});
