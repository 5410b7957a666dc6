import {
  chmodSync,
  cpSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { browserFile } from "./browser-file.ts";
import { BrowserSessions } from "./browser-sessions.ts";
import { testFolder } from "../testing/temp-daemon.ts";

const day = 24 * 60 * 60 * 1000;
const isWindows = process.platform === "win32";
let now = Date.now();
let state = "";
let data = "";
beforeEach(() => {
  now = Date.now();
  state = testFolder();
  vi.stubEnv("XDG_STATE_HOME", state);
  onTestFinished(() => void vi.unstubAllEnvs());
  data = join(testFolder(), "data");
  mkdirSync(data);
});

function open(folder = data): BrowserSessions {
  const browsers = new BrowserSessions({ file: browserFile(folder), clock: () => now });
  onTestFinished(() => browsers.close());
  return browsers;
}

const files = (): readonly string[] => readdirSync(join(state, "galley", "browsers"));

test("[P7] browsers stay signed in over restarts, for 30 days, and only digests of their cookies are written", async () => {
  const before = open();
  const cookie = await before.signIn("Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0");
  // Not closed: a process that is killed closes nothing.
  const after = open();
  expect(after.cookieName).toBe(before.cookieName);
  expect(after.find(cookie)?.id).toBe(before.find(cookie)?.id);
  expect(after.list()).toMatchObject([
    { name: "Firefox 144", system: "Linux", signedInAt: now, endsAt: now + 30 * day },
  ]);
  const [name = ""] = files();
  const { dev, ino } = statSync(data, { bigint: true });
  expect(files()).toEqual([`${dev}-${ino}.json`]);
  const file = join(state, "galley", "browsers", name);
  expect(readFileSync(file, "utf8")).not.toContain(cookie);
  const modes = [file, join(file, ".."), join(file, "..", "..")].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual(isWindows ? [0o666, 0o666, 0o666] : [0o600, 0o700, 0o700]);
  expect(readdirSync(data)).toEqual([]);
  now += 30 * day;
  expect(after.find(cookie)).toBeUndefined();
  expect([after.list(), open().list()]).toEqual([[], []]);
});

test("[P7] a browser that is signed out stays out after a restart, and hears of it at once", async () => {
  const browsers = open();
  const [first, second, third] = [await browsers.signIn("a"), await browsers.signIn("b"), await browsers.signIn("c")];
  const { id = "", signedOut } = browsers.find(first) ?? {};
  expect(await browsers.signOut((session) => session.id === id)).toBe(1);
  expect(signedOut?.aborted).toBe(true);
  expect(browsers.find(second)?.signedOut.aborted).toBe(false);
  expect([first, second, third].map((cookie) => open().find(cookie) !== undefined)).toEqual([false, true, true]);
  expect(await browsers.signOut(({ name }) => name !== "c")).toBe(1);
  expect([first, second, third].map((cookie) => open().find(cookie) !== undefined)).toEqual([false, false, true]);
});

test("[P7] a browser that comes by another link has one place in the list, and its old cookie is no longer good", async () => {
  const browsers = open();
  const first = await browsers.signIn("a");
  const { id, signedOut } = browsers.find(first) ?? {};
  now += day;
  const second = await browsers.signIn("a", first);
  expect(browsers.list()).toMatchObject([{ id, signedInAt: now, endsAt: now + 30 * day }]);
  expect(browsers.find(first)).toBeUndefined();
  expect(signedOut?.aborted).toBe(false);
  await browsers.signOut(() => true);
  expect([browsers.find(second), signedOut?.aborted]).toEqual([undefined, true]);
});

test("[P7] a data folder that was copied, or made again at the same place, brings no browser in; one that was moved does", async () => {
  const cookie = await open().signIn("a");
  const copy = join(testFolder(), "copy");
  cpSync(data, copy, { recursive: true, preserveTimestamps: true });
  expect(open(copy).find(cookie)).toBeUndefined();
  const moved = join(data, "..", "moved");
  renameSync(data, moved);
  expect(open(moved).find(cookie)).toBeDefined();
  rmSync(moved, { recursive: true });
  mkdirSync(moved);
  expect(open(moved).find(cookie)).toBeUndefined();
});

test("[P7] a new data folder that gets the inode of a deleted one does not get its browsers", async () => {
  const cookie = await open().signIn("a");
  const [name = ""] = files();
  const file = join(state, "galley", "browsers", name);
  const saved = JSON.parse(readFileSync(file, "utf8")) as { readonly born: string };
  writeFileSync(file, JSON.stringify({ ...saved, born: String(BigInt(saved.born) - 1n) }));
  expect(open().find(cookie)).toBeUndefined();
});

test.skipIf(isWindows)(
  "[P7] where others could change the place, browsers are kept in memory only, and it says why",
  async () => {
    const cases: readonly (readonly [string, () => void])[] = [
      [`Other users can write into ${state}.`, () => chmodSync(state, 0o777)],
      [
        `Other users can write into ${join(state, "galley", "browsers")}.`,
        () => chmodSync(join(state, "galley", "browsers"), 0o770),
      ],
      [`is not a file.`, () => swapForLink()],
      [`Other users may use ${join(state, "galley", "browsers")}`, () => eachFile((file) => chmodSync(file, 0o644))],
    ];
    for (const [problem, spoil] of cases) {
      rmSync(join(state, "galley"), { recursive: true, force: true });
      chmodSync(state, 0o700);
      const kept = await open().signIn("kept");
      spoil();
      const browsers = open();
      expect(browsers.problem).toContain(problem);
      expect(browsers.find(kept)).toBeUndefined();
      const cookie = await browsers.signIn("here");
      expect([browsers.find(cookie) !== undefined, open().find(cookie)]).toEqual([true, undefined]);
    }
  },
);

test("[P7] a state folder below the data folder is not used: the one would travel with the other", async () => {
  vi.stubEnv("XDG_STATE_HOME", join(data, "state"));
  const browsers = open();
  expect(browsers.problem).toContain("would be inside of the data folder");
  const cookie = await browsers.signIn("a");
  expect([browsers.find(cookie) !== undefined, open().find(cookie)]).toEqual([true, undefined]);
});

test("[P7] a sign-out that cannot be written holds until a restart, and is refused, so that the person knows", async () => {
  const browsers = open();
  const cookie = await browsers.signIn("a");
  const folder = join(state, "galley", "browsers");
  renameSync(folder, `${folder}-away`);
  await expect(browsers.signOut(() => true)).rejects.toMatchObject({ code: "StorageFailed" });
  // A new browser is let in all the same.
  expect(browsers.find(await browsers.signIn("b"))).toBeDefined();
  expect(browsers.find(cookie)).toBeUndefined();
  renameSync(`${folder}-away`, folder);
  expect(open().find(cookie)).toBeDefined();
});

function eachFile(work: (file: string) => void): void {
  for (const name of files()) work(join(state, "galley", "browsers", name));
}

function swapForLink(): void {
  eachFile((file) => {
    renameSync(file, `${state}/elsewhere`);
    symlinkSync(`${state}/elsewhere`, file);
  });
}

test("a damaged file lets no browser in, and the next sign-in replaces it", async () => {
  const cookie = await open().signIn("a");
  for (const text of ["", "{", "null", '{"version":2,"born":"0","sessions":[]}', '{"version":1,"sessions":[{}]}']) {
    eachFile((file) => writeFileSync(file, text));
    expect(open().find(cookie)).toBeUndefined();
  }
  const next = await open().signIn("b");
  expect(open().find(next)).toBeDefined();
});

test("the daemon is looked for where browsers are signed in, and the files of folders that are gone are swept", async () => {
  const browsers = open();
  await browsers.settle(4500);
  expect(open().port).toBeUndefined();
  await browsers.signIn("a");
  expect(open().port).toBe(4500);
  const old = new Date(Date.now() - 31 * day);
  eachFile((file) => utimesSync(file, old, old));
  expect([open().port, files()]).toEqual([undefined, []]);
});
