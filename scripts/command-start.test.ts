import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CommandNode, commandTree, makeProgram } from "galley/command";
import { afterAll, expect, test } from "vitest";
import { launcher, sourceLauncher } from "./launcher.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "galley-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Printed = readonly [code: number | null, out: string, err: string];

function run(bin: string, args: readonly string[], input = ""): Printed {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    cwd: root,
    input,
    encoding: "utf8",
  });
  return [status, stdout, stderr];
}

/** The helps of all commands, as the command at `entry` prints them in one process. */
function helps(entry: string, paths: readonly (readonly string[])[]): readonly string[] {
  const script = `
    import { main } from ${JSON.stringify(entry)};
    const printed = [];
    for (const path of ${JSON.stringify(paths)}) {
      let text = "";
      const write = (more) => void (text += more);
      const terminal = { isTerminal: false, isColoured: false, columns: 100, out: write, err: write };
      await main([...path, "--help"], terminal);
      printed.push(text);
    }
    process.stdout.write(JSON.stringify(printed));`;
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: root, encoding: "utf8" });
  return JSON.parse(out) as string[];
}

function pathsOf({ path, children }: CommandNode): readonly (readonly string[])[] {
  return [path, ...children.flatMap(pathsOf)];
}

test("the bundle and the sources print the same help, of every command", async () => {
  const silent = {
    out() {},
    err() {},
    readStdin: async () => "",
    readLines: async function* () {},
    readPieces: async function* () {},
  };
  const terminal = { isTerminal: false, isColoured: false, columns: 100, ...silent };
  const paths = pathsOf(commandTree(await makeProgram(terminal, () => undefined)));
  expect(paths.length).toBeGreaterThan(40);
  const bundled = helps(join(launcher, "../../dist/main.js"), paths);
  expect(bundled.every((text) => text.startsWith("Usage: galley"))).toBe(true);
  expect(bundled).toEqual(helps(join(root, "packages/host/src/cli/main.ts"), paths));
});

test("the bundle and the sources print the same, with --json and without", () => {
  const [preset, session] = [join(root, "examples/recipes.json"), join(root, "examples/session.jsonl")];
  const message = '{"role":"user","content":"Where were we?"}\n';
  const build = ["--preset", preset, "--session", session, "--model", "gpt-5", "--now", "2026-11-15T08:00:00Z"];
  const commands: readonly (readonly [args: readonly string[], input?: string])[] = [
    [["--version"]],
    [["build", ...build, "--json"]],
    [["explain", ...build]],
    [["preset", "check", preset, "--json"]],
    [["models", "gpt-5*", "--json"]],
    [["chat", "list", "--chat", "demo", "--data", join(folder, "none"), "--json"]],
    [["chat", "add", "--chat", "demo", "--data", join(folder, "none")], "not json\n"],
    [["task", "--data", join(folder, "none"), "--json"]],
    [["preset", "convert", "-", "--json"], message],
    [["chat", "show", "--json"]],
    [["chta"]],
    [["completion", "bash"]],
  ];
  const printedBy = (bin: string): Readonly<Record<string, Printed>> =>
    Object.fromEntries(commands.map(([args, input]) => [args.join(" "), run(bin, args, input)]));
  const bundled = printedBy(launcher);
  expect(Object.values(bundled).filter(([, out, err]) => out + err === "")).toEqual([]);
  expect(bundled).toEqual(printedBy(sourceLauncher));
});

/** The addresses of all that a process has loaded. */
function urlsLoadedBy(...args: readonly string[]): readonly string[] {
  const hook = `
    import { registerHooks } from "node:module";
    const urls = [];
    registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
    process.on("exit", () => process.stderr.write("\\n" + JSON.stringify(urls)));`;
  const given = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, ...args];
  const { stderr } = spawnSync(process.execPath, given, { cwd: root, encoding: "utf8" });
  return JSON.parse(stderr.slice(stderr.lastIndexOf("\n"))) as string[];
}

/** What a process has loaded: paths of our own files below packages/, names of other packages. */
function loadedBy(...args: readonly string[]): readonly string[] {
  return urlsLoadedBy(...args).flatMap((url) => {
    const name = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url)?.[1];
    const own = /\/packages\/(.*)$/.exec(url)?.[1];
    return [name ?? own].filter((found) => found !== undefined);
  });
}

test("--version and the help load no command, and a command loads only itself", () => {
  const commands = (...args: string[]): readonly string[] =>
    loadedBy(sourceLauncher, ...args).filter((file) => /-commands?\.ts$|^engine\//.test(file));
  expect(commands("--version")).toEqual([]);
  expect(commands("--help")).toEqual([]);
  expect(loadedBy(launcher, "--version").filter((name) => name !== "galley")).toEqual([]);
  const own = commands("chat", "list", "--chat", "demo", "--data", join(folder, "none"));
  expect(own.filter((file) => !file.startsWith("engine/"))).toEqual([
    "host/src/cli/commands/chats/chat-command.ts",
    "host/src/cli/commands/chats/chat-add-command.ts",
    // Its `pin`, `unpin` and `pins`, which a session has as well.
    "host/src/cli/commands/chats/pin-commands.ts",
    // Its `set` and `get`, whose helps name the settings.
    "host/src/cli/commands/chats/settings-commands.ts",
  ]);
});

test("a chat is listed without a store, an agent, a model or a server", () => {
  const loaded = loadedBy(sourceLauncher, "chat", "list", "--chat", "demo", "--data", join(folder, "none"));
  expect(
    loaded.filter((file) => /^(?:ai|@ai-sdk\/.*|hono|kysely|pg|@agentclient.*|@modelcontext.*)$/.test(file)),
  ).toEqual([]);
  expect(
    loaded.filter((file) =>
      /^host\/src\/(?:(?:api|config)\/(?!context-settings|parse-as|place-id|settings-in-force|shapes|providers\/agent-meta)|daemon\/|handover\/|galley\/|agents\/)/.test(
        file,
      ),
    ),
  ).toEqual([]);
});

test("nor does the bundle bring any of them along in a file that it needs", () => {
  const urls = urlsLoadedBy(launcher, "chat", "list", "--chat", "demo", "--data", join(folder, "none"));
  const files = urls.filter((url) => url.includes("/dist/")).map((url) => basename(url));
  expect(files).toEqual(expect.arrayContaining(["main.js", expect.stringMatching(/^chat-command-/)]));
  expect(files.filter((file) => /inject|config-schema|load-config|tokenizer|galley-|daemon|store/.test(file))).toEqual(
    [],
  );
});

test('import "galley" loads nothing of the command, the daemon, ACP or MCP before it is used', () => {
  const loaded = loadedBy("--input-type=module", "-e", 'import "galley"');
  expect(loaded).toContain("host/src/index.ts");
  const heavy =
    /^(?:commander|ai|hono|kysely|pg|pg-boss|yaml|@hono\/.*|@agentclientprotocol\/.*|@modelcontextprotocol\/.*)$/;
  expect(loaded.filter((file) => heavy.test(file))).toEqual([]);
  expect(
    loaded.filter((file) =>
      /^host\/src\/(?:cli\/|daemon\/|agents\/|api\/(?!context-settings|model-options|parse-as|place-id|shapes))/.test(
        file,
      ),
    ),
  ).toEqual([]);
});
