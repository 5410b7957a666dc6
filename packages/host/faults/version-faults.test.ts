import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { launcher } from "../../../scripts/launcher.ts";
import { defaultPreset } from "../src/presets/preset-library.ts";
import { daemonProcess, galleyProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { noteFile, readNote } from "../src/daemon/client/data-owner.ts";
import { databaseFile } from "../src/disk/store-files.ts";
import { claimFault } from "./claim-fault.ts";

/** Every file below a folder with its hash; locks come and go. */
function stateOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes("lock"));
  const hash = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
  return Object.fromEntries(paths.toSorted().map((path) => [path, hash(path)]));
}

let used: Promise<string> | undefined;

/** A copy of a data folder that a daemon has worked on. */
async function usedFolder(): Promise<string> {
  const data = join(testFolder(), "data");
  cpSync(await (used ??= useFolder()), data, { recursive: true });
  return data;
}

async function useFolder(): Promise<string> {
  const daemon = await daemonProcess({ data: mkdtempSync(join(tmpdir(), "galley-used-")) });
  const body = { messages: [{ role: "user" as const, content: "hello" }] };
  await daemon.call("chats.add", { params: { key: "demo" }, body });
  await daemon.events("runs.start", { body: { chat: "demo", input: "hi", runId: "first" } });
  await daemon.call("presets.save", { params: { id: "mine" }, body: { preset: defaultPreset, expectedVersion: 0 } });
  await daemon.end("SIGTERM");
  return daemon.data;
}

const clear = { path: expect.any(String) as string, hint: expect.any(String) as string };

test(
  "a store of a newer version is refused by the daemon, and no byte is changed",
  { timeout: 180_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "versions",
      fault: "a daemon starts on a data folder whose store a newer version has written",
      holds: "StoreVersion with a hint, exit code 1, no byte of the folder changed",
      rounds: 1,
    });
    const data = await usedFolder();
    const db = new DatabaseSync(join(data, databaseFile));
    db.exec("PRAGMA user_version=99");
    db.close();
    const before = stateOf(data);
    const up = galleyProcess(["up", "--json", "--port", "0", "--data", data]);
    expect(await up.exited).toBe(1);
    expect(JSON.parse(up.printed())).toMatchObject({ error: { code: "StoreVersion", hint: clear.hint } });
    expect(stateOf(data)).toEqual(before);
  },
);

test(
  "chats and presets of a newer version are refused one by one, and no byte is changed",
  { timeout: 180_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "versions",
      fault: "a chat and a preset in the data folder are of a newer version",
      holds:
        "DataNewer with path and hint for reading and writing them, no byte of them changed; everything else works",
      rounds: 1,
    });
    const data = await usedFolder();
    const active = join(data, "chat/demo/contexts/active.jsonl");
    writeFileSync(active, '{"v":2,"ts":1,"role":"user","content":"from the future"}\n');
    const preset = join(data, "presets/mine/v000001.json");
    writeFileSync(preset, JSON.stringify({ v: 2, id: "mine", version: 1, savedAt: 1, preset: { steps: "new" } }));
    const before = [active, preset].map((file) => readFileSync(file, "utf8"));
    const daemon = await daemonProcess({ data });
    const newer = { status: 409, body: { code: "DataNewer", ...clear } };
    const params = { key: "demo" };
    expect(await daemon.answer("chats.active", { params })).toMatchObject(newer);
    expect(await daemon.answer("chats.new", { params, body: {} })).toMatchObject(newer);
    expect(await daemon.answer("presets.get", { params: { id: "mine" } })).toMatchObject(newer);
    expect([active, preset].map((file) => readFileSync(file, "utf8"))).toEqual(before);
    await daemon.call("chats.add", { params: { key: "other" }, body: { messages: [{ role: "user", content: "a" }] } });
    expect((await daemon.call("presets.list")).presets.map(({ id }) => id)).toEqual(["default"]);
  },
);

test(
  "what a newer version knows of a chat, its settings and models stays as it is",
  { timeout: 180_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "versions",
      fault: "chat.json, the settings of a chat, and calibration.json are of a newer version",
      holds: "DataNewer with path and hint for the chat and for its settings; no byte of the three is changed by a run",
      rounds: 3,
    });
    const data = await usedFolder();
    const newer = { status: 409, body: { code: "DataNewer", ...clear } };
    const files = ["chat/demo/chat.json", "chat/other/settings.json", "calibration.json"].map((name) =>
      join(data, name),
    );
    mkdirSync(join(data, "chat/other"), { recursive: true });
    writeFileSync(files[0] ?? "", '{"v":2,"key":"demo","layout":"new"}');
    writeFileSync(files[1] ?? "", '{"v":2,"model":"demo","context":{"maxInputTokens":100}}');
    writeFileSync(files[2] ?? "", '{"v":2,"models":{"demo":{"curve":[1,2]}}}');
    const before = files.map((file) => readFileSync(file, "utf8"));
    const daemon = await daemonProcess({ data });
    expect(await daemon.answer("chats.active", { params: { key: "demo" } })).toMatchObject(newer);
    expect(await daemon.answer("chats.settings", { params: { key: "other" }, body: { model: "demo" } })).toMatchObject(
      newer,
    );
    const events = await daemon.events("runs.start", { body: { chat: "third", input: "hi" } });
    expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
    expect(await daemon.end("SIGTERM")).toBe(0);
    expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(before);
  },
);

test(
  "a folder of the oldest store is taken over by the daemon with everything in it",
  { timeout: 180_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "versions",
      fault: "a daemon starts on a data folder with a store of versions 1, 2 and 3",
      holds: "it is brought to the present version with everything in it, and works",
      rounds: 3,
    });
    for (const version of [1, 2, 3]) {
      const data = join(testFolder(), "data");
      mkdirSync(data);
      const db = new DatabaseSync(join(data, databaseFile));
      db.exec(readFileSync(new URL(`../src/store/fixtures/store-${version}.sqlite.sql`, import.meta.url), "utf8"));
      db.close();
      const daemon = await daemonProcess({ data });
      const events = await daemon.events("runs.start", { body: { chat: "demo", input: "hi" } });
      expect(events.at(-1)?.data).toMatchObject({ type: "run:finished" });
      expect(await daemon.end("SIGTERM")).toBe(0);
      const after = new DatabaseSync(join(data, databaseFile));
      expect(after.prepare("SELECT body FROM session_entries WHERE project_id = 'p'").all().length).toBeGreaterThan(0);
      after.close();
    }
  },
);

/** The installed package once more, under another version; what it depends on it finds further up. */
function otherVersion(version: string): string {
  const above = testFolder();
  symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), join(above, "node_modules"));
  const folder = join(above, "installed/node_modules");
  cpSync(join(dirname(launcher), "../.."), folder, { recursive: true, verbatimSymlinks: true });
  const about = join(folder, "galley/package.json");
  writeFileSync(about, JSON.stringify({ ...(JSON.parse(readFileSync(about, "utf8")) as object), version }));
  return join(folder, "galley/bin/galley.js");
}

test(
  "two versions at once: the folder has one owner, and each command talks to the daemon of the other",
  { timeout: 120_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "versions",
      fault: "a daemon and commands of another version are started on the folder of a running daemon",
      holds:
        "the second daemon names the first one and ends; the commands work through it; the first one notices nothing",
      rounds: 1,
    });
    const launcher = otherVersion("99.0.0");
    const daemon = await daemonProcess();
    const { data } = daemon;
    const second = galleyProcess(["up", "--json", "--data", data], { launcher });
    expect(await second.exited).toBe(1);
    const { error } = JSON.parse(second.printed()) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    expect([error.code, error.message.includes(String(daemon.child.pid))]).toEqual(["DataFolderInUse", true]);
    const run = galleyProcess(["run", "--json", "--data", data, "--chat", "demo", "hello"], { launcher });
    expect([await run.exited, run.printed()]).toEqual([0, expect.stringContaining("[demo]") as string]);
    expect((await daemon.call("chats.transcript", { params: { key: "demo" } })).messages).toHaveLength(2);
    expect((await daemon.call("info.get")).version).not.toBe("99.0.0");
    const down = galleyProcess(["down", "--json", "--data", data], { launcher });
    expect([await down.exited, JSON.parse(down.printed())]).toEqual([0, { stopped: daemon.child.pid }]);
  },
);

test(
  "a daemon whose note is of a newer version is named, and not taken for none",
  { timeout: 180_000 },
  async ({ task }) => {
    claimFault(task, {
      area: "versions",
      fault: "the daemon of the folder is so new that this version cannot read where it is",
      holds: "commands that need it say so by name (DataNewer), and a second daemon ends",
      rounds: 1,
    });
    const daemon = await daemonProcess();
    writeFileSync(noteFile(daemon.data), JSON.stringify({ ...readNote(daemon.data), version: 2, url: { new: true } }));
    for (const [command, code] of [
      ["open", "DataNewer"],
      ["down", "DataNewer"],
      ["up", "DataFolderInUse"],
    ] as const) {
      const one = galleyProcess([command, "--json", "--data", daemon.data]);
      expect([command, await one.exited]).toEqual([command, 1]);
      expect(JSON.parse(one.printed())).toMatchObject({ error: { code, ...clear } });
    }
    expect(daemon.child.exitCode).toBeNull();
  },
);
