import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openChat } from "../src/chat/open-chat.ts";
import { readNote } from "../src/daemon/client/data-owner.ts";
import { type DaemonProcess, daemonProcess, testFolder } from "../src/daemon/testing/temp-daemon.ts";
import { openGalley } from "../src/galley/open-galley.ts";
import { defaultPreset } from "../src/presets/preset-library.ts";
import { claimFault } from "./claim-fault.ts";

interface Answered {
  readonly status: number;
  readonly body: unknown;
}

/** One request for each thing that a client can have stored. */
function writes(daemon: DaemonProcess): Readonly<Record<string, () => Promise<Answered>>> {
  const messages = [{ role: "user", content: "where does this go?" }];
  const entries = [{ id: "late", ts: 1, type: "custom", text: "x" }];
  return {
    chat: () => daemon.answer("chats.add", { params: { key: "talk" }, body: { messages } }),
    newChat: () => daemon.answer("chats.add", { params: { key: "other" }, body: { messages } }),
    newContext: () => daemon.answer("chats.new", { params: { key: "talk" }, body: { title: "lunch" } }),
    settings: () => daemon.answer("chats.settings", { params: { key: "talk" }, body: { model: "demo" } }),
    preset: () =>
      daemon.answer("presets.save", { params: { id: "p" }, body: { preset: defaultPreset, expectedVersion: 0 } }),
    session: () => daemon.answer("sessions.import", { params: { id: "s" }, body: { entries } }),
  };
}

async function exitOf({ child }: DaemonProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  return new Promise((resolve) => child.once("exit", resolve));
}

const clear = { code: "StorageFailed", path: expect.any(String) as string, hint: expect.any(String) as string };
const began = { role: "user", content: "before" } as const;
const move = (data: string): void => renameSync(data, `${data}-moved`);

test.for([
  { name: "moved away", doTo: move, left: undefined },
  { name: "deleted", doTo: (data: string) => rmSync(data, { recursive: true }), left: undefined },
  {
    name: "replaced by an empty one",
    doTo: (data: string) => {
      move(data);
      mkdirSync(data);
    },
    left: [],
  },
])(
  "[W10b] the data folder of a daemon is $name: no write is acknowledged, and the daemon ends",
  { timeout: 120_000 },
  async ({ doTo, left }, { task }) => {
    claimFault(task, {
      area: "disks that fail",
      fault: "the data folder of a running daemon is moved, deleted or replaced by another one",
      holds:
        "every write is answered with StorageFailed or cut off, nothing is made in its place, the daemon ends with an error",
      rounds: 3,
    });
    const daemon = await daemonProcess();
    const { data } = daemon;
    await daemon.call("chats.add", { params: { key: "talk" }, body: { messages: [began] } });
    doTo(data);
    // It ends itself after a second: what comes later finds nothing that answers, on a slow machine all of it.
    const sent = Object.entries(writes(daemon)).map(async ([what, write]) => [what, await write().catch(() => "cut")]);
    const answered = (await Promise.all(sent)).filter(([, answer]) => answer !== "cut");
    expect(answered).toMatchObject(answered.map(([what]) => [what, { status: 500, body: clear }]));
    expect(await exitOf(daemon)).toBe(1);
    expect(daemon.printed()).toMatch(/moved, deleted or replaced/);
    expect(existsSync(data) ? readdirSync(data) : undefined).toEqual(left);
  },
);

test("[W10b] the folder is moved away, and another daemon starts in its place: the first one ends, and leaves it alone", async ({
  task,
}) => {
  claimFault(task, {
    area: "disks that fail",
    fault: "the data folder of a running daemon is moved away, and another daemon starts in its place",
    holds:
      "the first one ends without taking the second one's note or lock; what the first had kept is in the moved folder",
    rounds: 1,
  });
  const first = await daemonProcess();
  const { data } = first;
  await first.call("chats.add", { params: { key: "talk" }, body: { messages: [began] } });
  // Stopped, so that the second one is there before the first one looks.
  first.child.kill("SIGSTOP");
  move(data);
  const second = await daemonProcess({ data });
  await second.call("chats.add", { params: { key: "new" }, body: { messages: [began] } });
  first.child.kill("SIGCONT");
  expect(await exitOf(first)).toBe(1);
  expect(readNote(data)).toMatchObject({ pid: second.child.pid, token: second.token });
  expect(readdirSync(join(data, "daemon.lock"))).toContain("held");
  await second.call("chats.add", { params: { key: "new" }, body: { messages: [began] } });
  expect((await second.call("chats.list")).chats.map(({ key }) => key)).toEqual(["new"]);
  await second.end("SIGTERM");
  rmSync(data, { recursive: true });
  renameSync(`${data}-moved`, data);
  const third = await daemonProcess({ data });
  expect((await third.call("chats.transcript", { params: { key: "talk" } })).messages).toHaveLength(1);
});

test("[W10b] as a library: no write of an open folder is acknowledged while it is away, and all are when it is back", async () => {
  const data = join(testFolder(), "data");
  const galley = await openGalley({ data, config: false });
  const chat = await galley.chats.open("talk");
  await chat.append([began]);
  const ref = { projectId: galley.project, sessionId: "s" };
  const all: Readonly<Record<string, () => Promise<unknown>>> = {
    chat: () => chat.append([began]),
    otherChat: async () => (await galley.chats.open("other")).append([began]),
    settings: () => galley.chats.configure("talk", { model: "demo" }),
    context: () => chat.newContext({ title: "lunch" }),
    preset: () => galley.presets.save("p", { preset: defaultPreset, expectedVersion: 0 }),
    session: () => galley.store.sessions.append(ref, [{ id: "e", ts: 1, type: "custom" }]),
    run: () => galley.run({ chat: "talk", input: "hello", model: "demo" }).result,
  };
  for (const replace of [false, true]) {
    move(data);
    if (replace) mkdirSync(data);
    for (const [what, write] of Object.entries(all)) {
      expect([what, await write().catch((error: unknown) => error)]).toMatchObject([what, { code: "StorageFailed" }]);
    }
    expect(existsSync(data) ? readdirSync(data) : undefined).toEqual(replace ? [] : undefined);
    if (replace) rmSync(data, { recursive: true });
    renameSync(`${data}-moved`, data);
  }
  for (const write of Object.values(all)) await write();
  // Nothing that was refused is there: "before" twice, the second one was acknowledged when the folder was back.
  expect(chat.transcript().messages.filter(({ content }) => content === began.content)).toHaveLength(2);
  await galley.close();
});

test("[W10b] a chat that was opened alone, and has written: not into another folder either", async () => {
  const data = join(testFolder(), "data");
  const chat = await openChat(data, "talk");
  await chat.append([began]);
  move(data);
  await expect(chat.append([began])).rejects.toMatchObject({ code: "StorageFailed" });
  mkdirSync(data);
  await expect(chat.append([began])).rejects.toMatchObject({ code: "StorageFailed" });
  expect(readdirSync(data)).toEqual([]);
  await chat.close();
  // Closed: whatever is there now may be opened.
  const next = await openChat(data, "talk");
  await next.append([began]);
  expect(next.transcript().messages).toHaveLength(1);
  await next.close();
});
