import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, expect, test, vi } from "vitest";
import { launcher } from "../../../../../../scripts/launcher.ts";
import { file, folder, galley } from "../../testing/run-command.ts";

let data = "";
let worlds = 0;

async function ok(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await galley([...args, "--data", data, "--json"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return JSON.parse(out) as Record<string, unknown>;
}

async function scene(): Promise<void> {
  data = join(folder, `data-${(worlds += 1)}`);
  await ok("profile", "add", "echo", "--text", "You repeat what you are told.");
}

/** Runs what is waiting with a script that gets the build on its standard input. */
async function work(body: string, ...more: string[]): Promise<void> {
  const script = file(
    `agent-${(worlds += 1)}.mjs`,
    `import { text } from "node:stream/consumers";\nconst { messages, task, contract, tools } = JSON.parse(await text(process.stdin));\nconst last = messages.at(-1);\n${body}`,
  );
  const run = ["worker", "--run", `"${process.execPath}" "${script}"`, "--until-idle", "--data", data, ...more];
  const { code, err } = await galley(run);
  expect({ code, err }).toEqual({ code: 0, err: "" });
}

afterEach(() => vi.unstubAllEnvs());

test("[H3] a task is delegated, a worker runs it with a command, and the tree shows who saw what", async () => {
  await scene();
  const { task_id, output_box_id } = await ok("delegate", "echo", "Say hello.", "--field", "said:string");
  await work("console.log(JSON.stringify({ said: last.content[0].text, fields: contract.length }))");
  const { trees } = (await ok("task", "show", String(task_id))) as { trees: Record<string, unknown>[] };
  expect(trees).toMatchObject([
    {
      taskId: task_id,
      profileName: "echo",
      status: "succeeded",
      result: { said: "Say hello.", fields: 1 },
      context: { cards: 3, origins: { packed: 2, pointer: 1 } },
      output: { cards: 1, origins: { output: 1 } },
      children: [],
    },
  ]);
  const { box, seenBy } = await ok("box", "show", String(output_box_id));
  expect(seenBy).toMatchObject([{ taskId: task_id, as: "output" }]);
  expect((box as { cards: unknown[] }).cards).toHaveLength(3);
  const shown = await galley(["task", "list", "--data", data]);
  expect(shown.out).toMatch(/task +profile +status +failed +saw +gave +took +instruction/);
  expect(shown.out).toContain("Say hello.");
  expect(shown.out).not.toContain('"said"');
  const one = await galley(["task", "show", String(task_id), "--data", data]);
  expect(one.out).toMatch(/gave box .*\n\n\{\n {2}"said": "Say hello\.",\n {2}"fields": 1\n\}\n$/);
});

test("[H3] a person who delegates is told who will do it, and where the answer will be", async () => {
  await scene();
  const { out } = await galley(["delegate", "echo", "Say hello.", "--data", data]);
  const [, id = ""] = /^task (\w+) queued\n/.exec(out) ?? [];
  expect(out).toContain("The daemon runs it, where one is up, or a worker: galley worker --run COMMAND\n");
  expect(out).toContain(`galley task show ${id}\n`);
});

test("[H7] a command can fork: its task waits, the children run, and it is run again with their results", async () => {
  await scene();
  const { task_id } = await ok("delegate", "echo", "Ask two others.");
  await work(`
    if (task.depth > 0) console.log("I am " + task.taskIndex);
    else if (last.role === "user") {
      const task = { target_strategy: "new", target_ref: "echo", instruction: "Who are you?" };
      const call = { type: "tool-call", toolCallId: "1", toolName: "fork_join", input: { tasks: [task, task] } };
      console.log(JSON.stringify({ role: "assistant", content: [call] }));
    } else console.log(last.content[0].output.value.results.map(({ result }) => result).join(", "));
  `);
  const { trees } = (await ok("task", "list")) as { trees: Record<string, unknown>[] };
  expect(trees).toMatchObject([
    { taskId: task_id, status: "succeeded", result: "I am 0, I am 1", children: [{ taskIndex: 0 }, { taskIndex: 1 }] },
  ]);
  const { out } = await galley(["task", "show", String(task_id), "--data", data]);
  expect(out).toMatch(/├─ #0 [0-9a-f]{32}/);
  expect(out).toMatch(/└─ #1 [0-9a-f]{32}/);
});

test("[H7] galley fork joins outputs into a box that fits, and says what it left out", async () => {
  await scene();
  const working = ok("fork", "--task", "echo=short", "echo=long", "--join", "--max-tokens", "200", "--deadline", "60");
  await work('console.log(last.content === "long" ? "word ".repeat(500) : "brief")');
  const { status, results, joined } = await working;
  expect({ status, results }).toMatchObject({ status: "success", results: [{ result: "brief" }, { task_index: 1 }] });
  expect(joined).toMatchObject({ included: [{ task_index: 0 }], left_out: [{ task_index: 1, cards: 1 }] });
});

test("[H4] galley fork --max-tasks allows more tasks than the usual eight", async () => {
  await scene();
  const nine = Array.from({ length: 9 }, () => "echo=x");
  expect((await ok("fork", "--task", ...nine, "--max-tasks", "9"))["results"]).toHaveLength(9);
});

test("[H2] a box is packed by the fixed recipe or by a configuration of one's own", async () => {
  await scene();
  const { contextBoxId } = await ok("box", "pack", "--profile", "echo", "--instruction", "Go.");
  const config = file("handover.json", {
    target_profile_config: { profile_name: "echo" },
    context_packing_config: {
      pack_arguments: [{ arg_key: "goal", as_card_type: "task.goal" }],
      inherit_context: { include_boxes_from_args: ["boxes"] },
    },
  });
  const packed = await ok(
    "box",
    "pack",
    "--handover",
    config,
    "--arg",
    "goal=Win.",
    `boxes=["${String(contextBoxId)}"]`,
  );
  expect(packed["attachedCardIds"]).toHaveLength(3);
  const { out } = await galley(["box", "show", String(packed["contextBoxId"]), "--data", data]);
  expect(out).toMatch(/0 +packed +task\.goal +user +\d+ +Win\./);
  expect(out).toContain("No task has seen it.");
});

test.each<[string, string[], number, string]>([
  ["an unknown profile", ["delegate", "nobody", "x"], 1, "args.target_ref"],
  ["a box that does not exist", ["box", "show", "nothing"], 1, "NotFound"],
  ["a task that does not exist", ["task", "show", "nothing"], 1, "NotFound"],
  ["a deadline of 0", ["delegate", "echo", "x", "--deadline", "0"], 2, "from 1 upwards"],
  ["nine tasks", ["fork", "--task", ...Array.from({ length: 9 }, () => "echo=x")], 1, "args.tasks"],
  ["no task at all", ["fork"], 2, "BadUsage"],
  ["a task without an instruction", ["fork", "--task", "echo"], 2, "BadUsage"],
  ["a worker without a command", ["worker"], 2, "BadUsage"],
  ["a lease of an hour", ["worker", "--run", "true", "--until-idle", "--lease", "3600"], 2, "1 to 600"],
  ["a lease of nothing", ["worker", "--run", "true", "--until-idle", "--lease", "0"], 2, "BadUsage"],
  ["two ways at once", ["delegate", "echo", "x", "--reuse", "--clone"], 2, "BadUsage"],
  ["an empty profile", ["profile", "add", "x", "--text", " "], 2, "BadUsage"],
])("[H4] %s is refused, and says how", async (_, args, code, word) => {
  await scene();
  const run = await galley([...args, "--data", data, "--json"]);
  expect(run).toMatchObject({ code, out: "" });
  expect(run.err).toContain(word);
  expect((await ok("task", "list"))["trees"]).toEqual([]);
});

test("[H6] galley inside of a command asks as the agent of its task, in the worker's store", async () => {
  // The worker is told of a folder; what is in its environment is not meant.
  vi.stubEnv("GALLEY_POSTGRES", "postgres://galley@127.0.0.1:1/none");
  await scene();
  const foreign = await ok("delegate", "echo", "Not yours.");
  const given = await ok("delegate", "echo", "Yours to use.");
  await work('console.log("done")');
  const { task_id } = await ok("delegate", "echo", "Delegate.", "--agent-ref", String(given["agent_id"]));
  await work(`
    import { execFile } from "node:child_process";
    const galley = (...args) => new Promise((resolve) => {
      execFile(process.execPath, [${JSON.stringify(launcher)}, ...args, "--json"], (_, out, err) => resolve(JSON.parse(out || err)));
    });
    if (last.content !== "Delegate.") console.log("done");
    else {
      const [denied, hidden, kept, cloned, reused, made] = await Promise.all([
        galley("delegate", "echo", "x", "--box", ${JSON.stringify(foreign["output_box_id"])}),
        galley("box", "show", ${JSON.stringify(foreign["output_box_id"])}),
        galley("task", "cancel", ${JSON.stringify(foreign["task_id"])}),
        galley("delegate", ${JSON.stringify(foreign["agent_id"])}, "x", "--clone"),
        galley("delegate", ${JSON.stringify(foreign["agent_id"])}, "x", "--reuse"),
        galley("delegate", ${JSON.stringify(given["agent_id"])}, "nested", "--clone"),
      ]);
      const own = await galley("task", "list");
      const refused = [denied, hidden, kept, cloned, reused].map(({ error }) => error.code);
      console.log(...new Set(refused), refused.length, own.trees.length, own.trees[0].children.length, made.status);
    }
  `);
  const { trees } = (await ok("task", "show", String(task_id))) as { trees: Record<string, unknown>[] };
  expect(trees).toMatchObject([
    {
      result: "NotFound 5 1 1 queued",
      startedBy: "person",
      children: [{ instruction: "nested", status: "succeeded" }],
    },
  ]);
});

test("[H8] a command that fails is tried again, and its last words are kept", async () => {
  await scene();
  const { task_id } = await ok("delegate", "echo", "Try.");
  await work('if (task.attempt < 2) { console.error("no luck"); process.exit(3); }\nconsole.log("luck");');
  const { trees } = (await ok("task", "show", String(task_id))) as { trees: Record<string, unknown>[] };
  expect(trees).toMatchObject([{ status: "succeeded", attempt: 2, failures: 1, result: "luck" }]);
});

test("[A5, T15] commands and workers know the profiles and the handlers of the configuration", async () => {
  await scene();
  const handler = {
    name: "review",
    description: "Has a text reviewed.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    handover: {
      context_packing_config: {
        pack_arguments: [{ arg_key: "text", as_card_type: "task.instruction" }],
        inherit_context: { include_parent: true },
      },
    },
    profile: "critic",
    wait: true,
  };
  const config = { profiles: [{ name: "critic", text: "You find what is wrong." }], handlers: [handler] };
  const configured = (name: string, content: object): string => {
    mkdirSync(join(folder, name));
    return dirname(file(`${name}/galley.config.json`, content));
  };
  const at = ["--config", configured("configured", config)];
  const { task_id: id } = await ok("delegate", "critic", "Begin.", ...at);
  await work(
    `const call = { type: "tool-call", toolCallId: "1", toolName: "review", input: { text: "A poem." } };
     if (JSON.stringify(last).includes("A poem.")) console.log("Too short.");
     else if (last.role === "tool") console.log("It said " + last.content[0].output.value.answer);
     else console.log(JSON.stringify({ role: "assistant", content: [call] }));`,
    ...at,
  );
  const { trees } = (await ok("task", "show", String(id))) as { trees: Record<string, unknown>[] };
  expect(trees).toMatchObject([
    { status: "succeeded", result: "It said Too short.", children: [{ profileName: "critic", tool: "review" }] },
  ]);
  const bad = configured("wrong", { handlers: [{ ...handler, name: "join" }] });
  const refused = await galley(["worker", "--run", "true", "--until-idle", "--data", data, "--config", bad]);
  expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/ConfigInvalid.*handlers\[0\]/s)]);
});

test("[H4] a person who delegates is told what happens next", async () => {
  await scene();
  const { out } = await galley(["delegate", "echo", "Say hello.", "--data", data]);
  expect(out).toMatch(/queued[\s\S]+galley worker --run COMMAND/);
  expect((await galley(["delegate", "nobody", "Say hello.", "--data", data])).err).toContain("galley profile add");
});

test("[H8] a task can be cancelled", async () => {
  await scene();
  const { task_id } = await ok("delegate", "echo", "Never mind.");
  expect(await ok("task", "cancel", String(task_id))).toEqual({ cancelled: [task_id] });
  expect(await ok("task", "cancel", String(task_id))).toEqual({ cancelled: [] });
});

test("[H8] galley doctor looks at the store too, and says what is wrong with it", async () => {
  await scene();
  const { task_id } = await ok("delegate", "echo", "Say hello.");
  expect(await ok("doctor")).toEqual({ chats: [], store: [] });
  expect((await galley(["doctor", "--data", data])).out).toContain("store: sound");
  const db = new DatabaseSync(join(data, "galley.sqlite"));
  db.exec("UPDATE tasks SET status = 'waiting', waits_for = 'nothing'");
  db.close();
  const { code, out } = await galley(["doctor", "--fix", "--data", data]);
  expect(code).toBe(1);
  expect(out).toContain(`error StoreDamaged: The task "${String(task_id)}" waits for the batch "nothing"`);
  expect((await galley(["doctor", "--data", data, "--postgres", "postgres://galley@127.0.0.1:1/none"])).out).toContain(
    "StoreUnavailable",
  );
});

test("[P6] what a command says of its environment's secrets is kept masked: its answer and its last words", async () => {
  await scene();
  vi.stubEnv("PLANTED_TOKEN", "planted-5150-c0ffee");
  const { task_id } = await ok("delegate", "echo", "Say what you know.");
  await work("console.log(`It is ${process.env.PLANTED_TOKEN}.`)");
  const failing = await ok("delegate", "echo", "Fail.");
  await work("console.error(`cannot log in with ${process.env.PLANTED_TOKEN}`); process.exitCode = 3");
  // Only the end of long words is kept, and this one is cut in the middle of the token.
  await ok("delegate", "echo", "Fail at length.");
  await work("console.error(process.env.PLANTED_TOKEN + 'x'.repeat(1990)); process.exitCode = 3");
  // An answer that is a JSON document stays one.
  vi.stubEnv("SIGNING_KEY", "stop");
  const json = await ok("delegate", "echo", "Say it as a message.");
  await work('console.log(JSON.stringify({ role: "assistant", content: [{ type: "text", text: "I stop" }] }))');
  expect(JSON.stringify(await ok("task", "show", String(json["task_id"])))).toContain("I ‹secret:SIGNING_KEY›");
  const said = [await ok("task", "show", String(task_id)), await ok("task", "show", String(failing["task_id"]))];
  expect(JSON.stringify(said)).toContain("It is ‹secret:PLANTED_TOKEN›.");
  expect(JSON.stringify(said)).toContain("cannot log in with ‹secret:PLANTED_TOKEN›");
  expect(readFileSync(join(data, "galley.sqlite")).includes("planted-5150")).toBe(false);
  expect(readFileSync(join(data, "galley.sqlite")).includes("c0ffee")).toBe(false);
});

test("a worker whose data folder is moved away ends by itself, and says why", async () => {
  await scene();
  await ok("delegate", "echo", "Say hello.");
  const sign = join(folder, `sign-${(worlds += 1)}`);
  const running = galley(["worker", "--run", `touch "${sign}"`, "--data", data]);
  await expect.poll(() => existsSync(sign)).toBe(true);
  renameSync(data, `${data}-moved`);
  const { code, err } = await running;
  expect([code, err]).toEqual([1, expect.stringContaining("was moved, deleted or replaced")]);
});
