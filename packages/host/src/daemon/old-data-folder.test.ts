import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { runningAgents } from "../agents/running-agents.ts";
import { doctor } from "../chat/doctor/doctor.ts";
import { storeCopies } from "../disk/store-files.ts";
import { canvasStore } from "../inject/canvas/canvas-store.ts";
import { calibrationFile } from "../models/calibration-file.ts";
import { checkStore } from "../store/check-store.ts";
import { findDaemon } from "./client/running-daemon.ts";
import { testDaemon, testFolder } from "./testing/temp-daemon.ts";

/** The files of a data folder, as lines; the store as SQL. */
type Frozen = Readonly<Record<string, readonly string[]>>;

/**
 * A data folder as the last version that said turn for task wrote it, with a daemon that was killed: chats with archives, a
 * picture, a redaction and a compaction, presets, canvas, calibration, notes, locks and a log.
 */
function oldFolder(): string {
  const data = join(testFolder(), "data");
  const frozen = readFileSync(new URL("fixtures/data-folder-before-words.json", import.meta.url), "utf8");
  // It is the folder of this machine: a lock of another one would not be taken over.
  const files = JSON.parse(frozen.replaceAll("harbour", hostname())) as Frozen;
  for (const [name, lines] of Object.entries(files)) {
    const file = join(data, name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if (name !== "galley.sqlite") writeFileSync(file, lines.join("\n"), { mode: 0o600 });
    else {
      const db = new DatabaseSync(file);
      db.exec(lines.join("\n"));
      db.close();
    }
  }
  return data;
}

const params = { key: "demo" };

test("[V1a] a data folder from before the words is read whole: chats, presets, canvas, calibration, builds, runs", async () => {
  const data = oldFolder();
  expect(await findDaemon(data)).toBeUndefined();
  expect(await runningAgents(data)).toEqual([]);
  const own = await testDaemon({ galley: { data } });
  expect((await own.call("chats.list", {})).chats.map(({ key }) => key).toSorted()).toEqual(["demo", "small"]);
  const { messages } = await own.call("chats.transcript", { params, query: {} });
  const said = messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
  expect(said.map((text) => text.slice(0, 20))).toEqual([
    expect.stringContaining("type") as string,
    "A lamp.",
    "I will remember it.",
    "And boats?",
    "Boats float.",
    "Say something.",
    expect.stringContaining("[demo] You said") as string,
  ]);
  const chat = await own.call("chats.get", { params });
  expect(chat).toMatchObject({ model: "demo", preset: "mine", active: { compactions: 1 }, problems: [] });
  expect(chat.contexts.map(({ title, messageCount }) => [title, messageCount])).toEqual([
    ["Boats", 2],
    ["Lamps", 3],
  ]);
  expect((await own.call("chats.search", { params, query: { q: "float" } })).matches).toMatchObject([
    { title: "Boats" },
  ]);
  expect((await own.call("presets.get", { params: { id: "mine" } })).preset).toEqual({
    presetMessages: [{ id: "who", role: "system", content: "You are kind." }],
  });
  expect((await own.call("presets.versions", { params: { id: "old" } })).versions).toHaveLength(1);
  expect((await own.answer("presets.get", { params: { id: "old" } })).status).toBe(404);
  const canvas = await canvasStore({ folder: join(data, "canvas") }).get("local");
  expect(canvas).toMatchObject({ version: 1, title: "Tides", html: "<p>tide table</p>" });
  expect(calibrationFile(data).current().models).toEqual({ "claude-sonnet-4-5": { ratios: [1.2, 1.2, 1.2] } });
  const { galley } = own.daemon;
  const session = { projectId: galley.project, sessionId: "chat:demo" };
  expect((await galley.store.builds.read(session, 1))?.messages.at(-1)).toEqual({
    role: "user",
    content: "Say something.",
  });
  expect(await galley.store.runs.get(galley.project, "first")).toMatchObject({ status: "finished", calls: [1] });
  await own.events("runs.start", { body: { chat: "demo", input: "And now?", runId: "second" } });
  expect(await galley.store.runs.get(galley.project, "second")).toMatchObject({ status: "finished", calls: [2] });
});

test("[V1a] doctor finds nothing in a data folder from before the words, and migrates its store", async () => {
  const data = oldFolder();
  expect(await checkStore({ data })).toEqual([]);
  const chats = await doctor(data);
  expect(chats.map(({ chatKey, findings }) => [chatKey, findings])).toEqual([
    ["demo", []],
    ["small", []],
  ]);
  expect(storeCopies(data)).toEqual([join(data, "galley.sqlite.v2")]);
  const purged = await doctor(data, { purge: true });
  expect(purged.map((chat) => chat.purged)).toEqual([3, 0]);
  expect([storeCopies(data), (await doctor(data)).flatMap(({ findings }) => findings)]).toEqual([[], []]);
});
