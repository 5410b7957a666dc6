import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { isThorough } from "../../faults/claim-fault.ts";
import type { Attack, Attacked } from "./testing/attacked-data-folder.ts";
import { daemonProcess, galleyProcess, testFolder } from "./testing/temp-daemon.ts";
import { useDataFolder } from "./testing/used-data-folder.ts";

const script = fileURLToPath(new URL("testing/attacked-data-folder.ts", import.meta.url));
/** Whatever hangs does so for ever; a slow machine does not need this long. */
const limitMs = 200_000;

/** Plants one thing in the place of each name, in a process that is ended when it hangs. */
async function attack(template: string, what: Attack, names: readonly string[]): Promise<readonly Attacked[]> {
  const place = join(testFolder(), "attacked");
  mkdirSync(place);
  const child = spawn(process.execPath, ["--no-warnings", script, template, place, what, JSON.stringify(names)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  onTestFinished(() => void child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (piece) => (out += String(piece)));
  child.stderr.on("data", (piece) => (err += String(piece)));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  // The last name on standard error is the one at which it hung or fell.
  expect({ code, err: code === 0 ? "" : err.slice(-2000) }).toEqual({ code: 0, err: "" });
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Attacked);
}

/** A name of this kind is only looked at where it is in the way; doctor names links and pipes there, but not folders. */
const isLeftAlone = (name: string): boolean => /\/quarantine\/|lock\/(?:wanted|ticket)|daemon\.log/.test(name);

/** What is wrong with the answers to one attack. */
function faultsOf(
  attack: Attack,
  { name, isFolder, outcomes, isOutsideSame, isStillThere }: Attacked,
): readonly object[] {
  const refused = outcomes.filter(({ code }) => code === "UnsafePath");
  const isNoticed = refused.length > 0 || isLeftAlone(name);
  // A folder in a chat goes with the chat, and so do all its bytes; a link stays, or what it leads to would seem to be gone.
  const isDeleted = attack === "folder" && outcomes.some(({ use, code }) => use === "delete" && code === "ok");
  const answers = outcomes.map(({ use, code }) => `${use}: ${code}`).join(", ");
  return [
    ...(isOutsideSame ? [] : [{ name, fault: "something outside was changed" }]),
    ...(isStillThere || isDeleted ? [] : [{ name, fault: "what was planted is gone", answers }]),
    ...(isNoticed ? [] : [{ name, isFolder, fault: "nothing refused it", answers }]),
    ...outcomes.filter(({ code }) => code === "raw").map((raw) => ({ name, fault: "an error of the system", raw })),
    ...refused
      .filter(({ path = "", hint = "" }) => !path.includes(name) || hint === "")
      .map((answer) => ({ name, fault: "the answer does not name it", answer })),
  ];
}

describe.skipIf(process.platform === "win32")("[W13] a data folder that somebody else has packed", () => {
  let used: Promise<readonly string[]> | undefined;
  const template = join(mkdtempSync(join(tmpdir(), "galley-used-")), "data");
  afterAll(() => rmSync(dirname(template), { recursive: true, force: true }));
  /** The names in a folder that was used once for all attacks; each of them works on copies of it. */
  const usedNames = async (): Promise<readonly string[]> => [
    ...(await (used ??= useDataFolder(template))),
    "chat/a/lock/held",
    "presets/.lock/held",
    "chat/a/lock/wanted",
  ];

  test.each(["link", "pipe", "folder", "device"] as const)(
    "a %s in the place of each of its names is refused, and nothing outside is touched",
    async (what) => {
      const names = await usedNames();
      // A device is planted as a link to it: after all names were tried with links, some are enough here.
      const tried = what === "device" && !isThorough ? names.filter((_, index) => index % 4 === 0) : names;
      const attacked = await attack(template, what, tried);
      expect(attacked.length).toBeGreaterThan(tried.length / 3);
      expect(attacked.flatMap((one) => faultsOf(what, one))).toEqual([]);
    },
  );

  test("the data folder itself may be a link: everything works behind it", async () => {
    await usedNames();
    const [linked] = await attack(template, "root", ["galley.json"]);
    expect(linked?.outcomes.filter(({ code }) => code !== "ok")).toEqual([]);
    expect(linked?.outcomes.length).toBeGreaterThan(15);
  });

  const pipes = [
    "conversations/history.jsonl",
    "contexts/active.jsonl",
    "contexts/index.json",
    "chat.json",
    "lock/held",
  ];

  test("the daemon goes on when a pipe is in a chat, and ends when it is told to", async () => {
    const own = await daemonProcess({ hasDemo: true });
    const params = { key: "demo" };
    const refused: string[] = [];
    for (const name of pipes) {
      const file = join(own.data, "chat", "demo", name);
      rmSync(file, { force: true });
      spawnSync("mkfifo", [file]);
      const answers = [
        await own.answer("chats.get", { params }),
        await own.answer("chats.search", { params, query: { q: "tax" } }),
        await own.answer("chats.add", { params, body: { messages: [{ role: "user", content: "hello" }] } }),
      ];
      expect((await own.get("/health")).status).toBe(200);
      const failed = answers.filter(({ status }) => status !== 200);
      for (const { status, body } of failed) {
        const hint = expect.stringMatching(/\w/) as string;
        expect({ name, status, body }).toMatchObject({ status: 500, body: { code: "UnsafePath", path: file, hint } });
      }
      if (failed.length > 0) refused.push(name);
      rmSync(file);
    }
    // What the daemon knows already it does not read again; the index it does, where it read it just after it was written.
    const known = refused.filter((name) => name !== "contexts/index.json");
    expect(known).toEqual(["conversations/history.jsonl", "contexts/active.jsonl", "lock/held"]);
    expect(await own.end("SIGTERM")).toBe(0);
  });

  test.each(["galley.json", "calibration.json", "daemon.json", "galley.sqlite"])(
    "a daemon does not start with a pipe for its %s, and says why",
    async (name) => {
      const data = join(testFolder(), "data");
      mkdirSync(data);
      spawnSync("mkfifo", [join(data, name)]);
      const started = galleyProcess(["up", "--json", "--port", "0", "--data", data]);
      expect(await started.exited).toBe(1);
      expect(started.printed()).toMatch(/UnsafePath[^]*is a pipe/);
    },
  );

  test.each([
    ["chat show", "chat/demo/contexts/active.jsonl", ["chat", "show", "--chat", "demo"]],
    ["doctor", "galley.json", ["doctor"]],
    ["run", "chat/demo/conversations/history.jsonl", ["run", "--chat", "demo", "hello"]],
  ])("%s with a folder in the place of a file says what is wrong, without a stack trace", async (_, name, args) => {
    const data = join(testFolder(), "data");
    mkdirSync(join(data, name), { recursive: true });
    const started = galleyProcess([...args, "--data", data]);
    const code = await started.exited;
    expect({ code, printed: started.printed() }).toMatchObject({
      code: 1,
      printed: expect.stringContaining("UnsafePath"),
    });
    expect(started.printed()).not.toContain("    at ");
  });

  test("models with a folder in the place of the configuration says what is wrong, without a stack trace", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, "galley.config.json"));
    const started = galleyProcess(["models", "--config", folder]);
    expect(await started.exited).toBe(1);
    expect(started.printed()).toMatch(/^error FileUnreadable: \S+galley\.config\.json is not a file/);
    expect(started.printed()).not.toContain("    at ");
  });

  test("a configuration that is a pipe, and a document without end, are not waited for", async () => {
    const folder = testFolder();
    spawnSync("mkfifo", [join(folder, "galley.config.json")]);
    const piped = galleyProcess(["inject", "show", "mara", "--config", folder, "--data", join(folder, "data")]);
    expect(await piped.exited).toBe(1);
    expect(piped.printed()).toMatch(/FileUnreadable[^]*is not a file/);
    const endless = galleyProcess(["import", "/dev/zero", "--out", join(folder, "out.json")]);
    expect(await endless.exited).toBe(1);
    expect(endless.printed()).toMatch(/FileUnreadable[^]*is not a plain file/);
  });
});
