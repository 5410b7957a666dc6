import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launcher } from "../../../../scripts/launcher.ts";
import type { BuildDocument } from "./input/build-document.ts";
import { type Run, example, file, folder, galley, root } from "./testing/run-command.ts";

/** The command as its own process, for what only a process can show. */
function galleyProcess(
  args: readonly string[],
  options: { env?: Record<string, string>; input?: string; flags?: string[] } = {},
): Run {
  const run = spawnSync(process.execPath, [...(options.flags ?? []), launcher, ...args], {
    cwd: root,
    encoding: "utf8",
    input: options.input ?? "",
    env: { ...process.env, ...options.env },
  });
  return { code: run.status ?? -1, out: run.stdout, err: run.stderr };
}

const recipes = ["--preset", example("recipes.json"), "--session", example("session.jsonl")];

test.each([
  ["claude-sonnet-4-5", "claude-recipe", "claude-*", "claude_cot"],
  ["gpt-5", "gpt-recipe", "gpt-*", "gpt_cot"],
  ["mistral-large", "default-recipe", "*", undefined],
])(
  "[C2] build composes the example for %s in the order that its recipe describes",
  async (model, id, pattern, thought) => {
    const { code, out, err } = await galley(["build", ...recipes, "--model", model, "--json"]);
    expect([code, err]).toEqual([0, ""]);
    const build = JSON.parse(out) as BuildDocument;
    const sources = build.ledger
      .filter((row) => row.position !== undefined)
      .toSorted((a, b) => Number(a.position) - Number(b.position));
    const thoughts = thought ? [thought] : [];
    expect(sources.map((row) => row.id)).toEqual([
      "system_prompt",
      "world_info",
      "m1",
      "m2",
      "m3",
      "m4",
      "m5",
      ...thoughts,
    ]);
    expect(build.recipe).toMatchObject({ id, pattern });
    expect(build.stats).toMatchObject({ messageCount: sources.length, droppedMessagesCount: 0 });
    expect(Object.keys(build.messages[0] ?? {})).toEqual(["role", "content"]);
  },
);

test("[F2] time zone, locale and process do not change a byte", () => {
  const args = ["build", ...recipes, "--model", "gpt-5", "--json", "--now", "2026-11-15T08:00:00+08:00"];
  const [first, ...others] = [
    { TZ: "UTC", LC_ALL: "C", LANG: "C" },
    { TZ: "Asia/Shanghai", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" },
    { TZ: "Pacific/Chatham", LC_ALL: "de_DE.UTF-8", LANG: "C" },
  ].map((env) => galleyProcess(args, { env }).out);
  expect(first?.length).toBeGreaterThan(1000);
  for (const other of others) expect(other).toBe(first);
});

test("explain says where each message comes from and why others are not sent", async () => {
  const { out } = await galley([
    "explain",
    "--preset",
    example("simple.json"),
    "--input",
    "Hello",
    "--now",
    "2026-11-15T08:00:00Z",
  ]);
  expect(out).toMatchInlineSnapshot(`
    "74 tokens (estimated, no known model named) in 4 messages
    digest da377bf99794dcfb

    #  role    from                    tokens  why                  text
    1  system  core                        31  List order           You are Mara, a patient guide. To…
    2  system  lore                        17  Anchor: after world  The lighthouse has been dark sinc…
    3  system  author_note                 17  Depth: 2             [Author's note: stay in character…
    4  user    m_5d96f552cdf872020317       6  Session history      Hello

    Not sent (2)
    from      messages  because
    profile          1  its text is empty
    old_lore         1  it is switched off in the preset
    "
  `);
});

test("build takes its files from standard input as well", async () => {
  const session = readFileSync(example("session.jsonl"), "utf8");
  const { out } = await galley(["build", "--session", "-", "--json"], session);
  expect((JSON.parse(out) as BuildDocument).messages).toHaveLength(5);
  const typed = await galley(["build", "--input", "-", "--json"], "typed");
  expect(JSON.parse(typed.out)).toMatchObject({
    messages: [{ role: "user", content: "typed" }],
    entriesToAppend: [{ type: "message" }],
  });
  const twice = await galley(["build", "--preset", "-", "--session", "-"]);
  expect(twice).toMatchObject({ code: 2, err: expect.stringContaining("BadUsage") });
});

test("build prints the messages for a person, with warnings beside them", async () => {
  const preset = file("odd.json", { presetMessages: [{ role: "system", content: "Hi {{who}}" }], colour: "red" });
  const { code, out, err } = await galley(["build", "--preset", preset]);
  expect(code).toBe(0);
  expect(out).toBe("── system\nHi {{who}}\n\n");
  expect(err).toContain('Unknown field "colour"');
  expect(err).toContain("{{who}} has no value");
});

test("tools are counted and passed through, and variables are filled in", async () => {
  const tools = file("tools.json", [{ name: "look", inputSchema: { type: "object", properties: {} } }]);
  const preset = file("vars.json", { presetMessages: [{ role: "system", content: "{{a}}" }] });
  const { out } = await galley(["build", "--preset", preset, "--tools", tools, "--var", "a=x=y", "--json"]);
  const build = JSON.parse(out) as BuildDocument;
  expect(build.messages).toEqual([{ role: "system", content: "x=y" }]);
  expect(build.tools).toHaveLength(1);
  const without = JSON.parse(
    (await galley(["build", "--preset", preset, "--var", "a=x=y", "--json"])).out,
  ) as BuildDocument;
  expect(build.stats.inputTokens).toBeGreaterThan(without.stats.inputTokens);
});

test.each<[string, string[], number, RegExp]>([
  ["a file that does not exist", ["build", "--preset", "nowhere.json"], 1, /FileNotFound.*nowhere\.json[^]*hint:/],
  [
    "a name of the library",
    ["explain", "--preset", "airship"],
    1,
    /FileNotFound.*airship[^]*galley run[^]*galley preset get/,
  ],
  ["an empty list of tasks", ["fork", file("no-tasks.json", [])], 1, /BadRequest: A fork needs[^]*hint: .*--task/],
  ["a folder", ["build", "--preset", root], 1, /FileUnreadable[^]*It is a folder/],
  ["no JSON", ["preset", "check", example("session.jsonl")], 1, /InvalidJson/],
  ["a preset that is none", ["build", "--preset", file("none.json", {})], 1, /PresetInvalid[^]*hint:/],
  ["a session that is none", ["build", "--session", file("bad.jsonl", "{}\n")], 1, /SessionInvalid.*line 1/],
  [
    "tools that are none",
    ["build", "--tools", file("bad-tools.json", [{}])],
    1,
    /ContextInvalidInput.*tools\[0\]\.name/,
  ],
  ["a variable without a value", ["build", "--var", "a"], 2, /BadUsage/],
  ["a time without an offset", ["build", "--now", "today"], 1, /ContextInvalidInput/],
  [
    "a model without a recipe",
    [
      "build",
      "--preset",
      file("r.json", { messageTemplates: [], contextRecipes: [{ id: "a", modelFilter: ["gpt-*"], steps: [] }] }),
      "--model",
      "x",
    ],
    1,
    /RecipeNotFound.*"x"/,
  ],
  ["an unknown command", ["bild"], 2, /^error BadUsage: .*'bild'.\n {2}hint: Did you mean build\? galley --help\n$/],
  ["help for an unknown command", ["help", "bild"], 2, /^error BadUsage: .*'bild'.\n {2}hint: Did you mean build\?/],
  ["an unknown option", ["build", "--presets", "x"], 2, /^error BadUsage: .*\n {2}hint: Did you mean --preset\?/],
  [
    "nothing to say",
    ["run", "--chat", "x"],
    2,
    /^error BadUsage: Nothing is said\.\n {2}hint: galley run "Hello" --chat demo\n$/,
  ],
  [
    "a missing argument",
    ["preset", "versions"],
    2,
    /^error BadUsage: .*'id'\.\n {2}hint: galley preset versions --help\n$/,
  ],
  ["a missing option", ["chat", "show"], 2, /^error BadUsage: .*--chat.*\n {2}hint: galley chat show --help\n$/],
  [
    "a value that is none",
    ["build", "--budget", "x"],
    2,
    /^error BadUsage: .*whole number\.\n {2}hint: galley build --help/,
  ],
  ["a form that is none", ["preset", "convert", example("simple.json"), "--to", "odd"], 2, /BadUsage/],
])("[E] %s is a clear error on stderr", async (_, args, code, message) => {
  const run = await galley(args);
  expect(run.code).toBe(code);
  expect(run.err).toMatch(message);
  expect(run.out).toBe("");
});

test("[E] with --json an error is a document as well", async () => {
  const { code, out, err } = await galley(["build", "--preset", "nowhere.json", "--json"]);
  expect([code, out]).toEqual([1, ""]);
  expect(JSON.parse(err)).toMatchObject({
    error: { code: "FileNotFound", path: "nowhere.json", hint: expect.any(String) },
  });
  const usage = await galley(["build", "--presets", "x", "--json"]);
  expect([usage.code, usage.out]).toEqual([2, ""]);
  expect(JSON.parse(usage.err)).toMatchObject({ error: { code: "BadUsage", hint: expect.any(String) } });
});

test("preset check lists all that is wrong, and says what a good one is", async () => {
  const bad = file("bad.json", {
    presetMessages: [{ role: "bot" }, { role: "user", injectionStrategy: { depth: -1 } }],
  });
  const text = await galley(["preset", "check", bad]);
  expect(text).toMatchObject({ code: 1, out: expect.stringContaining("2 errors") });
  const json = await galley(["preset", "check", bad, "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ isValid: false, problems: [{ path: "presetMessages[0].role" }, {}] });
  const good = await galley(["preset", "check", example("recipes.json")]);
  expect(good).toMatchObject({ code: 0, out: expect.stringContaining("claude-recipe (claude-*)") });
});

test("[C11] preset convert changes the form and not the build", async () => {
  const advanced = join(folder, "advanced.json");
  expect((await galley(["preset", "convert", example("simple.json"), "--out", advanced])).code).toBe(0);
  const simple = file("simple-again.json", (await galley(["preset", "convert", advanced])).out);
  const builds = await Promise.all(
    [example("simple.json"), advanced, simple].map(async (preset) => {
      const { out } = await galley([
        "build",
        "--preset",
        preset,
        "--session",
        example("session.jsonl"),
        "--json",
        "--now",
        "2026-11-15T08:00:00Z",
      ]);
      return JSON.stringify((JSON.parse(out) as BuildDocument).messages);
    }),
  );
  expect(new Set(builds).size).toBe(1);
});

test("[C1] a preset of 10 MB builds within moments", async () => {
  const content = "All the ships of the northern fleet, with their masters and their cargoes. ".repeat(140_000);
  const preset = file("large.json", { presetMessages: [{ role: "system", content }] });
  const { code, out } = await galley([
    "build",
    "--preset",
    preset,
    "--json",
    "--model",
    "gpt-5",
    "--budget",
    "9000000",
  ]);
  expect(code).toBe(0);
  expect((JSON.parse(out) as BuildDocument).stats.inputTokens).toBeGreaterThan(1_000_000);
});

test("help tells a newcomer where to start", async () => {
  const { code, out } = await galley([]);
  expect(code).toBe(0);
  expect(out).toContain("Start here:");
  for (const command of ["build", "explain", "preset"]) expect(out).toContain(command);
});

test("help of a command within a command is its own", async () => {
  const help = async (...args: string[]): Promise<string> => (await galley(args)).out;
  expect(await help("help", "box", "pack")).toBe(await help("box", "pack", "--help"));
  expect(await help("help", "box", "pack")).toContain("Usage: galley box pack");
  expect(await help("help", "box", "pck")).toContain("Usage: galley box [options]");
  // `task` has a command that runs where none is named: asking for help runs nothing.
  expect(await help("help", "task", "t_1")).toContain("Usage: galley task [options]");
});

test("the launcher starts the bundled Node where the machine's own is too old", () => {
  const pretendOld =
    "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.0.0'}})";
  const run = galleyProcess(["--version"], { flags: ["--import", pretendOld] });
  expect(run).toMatchObject({ code: 0, out: "0.1.0\n" });
});

test("[E] a build of nothing says so beside its output, and --json stays one document", async () => {
  const built = await galley(["build"]);
  expect(built).toMatchObject({ code: 0, out: "", err: expect.stringContaining("--preset") });
  const { out, err } = await galley(["build", "--json"]);
  expect([JSON.parse(out), err]).toMatchObject([{ messages: [] }, ""]);
});
