import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { launcher } from "../../../../scripts/launcher.ts";
import { slowModel } from "../models/testing/slow-model.ts";
import { daemonProcess } from "../daemon/testing/temp-daemon.ts";
import { isAlive } from "../daemon/client/running-daemon.ts";

const helper = JSON.stringify(new URL("../../bin/run-program.js", import.meta.url).href);
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-signals-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Started {
  readonly child: ChildProcess;
  readonly printed: { out: string; err: string };
  /** The first line of its output. */
  readonly first: Promise<string>;
  readonly ended: Promise<readonly [number | null, NodeJS.Signals | null]>;
}

function start(program: string, args: readonly string[]): Started {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { out: "", err: "" };
  child.stdout.on("data", (piece) => (printed.out += String(piece)));
  child.stderr.on("data", (piece) => (printed.err += String(piece)));
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const first = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    void ended.then((end) => reject(new Error(`It ended (${end.join()}): ${printed.err}`)));
  });
  first.catch(() => undefined);
  return { child, printed, first, ended };
}

/** A Node of this machine, beside the project's own, that is too old for the command. */
function olderNode(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return folders
    .map((folder) => join(folder, "node"))
    .find((node) => {
      const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
      return /^v(?:1\d|2[0-3])\./.test(stdout ?? "");
    });
}

test.for(signals)(
  "%s to a command that was started with an older Node ends the daemon in good order",
  async (signal, { skip }) => {
    const node = olderNode();
    if (node === undefined) return skip("needs an older Node on the PATH, beside the project's own");
    const { child, first, ended } = start(node, [
      launcher,
      "up",
      "--json",
      "--empty",
      "--port",
      "0",
      "--data",
      makeFolder(),
    ]);
    const { pid } = JSON.parse(await first) as { readonly pid: number };
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
    expect(isAlive(pid)).toBe(false);
  },
);

/** A process that runs `program` through our helper; the program prints its process id when it is ready. */
function startThrough(name: "become" | "runProgram", program: string): Started {
  const child = JSON.stringify(["-e", `${program}; console.log(process.pid)`]);
  const call =
    name === "become"
      ? `await become(process.execPath, ${child})`
      : `endAs(await runProgram(process.execPath, ${child}))`;
  const script = `import { become, endAs, runProgram } from ${helper}; ${call}`;
  return start(process.execPath, ["--input-type=module", "-e", script]);
}

test.each(signals)(
  "%s reaches a program that runs as a child, and the parent ends by the same signal",
  async (signal) => {
    const { child, first, ended } = startThrough("runProgram", "setInterval(() => {}, 1000)");
    const pid = Number(await first);
    expect(pid).not.toBe(child.pid);
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(isAlive(pid)).toBe(false);
  },
);

test("a program that ends by itself, or takes a signal its own way, gives its exit code", async () => {
  expect(await startThrough("runProgram", "process.exitCode = 7").ended).toEqual([7, null]);
  const { child, first, ended } = startThrough(
    "runProgram",
    "setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(3))",
  );
  await first;
  child.kill("SIGTERM");
  expect(await ended).toEqual([3, null]);
});

test.skipIf(process.platform === "win32")(
  "a Node that can become another program does, so that there is one process",
  async () => {
    const { child, first, ended } = startThrough("become", "setInterval(() => {}, 1000)");
    expect(Number(await first)).toBe(child.pid);
    child.kill("SIGHUP");
    expect(await ended).toEqual([null, "SIGHUP"]);
  },
);

test.each(["in a process of its own", "in the daemon"])(
  "Ctrl+C of a run %s: exit code 130 and one message",
  async (where) => {
    const config = makeFolder();
    const data = join(config, "data");
    writeFileSync(join(config, "galley.config.json"), JSON.stringify((await slowModel()).config));
    if (where === "in the daemon") await daemonProcess({ data, args: ["--config", config] });
    const args = ["run", "Hello", "--chat", "tea", "--config", config, "--data", data];
    const { child, printed, ended } = start(process.execPath, [launcher, ...args]);
    await expect.poll(() => printed.out).toContain("First");
    child.kill("SIGINT");
    // A parent that passes signals on, as npm does, sends what the terminal has sent already.
    setTimeout(() => child.kill("SIGINT"), 30);
    expect(await ended).toEqual([130, null]);
    const [told, ...others] = printed.err.split("\n").filter((line) => line !== "" && !line.startsWith("[call "));
    expect([told, others]).toEqual(["error RunAborted: Stopped by SIGINT.", []]);
  },
);
