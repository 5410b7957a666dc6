import { spawnSync } from "node:child_process";
import { chmodSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../../scripts/launcher.ts";

const nobody = 65_534;

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "galley-compile-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the command as a user whose variables name nothing but what the test wants. */
function version(env: Readonly<Record<string, string>>): { readonly out: string; readonly err: string } {
  const { PATH } = process.env;
  const run = spawnSync(process.execPath, [launcher, "--version"], { env: { PATH, ...env }, encoding: "utf8" });
  return { out: run.stdout, err: run.stderr };
}

const answer = { out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as string, err: "" };
const filesIn = (folder: string): string[] => globSync("**/*", { cwd: folder });

test("what was compiled is kept in the user's own cache, and nothing in the folder for everybody's temporary files", () => {
  const [home, temp] = [makeFolder(), makeFolder()];
  expect(version({ HOME: home, USERPROFILE: home, XDG_CACHE_HOME: join(home, "cache"), TMPDIR: temp })).toEqual(answer);
  expect(filesIn(join(home, "cache", "galley", "compile")).length).toBeGreaterThan(1);
  expect(filesIn(temp)).toEqual([]);
});

test("a folder that the user names with NODE_COMPILE_CACHE is used instead", () => {
  const [home, named] = [makeFolder(), makeFolder()];
  const env = { HOME: home, USERPROFILE: home, XDG_CACHE_HOME: join(home, "cache"), NODE_COMPILE_CACHE: named };
  expect(version(env)).toEqual(answer);
  expect(filesIn(named).length).toBeGreaterThan(1);
  expect(filesIn(home)).toEqual([]);
});

test("a cache that another user of the machine has planted is neither read nor written", ({ skip }) => {
  if (process.getuid?.() !== 0) return skip("needs root, to act as another user");
  const open = makeFolder();
  chmodSync(open, 0o1777);
  const plant = `mkdirSync("galley/compile", { recursive: true }); chmodSync("galley", 0o777); chmodSync("galley/compile", 0o777)`;
  const script = `import { chmodSync, mkdirSync } from "node:fs"; ${plant}`;
  const as = { cwd: open, uid: nobody, gid: nobody };
  expect(spawnSync(process.execPath, ["--input-type=module", "-e", script], as).status).toBe(0);
  const home = join(open, "home");
  mkdirSync(home);
  expect(version({ HOME: home, XDG_CACHE_HOME: open, TMPDIR: open })).toEqual(answer);
  expect(filesIn(join(open, "galley"))).toEqual(["compile"]);
  expect(filesIn(open).toSorted()).toEqual(["galley", "galley/compile", "home"]);
});
