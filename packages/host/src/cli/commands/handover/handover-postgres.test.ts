import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { launcher } from "../../../../../../scripts/launcher.ts";
import { testDatabase } from "../../../../testing/test-database.ts";
import { file, galley } from "../../testing/run-command.ts";

const agent = `
  import { text } from "node:stream/consumers";
  const { messages, task } = JSON.parse(await text(process.stdin));
  const last = messages.at(-1);
  if (task.depth > 0) console.log("I am " + task.taskIndex);
  else if (last.role === "tool") console.log(last.content[0].output.value.results.map(({ result }) => result).join(", "));
  else if (last.content !== "Ask two others.") console.log(last.content);
  else {
    const task = { target_strategy: "new", target_ref: "echo", instruction: "Who are you?" };
    const call = { type: "tool-call", toolCallId: "1", toolName: "fork_join", input: { tasks: [task, task] } };
    console.log(JSON.stringify({ role: "assistant", content: [call] }));
  }`;

/** `galley worker` in a process of its own, which ends by itself when nothing is left to do. */
function startWorker(url: string): ChildProcess {
  const run = `"${process.execPath}" "${file("agent.mjs", agent)}"`;
  const args = ["worker", "--run", run, "--until-idle", "--postgres", url, "--json"];
  return spawn(process.execPath, [launcher, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

test(
  "[H8] the commands work on a PostgreSQL that several workers share, as they do on a data folder",
  { timeout: 120_000 },
  async () => {
    const url = await testDatabase();
    const ok = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { code, out, err } = await galley([...args, "--postgres", url, "--json"]);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      return JSON.parse(out) as Record<string, unknown>;
    };
    await ok("profile", "add", "echo", "--text", "You repeat what you are told.");
    const { task_id } = await ok("delegate", "echo", "Ask two others.");
    const forking = ok("fork", "--task", "echo=left", "echo=right", "--join", "--deadline", "100");
    // A worker that finds nothing open would end at once.
    await vi.waitUntil(async () => ((await ok("task", "list"))["trees"] as unknown[]).length === 3, {
      timeout: 60_000,
    });
    const workers = [startWorker(url), startWorker(url)];
    const [fork, ...ends] = await Promise.all([forking, ...workers.map((worker) => once(worker, "exit"))]);
    expect(ends).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(fork).toMatchObject({ status: "success", results: [{ result: "left" }, { result: "right" }] });
    expect(fork["joined"]).toMatchObject({ included: [{ task_index: 0 }, { task_index: 1 }], left_out: [] });
    const { trees } = await ok("task", "show", String(task_id));
    expect(trees).toMatchObject([
      { status: "succeeded", result: "I am 0, I am 1", children: [{ taskIndex: 0 }, { taskIndex: 1 }] },
    ]);
    expect(await ok("task", "cancel", String(task_id))).toEqual({ cancelled: [] });
    const { store } = await ok("doctor");
    expect(store).toEqual([]);
  },
);

test.each<[string, string, number, string]>([
  ["a server that is not there", "postgres://galley@127.0.0.1:1/none", 1, "StoreUnavailable"],
  ["a host that is not there", "postgres://galley@nowhere.invalid/none", 1, "Check the URL"],
  ["something else", "mysql://localhost/galley", 2, "postgres://user:password@host/database"],
  ["no URL", "galley", 2, "BadUsage"],
])("[H8] %s is not PostgreSQL, and the command says so", async (_, url, code, words) => {
  for (const command of [
    ["task", "list"],
    ["worker", "--run", "true", "--until-idle"],
  ]) {
    const run = await galley([...command, "--postgres", url, "--json"]);
    expect(run).toMatchObject({ code, out: "" });
    expect(run.err).toContain(words);
  }
});

test("[E] galley doctor takes the same URLs as the other commands", async () => {
  const { code, err } = await galley(["doctor", "--postgres", "banana"]);
  expect(code).toBe(2);
  expect(err).toContain("BadUsage");
});
