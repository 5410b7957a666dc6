import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openUserFolder, userFolder } from "./user-folder.js";

const isWindows = process.platform === "win32";
const nobody = 65_534;

function makeHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "galley-home-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const own = process.geteuid?.();
const person = (home: string, uid = own) => ({ platform: "linux", env: {}, home, uid });

/** Who asks when `folder` belongs to somebody else: root gives it away, another user asks as if they were not its owner. */
function askerOf(folder: string): number {
  if (own !== 0) return (own ?? 0) + 1;
  chownSync(folder, nobody, nobody);
  return own;
}

function openCache(home: string, uid = own): string {
  const opened = openUserFolder("cache", "compile", person(home, uid));
  return "folder" in opened ? opened.folder : opened.problem;
}

const places = [
  ["linux", {}, "cache", "/home/a/.cache", ["galley"]],
  ["linux", {}, "state", "/home/a/.local/state", ["galley"]],
  ["linux", { XDG_CACHE_HOME: "/big/cache" }, "cache", "/big/cache", ["galley"]],
  ["linux", { XDG_STATE_HOME: "relative" }, "state", "/home/a/.local/state", ["galley"]],
  ["darwin", {}, "cache", "/home/a/Library/Caches", ["galley"]],
  ["darwin", {}, "state", "/home/a/Library/Application Support", ["galley"]],
  ["win32", { LOCALAPPDATA: "/local" }, "cache", "/local", ["galley", "Cache"]],
  ["win32", { LOCALAPPDATA: "/local" }, "state", "/local", ["galley", "State"]],
] as const;

test.each(places)(
  "on %s with %j the %s is in the place that the system has for it",
  (platform, env, kind, base, names) => {
    expect(userFolder(kind, { platform, env, home: "/home/a", uid: 1 })).toEqual({ base, names });
  },
);

test("folders of one's own are made for their owner alone; one that others may read is closed", () => {
  const home = makeHome();
  mkdirSync(join(home, ".cache", "galley"), { recursive: true, mode: 0o755 });
  expect(openCache(home)).toBe(join(home, ".cache", "galley", "compile"));
  for (const path of ["galley", "galley/compile"]) {
    expect(lstatSync(join(home, ".cache", path)).mode & 0o777).toBe(isWindows ? 0o666 : 0o700);
  }
});

test.skipIf(isWindows)("a link of one's own is followed to where it leads, and that is checked as well", () => {
  const home = makeHome();
  const elsewhere = makeHome();
  symlinkSync(elsewhere, join(home, ".cache"));
  expect(openCache(home)).toBe(join(elsewhere, "galley", "compile"));
  chmodSync(elsewhere, 0o777);
  expect(openCache(home)).toBe(`Other users can write into ${elsewhere}.`);
});

test.skipIf(isWindows)("a folder in which others can rename things is refused, a sticky one is not", () => {
  const home = makeHome();
  for (const mode of [0o777, 0o770, 0o702]) {
    chmodSync(home, mode);
    expect(openCache(home)).toBe(`Other users can write into ${home}.`);
  }
  chmodSync(home, 0o1777);
  expect(openCache(home)).toBe(join(home, ".cache", "galley", "compile"));
});

const parts = [".cache", ".cache/galley", ".cache/galley/compile"];

test.skipIf(isWindows).each(parts)("%s that belongs to another user is refused", (part) => {
  const home = makeHome();
  // Sticky and open to all, so that only the owner of what is in it says who made it.
  chmodSync(home, 0o1777);
  mkdirSync(join(home, part), { recursive: true, mode: 0o755 });
  const uid = askerOf(join(home, part));
  // As root the folder that was given away, else the first one on the way, which is not the asker's.
  expect(openCache(home, uid)).toBe(
    own === 0
      ? `${join(home, part)} belongs to another user (${nobody}).`
      : `${home} belongs to another user (${own}).`,
  );
});

test.skipIf(isWindows)(
  "a folder of one's own into which others could write before is refused, even if it is sticky",
  () => {
    for (const mode of [0o777, 0o1777]) {
      const home = makeHome();
      const folder = join(home, ".cache", "galley");
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, mode);
      expect(openCache(home)).toBe(`Other users can write into ${folder}.`);
    }
  },
);

test("what cannot be made is a reason and never an error; a home that does not exist is not made", () => {
  const home = makeHome();
  expect(openCache(join(home, "missing"))).toContain("ENOENT");
  expect(existsSync(join(home, "missing"))).toBe(false);
  expect(openCache("")).toBe("The home folder is unknown.");
  writeFileSync(join(home, ".cache"), "a file");
  expect(openCache(home)).toBe(`${join(home, ".cache")} is not a folder.`);
  if (isWindows) return;
  rmSync(join(home, ".cache"));
  symlinkSync(".cache", join(home, ".cache"));
  expect(openCache(home)).toContain("too many links");
});
