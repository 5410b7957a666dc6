import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { defaultPreset } from "../src/presets/preset-library.ts";
import { folderLock } from "../src/disk/folder-lock.ts";
import { addProfiles } from "../src/daemon/testing/add-profiles.ts";
import { type DaemonProcess, daemonProcess, galleyProcess } from "../src/daemon/testing/temp-daemon.ts";
import { openStore } from "../src/store/open-store.ts";
import { claimFault, isThorough } from "./claim-fault.ts";
import { noMount, smallDisk } from "./small-disk.ts";

const rounds = isThorough ? 10 : 1;

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** One request for each thing that a client can have stored; longer than what a last page of a file has left. */
function writes(daemon: DaemonProcess, name: string): Readonly<Record<string, () => Promise<Answered>>> {
  const message = { role: "user", content: `said ${name} ${"x".repeat(9000)}` };
  const preset = { ...defaultPreset, name: "y".repeat(3000) };
  const entries = Array.from({ length: 20 }, (_, n) => ({
    id: `${name}-${n}`,
    ts: 1,
    type: "custom",
    text: "z".repeat(300),
  }));
  return {
    chat: () => daemon.answer("chats.add", { params: { key: "talk" }, body: { messages: [message] } }),
    newChat: () => daemon.answer("chats.add", { params: { key: name }, body: { messages: [message] } }),
    preset: () => daemon.answer("presets.save", { params: { id: name }, body: { preset, expectedVersion: 0 } }),
    session: () => daemon.answer("sessions.import", { params: { id: name }, body: { entries } }),
    task: () => daemon.answer("tasks.start", { body: { profile: "helper", instruction: "w".repeat(3000) } }),
    settings: () => daemon.answer("chats.settings", { params: { key: "talk" }, body: { preset: "u".repeat(4500) } }),
  };
}

async function runOf(daemon: DaemonProcess, name: string): Promise<unknown> {
  const body = { chat: name, input: `say 20 words ${"v".repeat(2000)}`, runId: name };
  return (await daemon.events("runs.start", { body }).catch((error: unknown) => [{ data: error }])).at(-1)?.data;
}

const clear = {
  code: "StorageFailed",
  path: expect.any(String) as string,
  hint: expect.any(String) as string,
};

/** Everything is refused with a clear error, and what needs no disk is answered as before. */
async function expectRefused(daemon: DaemonProcess, name: string): Promise<void> {
  const answers: (readonly [string, Answered])[] = [];
  for (const [what, write] of Object.entries(writes(daemon, name))) answers.push([what, await write()]);
  // SQLite may still have room inside of its log; then it is taken, and stays.
  const isTaken = ([what, { status }]: (typeof answers)[number]): boolean =>
    status < 300 && (what === "session" || what === "task");
  const refused = answers.filter((answer) => !isTaken(answer));
  expect(refused).toMatchObject(refused.map(([what]) => [what, { status: 500, body: clear }]));
  expect(refused.length).toBeGreaterThanOrEqual(3);
  expect(await runOf(daemon, name)).toMatchObject({ type: "run:failed", error: clear });
  expect((await daemon.call("info.get")).pid).toBe(daemon.child.pid);
  expect((await daemon.call("chats.transcript", { params: { key: "talk" } })).messages.length).toBeGreaterThan(0);
}

async function expectTaken(daemon: DaemonProcess, name: string): Promise<void> {
  for (const [what, write] of Object.entries(writes(daemon, name))) {
    const { status, body } = await write();
    expect([what, status < 300, body]).toMatchObject([what, true, {}]);
  }
  expect(await runOf(daemon, name)).toMatchObject({ type: "run:finished" });
}

test(
  "[W10] the disk of a daemon is full, and has room again",
  { timeout: 60_000 + rounds * 60_000 },
  async ({ task, skip }) => {
    claimFault(task, {
      area: "full disk",
      fault: "the disk of a running daemon is full (a tmpfs), and has room again",
      holds:
        "each request that there is no room for gets StorageFailed with path and hint, reading goes on, the daemon stays; with room again everything works, nothing acknowledged is lost, runs end",
      rounds,
    });
    const disk = smallDisk(6000);
    if (!disk) return skip(noMount);
    const data = join(disk.folder, "data");
    await addProfiles(data, ["helper"]);
    const daemon = await daemonProcess({ data });
    await expectTaken(daemon, "before");
    for (let round = 0; round < rounds; round += 1) {
      disk.fill();
      await expectRefused(daemon, `full-${round}`);
      disk.free();
      await expectTaken(daemon, `free-${round}`);
    }
    const { messages } = await daemon.call("chats.transcript", { params: { key: "talk" }, query: { limit: 1000 } });
    const names = messages.map(({ content }) => JSON.stringify(content).split(" ")[1]);
    expect(names).toEqual(["before", ...Array.from({ length: rounds }, (_, round) => `free-${round}`)]);
    await expect
      .poll(async () => (await daemon.call("runs.list", { query: { status: "running" } })).runs, { timeout: 60_000 })
      .toEqual([]);
    expect(await daemon.end("SIGTERM")).toBe(0);
    const told = daemon.printed().split("daemon.log cannot be written").length - 1;
    expect(told).toBeLessThanOrEqual(rounds);
    const log = readFileSync(join(data, "daemon.log"), "utf8")
      .split("\n")
      .filter((line) => line !== "");
    // A line that the full disk has cut is alone in being cut.
    const cut = log.filter((line) => !line.endsWith("}"));
    expect(cut.length).toBeLessThanOrEqual(told);
    expect(log.at(-1)).toContain("daemon:stopped");
  },
);

test(
  "[W10] a daemon that starts on a full disk says so, and leaves nothing behind",
  { timeout: 120_000 },
  async ({ task, skip }) => {
    claimFault(task, {
      area: "full disk",
      fault: "a daemon starts on a full disk (a tmpfs), in a new folder and in one that was used",
      holds: "StorageFailed with path and hint, exit code 1, no lock and no draft left; with room again it starts",
      rounds: 2,
    });
    const disk = smallDisk(6000);
    if (!disk) return skip(noMount);
    for (const name of ["new", "new"]) {
      const data = join(disk.folder, name);
      disk.fill();
      const failed = galleyProcess(["up", "--json", "--port", "0", "--data", data]);
      expect(await failed.exited).toBe(1);
      expect(JSON.parse(failed.printed())).toMatchObject({ error: clear });
      const left = existsSync(data) ? readdirSync(data, { recursive: true }).map(String) : [];
      expect(left.filter((file) => /held|ticket|\.tmp$|daemon\.json/.test(file))).toEqual([]);
      disk.free();
      const daemon = await daemonProcess({ data });
      await daemon.call("chats.add", {
        params: { key: "demo" },
        body: { messages: [{ role: "user", content: "hello" }] },
      });
      expect(await daemon.end("SIGTERM")).toBe(0);
    }
  },
);

test("[W10] a lock whose ticket has no room on the disk is held by nobody", async ({ task, skip }) => {
  claimFault(task, {
    area: "full disk",
    fault: "a lock is taken on a full disk (a tmpfs)",
    holds: "StorageFailed; no empty ticket is left that another process would take for one of the dead",
    rounds: 1,
  });
  const disk = smallDisk(1000);
  if (!disk) return skip(noMount);
  const folder = join(disk.folder, ".lock");
  mkdirSync(folder);
  disk.fill();
  const lock = folderLock(folder, { patience: 1000 });
  const work = (): Promise<string> => Promise.resolve("held");
  // Twice: the second time would find what the first one has left.
  for (let times = 0; times < 2; times += 1) await expect(lock.hold(work)).rejects.toMatchObject(clear);
  expect(readdirSync(folder)).toEqual([]);
  disk.free();
  expect(await lock.hold(work)).toBe("held");
  await lock.close();
});

test(
  "[W10] a daemon that starts on a read-only disk says why it cannot",
  { timeout: 120_000 },
  async ({ task, skip }) => {
    claimFault(task, {
      area: "disks that fail",
      fault: "a daemon starts on a read-only disk (a tmpfs, remounted), in a new folder and in one that was used",
      holds: "StorageFailed with path and hint, exit code 1; writable again, it starts and everything is there",
      rounds: 2,
    });
    const disk = smallDisk(6000);
    if (!disk) return skip(noMount);
    const data = join(disk.folder, "data");
    for (const told of [0, 1]) {
      disk.protect(true);
      const failed = galleyProcess(["up", "--json", "--port", "0", "--data", data]);
      expect(await failed.exited).toBe(1);
      expect(JSON.parse(failed.printed())).toMatchObject({ error: clear });
      disk.protect(false);
      const daemon = await daemonProcess({ data });
      const params = { key: "talk" };
      expect((await daemon.call("chats.list")).chats).toHaveLength(told);
      await daemon.call("chats.add", { params, body: { messages: [{ role: "user", content: "hello" }] } });
      expect((await daemon.call("chats.transcript", { params })).messages).toHaveLength(told + 1);
      expect(await daemon.end("SIGTERM")).toBe(0);
    }
  },
);

test(
  "a data folder where nothing can be made gets a clear error, and no wait without end",
  { timeout: 120_000 },
  async ({ task, skip }) => {
    if (!existsSync("/proc/self")) skip("needs /proc");
    claimFault(task, {
      area: "disks that fail",
      fault: "a data folder is named below /proc, where Node tries for ever to make one, or where a file stands",
      holds: "StorageFailed with path and hint at once, exit code 1",
      rounds: 2,
    });
    for (const data of ["/proc/galley-data", fileURLToPath(import.meta.url)]) {
      const failed = galleyProcess(["up", "--json", "--port", "0", "--data", data]);
      expect(await failed.exited).toBe(1);
      expect(JSON.parse(failed.printed())).toMatchObject({ error: clear });
      await expect(openStore({ data })).rejects.toMatchObject(clear);
    }
  },
);
