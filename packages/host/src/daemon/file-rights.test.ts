import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { smallAgent } from "./testing/temp-agent-host.ts";
import { galleyProcess, testClient, testDaemon, testFolder } from "./testing/temp-daemon.ts";
import { checkRights, noteFile, readNote } from "./client/data-owner.ts";
import { findDaemon } from "./client/running-daemon.ts";

const isPosix = process.platform !== "win32";

/** Everything below a folder that somebody else on the machine has a right to. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => (lstatSync(file).mode & 0o077) !== 0);
}

/** Lets a daemon write everything that it writes: chats, archives, files, presets, runs, canvases, notes, locks, logs. */
async function useEverything(data: string): Promise<void> {
  const own = await testDaemon({ galley: { data, config: { agents: [smallAgent()] } } });
  const image = { type: "image", image: Buffer.from("png").toString("base64"), mediaType: "image/png" } as const;
  const messages = [
    { role: "user", content: [image] },
    { role: "assistant", content: "It is a lamp." },
  ] as const;
  await own.call("chats.add", { params: { key: "a" }, body: { messages: [...messages] } });
  await own.call("chats.new", { params: { key: "a" }, body: {} });
  await own.call("chats.search", { params: { key: "a" }, query: { q: "lamp" } });
  await own.call("chats.settings", { params: { key: "a" }, body: { model: "demo" } });
  await own.call("presets.save", { params: { id: "p" }, body: { preset: { presetMessages: [] }, expectedVersion: 0 } });
  await own.events("runs.start", { body: { chat: "a", input: "Say something." } });
  await own.call("agents.start", { params: { name: "mara" } });
  const secrets = Object.entries(own.daemon.galley.redactor.secrets());
  const token = secrets.find(([key]) => key.startsWith("token:mara"))?.[1] ?? "";
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const call = { jsonrpc: "2.0", id: 1, method: "canvas.update", params: { html: "<p>x</p>" } };
  expect((await fetch(`${own.url}/rpc`, { method: "POST", headers, body: JSON.stringify(call) })).status).toBe(200);
  const found = readdirSync(data, { recursive: true }).map(String);
  const wanted = [
    /history\.jsonl$/,
    /active\.jsonl$/,
    /archive.c_/,
    /index\.json$/,
    /search\.sqlite/,
    /files.\w+\.png$/,
  ];
  const more = [/presets.p.v/, /galley\.sqlite$/, /-wal$/, /daemon\.log/, /canvas.*\.json/, /\.running/, /ticket-/];
  expect([...wanted, ...more].filter((name) => !found.some((file) => name.test(file)))).toEqual([]);
  expect(openToOthers(data)).toEqual([]);
  await own.daemon.close();
  expect(openToOthers(data)).toEqual([]);
}

describe.skipIf(!isPosix)("[P6] no other user of the machine reads what is written", () => {
  test.each([0o000, 0o022, 0o077])("with the umask %o, in a folder that is there and open to all", async (mask) => {
    const before = process.umask(mask);
    onTestFinished(() => void process.umask(before));
    const data = join(testFolder(), "data");
    mkdirSync(data);
    chmodSync(data, 0o777);
    await useEverything(data);
    // The folder is the user's own choice; that others may write into it is said.
    expect(lstatSync(data).mode & 0o777).toBe(0o777);
  });

  test("a folder into which others may write is told of in the log", async () => {
    const data = join(testFolder(), "data");
    mkdirSync(data);
    chmodSync(data, 0o770);
    const own = await testDaemon({ galley: { data } });
    await own.daemon.close();
    expect(own.log()).toContain("may write into");
    chmodSync(data, 0o755);
    const again = await testDaemon({ galley: { data } });
    await again.daemon.close();
    expect(again.log().match(/may write into/g)).toHaveLength(1);
  });

  test("and by galley up and galley doctor, with what to do", async () => {
    const data = join(testFolder(), "data");
    mkdirSync(data);
    chmodSync(data, 0o770);
    const warning = `warning: Other users of this machine may write into ${data} (its mode is 770).`;
    const up = galleyProcess(["up", "--port", "0", "--empty", "--data", data]);
    await expect.poll(() => up.printed()).toContain(warning);
    up.child.kill("SIGTERM");
    expect(await up.exited).toBe(0);
    const doctor = galleyProcess(["doctor", "--data", data]);
    expect(await doctor.exited).toBe(0);
    expect(doctor.printed()).toContain(warning);
    expect(doctor.printed()).toContain(`chmod 700 ${data}`);
  });
});

test.skipIf(!isPosix)("a place that keeps no rights is refused, and what to do is said", () => {
  // So FAT disks, shares and Windows' disks in WSL show a file that was made with 600.
  for (const mode of [0o100777, 0o100755, 0o100644]) {
    expect(() => checkRights(mode, "/mnt/c/daemon.json")).toThrow(
      expect.objectContaining({
        code: "StorageFailed",
        path: "/mnt/c/daemon.json",
        message: expect.stringContaining((mode & 0o777).toString(8)) as string,
        hint: expect.stringContaining("--data") as string,
      }) as Error,
    );
  }
  checkRights(0o100600, "/home/ines/daemon.json");
});

/** A process of this user that lives as long as the test, for notes to name. */
function someProcess(): ChildProcess {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

describe("[P6] a data folder that somebody else has packed does not lead commands to them", () => {
  test.each([
    { name: "to another machine", url: "http://evil.example:80", mode: 0o600 },
    { name: "to another machine by a name that looks like ours", url: "http://127.0.0.1:80@evil.example", mode: 0o600 },
    { name: "to an address with a path", url: "http://127.0.0.1:80/evil", mode: 0o600 },
    ...(isPosix ? [{ name: "by a file that a checkout made", url: "", mode: 0o644 }] : []),
  ])("$name", async ({ url, mode }) => {
    const real = await testDaemon();
    const data = testFolder();
    const note = { ...readNote(real.data), ...(url === "" ? {} : { url, pid: someProcess().pid }) };
    writeFileSync(noteFile(data), JSON.stringify(note), { mode });
    expect(readNote(data)).toBeUndefined();
    expect(await findDaemon(data)).toBeUndefined();
    // The same note is good where it is ours.
    expect(await findDaemon(real.data)).toMatchObject({ url: real.url });
    expect((await testClient(real).get("/api/info")).status).toBe(200);
  });
});

test.skipIf(!isPosix)("a note that cannot be looked at is said, with its path", async () => {
  const data = testFolder();
  // The system refuses a link to itself even to those who may read everything.
  symlinkSync(noteFile(data), noteFile(data));
  await expect(findDaemon(data)).rejects.toMatchObject({ code: "UnsafePath", path: noteFile(data) });
});
